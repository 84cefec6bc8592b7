//! MetaMask's OpenRPC documents, run by `@open-rpc/test-coverage` in a page that holds the provider: it makes the calls and judges
//! their results.

use crate::Court;
use crate::report::{Case, Report};
use crate::user::{Does, attends};
use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};
use std::time::Instant;
use webdriver::{Dapp, Error, Site};

pub(crate) const NAME: &str = "@open-rpc/test-coverage 2.2.4 with @metamask/api-specs 0.15.0";

/// An account of the node's own, which makes a block for the reads.
const OTHER: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/// The constructor of a contract that emits an empty log.
const LOGS: &str = "0x60006000a000";

pub(crate) async fn judge(court: &Court, report: &mut Report) -> Result<()> {
    let site = Site::serve(&court.pages).await?;
    let dapp = court.wallet.open_dapp(&site.url("openrpc.html")).await?;
    let connected = dapp.begin("eth_requestAccounts", Value::Null).await?;
    court.wallet.approve().await?;
    connected.wait().await?;
    dapp.run("window.openrpc.start(args[0])", vec![given(court).await?]).await?;
    for number in 0.. {
        let begun = Instant::now();
        let call = ended(court, &dapp, number).await?;
        if call.get("done").is_some() {
            break;
        }
        let method = text(&call, "method");
        let name = match call.get("example").and_then(Value::as_u64) {
            Some(0) | None => method.to_owned(),
            Some(number) => format!("{method}, example {}", number + 1),
        };
        let result = match call.get("code").and_then(Value::as_i64) {
            Some(code) => code.to_string().replace('-', "−"),
            None => "as the document says".to_owned(),
        };
        let case = Case { judge: NAME, name: &name, method, result: &result };
        let passed = call.get("passed") == Some(&Value::Bool(true));
        report.record(&case, begun, if passed { Ok(()) } else { Err(anyhow!("{}", text(&call, "problem"))) });
    }
    Ok(dapp.close().await?)
}

/// The call with this number, once it ended; every prompt is approved.
async fn ended(court: &Court, dapp: &Dapp, number: u64) -> Result<Value> {
    attends(&court.wallet, &[Does::Approves], true, async || {
        let call = dapp.run("return window.openrpc.ended(args[0])", vec![number.into()]).await?;
        Ok::<_, Error>((!call.is_null()).then_some(call))
    })
    .await
    .with_context(|| format!("the call {number} of the document"))
}

/// What the examples are about here: the account, and a block with a transaction and a log.
async fn given(court: &Court) -> Result<Value> {
    let node = court.wallet.node()?;
    let sent = node.rpc("eth_sendTransaction", json!([{ "from": OTHER, "data": LOGS }])).await?;
    let receipt = node.wait_receipt(sent.as_str().context("no hash")?).await?;
    Ok(json!({ "address": court.wallet.address(), "transaction": sent,
        "block": { "hash": receipt.get("blockHash"), "number": receipt.get("blockNumber") } }))
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}
