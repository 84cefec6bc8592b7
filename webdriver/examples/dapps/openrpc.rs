//! The methods of MetaMask's OpenRPC documents, each with the parameters of its examples, over a page that holds the provider.

use crate::Court;
use crate::report::{Case, Report};
use crate::user::{Does, attends};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::Instant;
use webdriver::{Dapp, Error, Site};

pub(crate) const NAME: &str = "@metamask/api-specs 0.15.0";

/// Codes of EIP-1193, EIP-1474, EIP-3326, EIP-5792 and CAIP-25 with which a method may end.
const CODES: &[i64] = &[
    4001, 4100, 4200, 4902, 5000, 5100, 5302, 5700, 5710, 5720, 5730, 5740, 5750, 5760, -32000, -32001,
    -32003, -32600, -32601, -32602,
];

/// Methods that end the connection come last.
const LAST: &[&str] = &["wallet_revokePermissions", "wallet_revokeSession"];

pub(crate) async fn judge(court: &Court, report: &mut Report) -> Result<()> {
    let site = Site::serve(&court.pages).await?;
    let dapp = court.wallet.open_dapp(&site.url("openrpc.html")).await?;
    let connected = dapp.begin("eth_requestAccounts", Value::Null).await?;
    court.wallet.approve().await?;
    connected.wait().await?;
    let methods = dapp.run("return window.methods", vec![]).await?;
    let mut methods = methods.as_array().context("no methods")?.clone();
    methods.sort_by_key(|method| LAST.contains(&text(method, "name")));
    for method in &methods {
        let (name, example) = (text(method, "name"), method.get("example").and_then(Value::as_u64));
        let begun = Instant::now();
        let ended = call(court, &dapp, method).await;
        let result = ended.as_ref().map_or("", String::as_str).to_owned();
        let case_name = match example {
            Some(0) | None => name.to_owned(),
            Some(number) => format!("{name}, example {}", number + 1),
        };
        let case = Case { judge: NAME, name: &case_name, method: name, result: &result };
        report.record(&case, begun, ended.map(drop));
    }
    Ok(dapp.close().await?)
}

/// Calls a method; returns what the table says of it.
async fn call(court: &Court, dapp: &Dapp, method: &Value) -> Result<String> {
    let name = text(method, "name");
    let params =
        with_account(name, method.get("params").cloned().unwrap_or_default(), court.wallet.address());
    let request = dapp.begin(name, params).await?;
    let ended = attends(&court.wallet, &[Does::Approves], true, async || {
        Ok::<_, Error>((request.answers().await? > 0).then_some(()))
    });
    ended.await?;
    match request.answer().await {
        Ok(_) => Ok("answered".to_owned()),
        Err(Error::Rpc { code, message, .. }) => {
            ensure!(CODES.contains(&code), "refused with {code}: {message}");
            ensure!(!message.is_empty(), "refused with {code} and no sentence");
            Ok(code.to_string().replace('-', "−"))
        }
        Err(error) => Err(error.into()),
    }
}

/// The example's parameters, with the wallet's account where the method is about one: others are refused with 4100.
fn with_account(method: &str, mut params: Value, address: &str) -> Value {
    let place = match method {
        "personal_sign" => "/1",
        "eth_signTypedData_v4" | "wallet_getCapabilities" => "/0",
        "eth_sendTransaction" | "wallet_sendCalls" => "/0/from",
        _ => return params,
    };
    if let Some(account) = params.pointer_mut(place) {
        *account = json!(address);
    }
    params
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}
