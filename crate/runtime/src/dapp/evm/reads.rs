//! Reads that are passed on to the user's node, by an allow-list: what keeps no state there, and changes nothing.

use crate::Core;
use crate::dapp::error::RpcError;
use crate::dapp::page::{Page, not_connected};
use crate::node::PassError;
use chains::Chain;
use serde_json::{Map, Value};
use wire::api::{Endpoint, Millis};

/// What a page may ask a node.
const READS: &[&str] = &[
    "eth_blobBaseFee",
    "eth_blockNumber",
    "eth_call",
    "eth_createAccessList",
    "eth_estimateGas",
    "eth_feeHistory",
    "eth_gasPrice",
    "eth_getBalance",
    "eth_getBlockByHash",
    "eth_getBlockByNumber",
    "eth_getBlockReceipts",
    "eth_getBlockTransactionCountByHash",
    "eth_getBlockTransactionCountByNumber",
    "eth_getCode",
    "eth_getLogs",
    "eth_getProof",
    "eth_getStorageAt",
    "eth_getTransactionByBlockHashAndIndex",
    "eth_getTransactionByBlockNumberAndIndex",
    "eth_getTransactionByHash",
    "eth_getTransactionCount",
    "eth_getTransactionReceipt",
    "eth_getUncleByBlockHashAndIndex",
    "eth_getUncleByBlockNumberAndIndex",
    "eth_getUncleCountByBlockHash",
    "eth_getUncleCountByBlockNumber",
    "eth_maxPriorityFeePerGas",
    "eth_simulateV1",
    "eth_syncing",
    "net_listening",
    "net_peerCount",
    "web3_sha3",
];

/// Methods that are refused on purpose, and why.
const REFUSED: &[(&str, &str)] = &[
    ("eth_sign", "eth_sign signs anything, also transactions: the wallet refuses it; use personal_sign"),
    ("eth_signTransaction", "the wallet sends what it signs: use eth_sendTransaction"),
    ("eth_signTypedData", "the first version of typed data is not signed: use eth_signTypedData_v4"),
    ("eth_signTypedData_v1", "the first version of typed data is not signed: use eth_signTypedData_v4"),
    (
        "eth_signTypedData_v3",
        "this version of typed data knows no arrays, and is not signed: use eth_signTypedData_v4",
    ),
    ("eth_decrypt", "the wallet's keys sign, and decrypt nothing"),
    ("eth_getEncryptionPublicKey", "the wallet's keys sign, and decrypt nothing"),
    ("eth_sendRawTransaction", "the wallet sends what it signed itself, and passes nothing else on"),
    ("eth_signAuthorization", AUTHORISATION),
    ("wallet_signAuthorization", AUTHORISATION),
    ("eth_subscribe", "the wallet has no subscriptions: ask again, or use a node of your own"),
    ("eth_unsubscribe", "the wallet has no subscriptions: ask again, or use a node of your own"),
    ("eth_newFilter", FILTERS),
    ("eth_newBlockFilter", FILTERS),
    ("eth_newPendingTransactionFilter", FILTERS),
    ("eth_getFilterChanges", FILTERS),
    ("eth_getFilterLogs", FILTERS),
    ("eth_uninstallFilter", FILTERS),
];

const AUTHORISATION: &str =
    "an EIP-7702 authorisation makes a contract the code of the account: the wallet signs none";
const FILTERS: &str = "filters keep state at a node that others use too: use eth_getLogs";

/// How long a node that failed everywhere is left alone, where it does not say so.
const PATIENCE: Millis = 1_000;

/// Whether a method is a read that is passed on.
pub(in crate::dapp) fn is_read(method: &str) -> bool {
    READS.contains(&method)
}

/// Why a method is refused on purpose.
pub(in crate::dapp) fn refusal(method: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(name, _)| *name == method).map(|(_, why)| *why)
}

