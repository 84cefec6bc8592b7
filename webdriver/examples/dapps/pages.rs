//! Pages of ours that hold a client library: each has a list of cases and checks them itself.

use crate::Court;
use crate::report::{Case, Report};
use crate::user::{Does, attends};
use anyhow::{Context, Result, bail, ensure};
use nodes::evm::Unsigned;
use serde_json::{Value, json};
use std::time::Instant;
use webdriver::{Dapp, Error, Site};

/// An account that is not the vault's.
const OTHER: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/// Runs every case of a page.
pub(crate) async fn judge(court: &Court, judge: &str, page: &str, report: &mut Report) -> Result<()> {
    let site = Site::serve(&court.pages).await?;
    let dapp = court.wallet.open_dapp(&site.url(&format!("{page}.html"))).await?;
    let cases = dapp.run("return window.judge.list()", vec![]).await?;
    for (index, listed) in cases.as_array().context("no cases")?.iter().enumerate() {
        let case = Case {
            judge,
            name: text(listed, "name"),
            method: text(listed, "method"),
            result: text(listed, "result"),
        };
        let begun = Instant::now();
        let ended = run(court, &dapp, index, listed).await;
        report.record(&case, begun, ended);
    }
    dapp.close().await?;
    Ok(())
}

async fn run(court: &Court, dapp: &Dapp, index: usize, listed: &Value) -> Result<()> {
    let mined = mined(court).await?;
    dapp.run(
        "window.judge.setUp(args[0]); window.judge.start(args[1])",
        vec![given(court).await?, index.into()],
    )
    .await?;
    let user = listed.get("user").and_then(Value::as_array).cloned().unwrap_or_default();
    let answers: Vec<Does> =
        user.iter().map(|does| if does == "approve" { Does::Approves } else { Does::Rejects }).collect();
    let outcome = attends(&court.wallet, &answers, false, async || {
        let outcome = dapp.run("return window.judge.outcome(args[0])", vec![index.into()]).await?;
        Ok::<_, Error>((!outcome.is_null()).then_some(outcome))
    })
    .await?;
    if outcome.get("ok") != Some(&Value::Bool(true)) {
        bail!("{}", text(&outcome, "problem"));
    }
    let wanted = listed.get("mines").and_then(Value::as_u64).unwrap_or_default();
    let added = self::mined(court).await? - mined;
    ensure!(added == wanted, "{added} transactions were mined, not {wanted}");
    Ok(())
}

/// The number of the account's transactions on Ethereum.
async fn mined(court: &Court) -> Result<u64> {
    Ok(court.wallet.node()?.nonce(court.wallet.address()).await?)
}

/// What a page needs to know: the accounts, and a payment on each chain as bytes.
async fn given(court: &Court) -> Result<Value> {
    let mut steps = serde_json::Map::new();
    for (name, chain_id) in [("Ethereum", 1), ("Arbitrum", 42_161)] {
        let nonce = court.wallet.node_of(name)?.nonce(court.wallet.address()).await?;
        let unsigned = Unsigned { chain_id, nonce, gas: 21_000, to: Some(OTHER), value: 7, data: "" };
        let step = json!({ "unsigned_tx_hex": unsigned.hex()?,
            "chain_context": { "chain_id": format!("{chain_id:#x}"), "derive_path": "m/44'/60'/0'/0/0",
                "tx_type": "eip1559" } });
        steps.insert(name.to_owned(), step);
    }
    Ok(json!({ "address": court.wallet.address(), "solana": court.solana, "sui": court.sui, "steps": steps }))
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}