/// Asks the nodes of the page's chain.
pub(in crate::dapp) async fn pass_on(
    core: &Core,
    page: &Page,
    method: &str,
    params: Value,
) -> Result<Value, RpcError> {
    let grant = page.grant.as_ref().ok_or_else(not_connected)?;
    let chain = page.chain();
    if !grant.has(chain) {
        return Err(not_connected());
    }
    ask_at(core, chain, page.endpoints.get(chain.name()), method, params).await
}

/// Asks the nodes of an EVM chain for the wallet itself.
pub(super) async fn ask(core: &Core, chain: Chain, method: &str, params: Value) -> Result<Value, RpcError> {
    let settings = core.settings.read().await?;
    ask_at(core, chain, settings.endpoints.get(chain.name()), method, params).await
}

/// Asks the nodes of an EVM chain, one after the other, until one answers. The node's own error is passed on.
async fn ask_at(
    core: &Core,
    chain: Chain,
    chosen: Option<&Endpoint>,
    method: &str,
    params: Value,
) -> Result<Value, RpcError> {
    let params = match params {
        Value::Null => Value::Array(Vec::new()),
        Value::Array(_) => params,
        _ => return Err(RpcError::invalid("", "must be an array")),
    };
    let mut request = Map::new();
    request.insert("jsonrpc".to_owned(), "2.0".into());
    request.insert("id".to_owned(), 1.into());
    request.insert("method".to_owned(), method.into());
    request.insert("params".to_owned(), params);
    let body = Value::Object(request).to_string();
    let answered = core.nodes.pass_on(chain.name(), chosen, &body, &|text| read(text).is_some()).await;
    let text = match answered {
        Ok(text) => text,
        Err(PassError::TooLarge) => {
            return Err(RpcError::LimitExceeded {
                why: "the node's answer is larger than the wallet passes on: ask for less",
                retry_after: None,
            });
        }
        Err(PassError::Paused(wait)) => {
            return Err(RpcError::LimitExceeded {
                why: "the nodes of this chain want to be asked less often",
                retry_after: Some(wait.max(PATIENCE)),
            });
        }
        Err(PassError::Unreachable(reason)) => {
            return Err(RpcError::ChainDisconnected { chain: chain.name().to_owned(), reason });
        }
    };
    read(&text).unwrap_or(Err(RpcError::InvalidRequest("had no answer that could be read")))
}

/// A node's answer: its result or its error; nothing if it is not an answer by JSON-RPC.
fn read(text: &str) -> Option<Result<Value, RpcError>> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(text) else { return None };
    if let Some(Value::Object(error)) = fields.get("error") {
        let message = error.get("message").and_then(Value::as_str).unwrap_or("the node refused");
        return Some(Err(RpcError::Node {
            code: error.get("code").and_then(Value::as_i64).unwrap_or(-32_603),
            message: message.chars().take(1_000).collect(),
            data: error.get("data").cloned(),
        }));
    }
    fields.remove("result").map(Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_of_nodes() {
        assert_eq!(read(r#"{"id":1,"result":"0x1"}"#), Some(Ok(json!("0x1"))));
        assert_eq!(read(r#"{"id":1,"result":null}"#), Some(Ok(Value::Null)));
        let reverted = read(r#"{"error":{"code":3,"message":"execution reverted","data":"0x08c379a0"}}"#);
        let reverted = reverted.unwrap().unwrap_err().to_value();
        assert_eq!(reverted, json!({"code": 3, "message": "execution reverted", "data": "0x08c379a0"}));
        for senseless in ["", "[]", "7", "<html>", "{}", r#"{"error":7}"#] {
            assert_eq!(read(senseless), None, "{senseless}");
        }
    }

    /// What keeps state at a node, or changes anything, is on no list of reads.
    #[test]
    fn no_read_keeps_state() {
        assert!(READS.iter().all(|read| refusal(read).is_none()));
        for bad in [
            "eth_sendTransaction",
            "personal_importRawKey",
            "debug_traceCall",
            "admin_peers",
            "anvil_setBalance",
            "miner_start",
            "eth_submitWork",
            "evm_mine",
        ] {
            assert!(!is_read(bad), "{bad}");
        }
    }
}
