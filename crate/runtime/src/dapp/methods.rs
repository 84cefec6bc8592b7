//! One line a method: what it is called, and what it runs. What a method needs of the page's grant is its own first line.

use super::error::RpcError;
use super::page::{Page, chain_id};
use super::{caip, calls, evm, families, results, send, sign};
use crate::Core;
use serde_json::Value;
use std::rc::Rc;
use wire::dapp::PageState;

/// Methods that the user may have to answer: their requests are recorded, and found again when they are sent again.
const ASKS: &[&str] = &[
    "countersign_signTransactionBundle",
    "eth_requestAccounts",
    "eth_sendTransaction",
    "eth_signTypedData_v4",
    "personal_sign",
    "solana_connect",
    "solana_signAndSendTransaction",
    "solana_signIn",
    "solana_signMessage",
    "solana_signTransaction",
    "sui_connect",
    "sui_signAndExecuteTransaction",
    "sui_signPersonalMessage",
    "sui_signTransaction",
    "wallet_addEthereumChain",
    "wallet_createSession",
    "wallet_invokeMethod",
    "wallet_requestPermissions",
    "wallet_sendCalls",
    "wallet_switchEthereumChain",
    "wallet_watchAsset",
];

/// Whether the user may have to answer.
pub(super) fn asks(method: &str) -> bool {
    ASKS.contains(&method)
}

/// Whether a method only reads, and is called all the time: what was read last of the page is enough for it.
pub(super) fn is_plain(method: &str) -> bool {
    matches!(method, "eth_accounts" | "eth_chainId") || evm::is_read(method)
}

/// What a page may know without asking a node.
pub(super) fn told(state: &PageState, method: &str) -> Option<Value> {
    match method {
        "eth_accounts" => Some(state.accounts.clone().into()),
        "eth_chainId" => Some(state.chain_id.clone().into()),
        _ => None,
    }
}

/// Runs a method for a page. Handlers are awaited here and not kept behind pointers: so they are in the later part.
pub(super) async fn answer(
    core: &Rc<Core>,
    page: &Page,
    method: &str,
    params: Value,
) -> Result<Value, RpcError> {
    match method {
        "eth_chainId" => Ok(chain_id(page.chain()).into()),
        "eth_sendTransaction" => send::send_transaction(core, page, &params).await,
        "wallet_sendCalls" => calls::send_calls(core, page, &params).await,
        "wallet_getCallsStatus" => calls::get_calls_status(core, page, &params).await,
        "wallet_showCallsStatus" => calls::show_calls_status(core, page, &params).await,
        "wallet_getCapabilities" => calls::get_capabilities(core, page, &params).await,
        "countersign_signTransactionBundle" => calls::sign_bundle(core, page, &params).await,
        "countersign_getBundleStatus" => calls::bundle_status(core, page, &params).await,
        "personal_sign" => sign::personal_sign(core, page, params).await,
        "eth_signTypedData_v4" => sign::sign_typed_data(core, page, params).await,
        "solana_signMessage" => sign::solana_sign_message(core, page, params).await,
        "solana_signIn" => sign::solana_sign_in(core, page, params).await,
        "solana_signTransaction" => sign::solana_sign_transaction(core, page, params).await,
        "solana_signAndSendTransaction" => sign::solana_sign_and_send(core, page, params).await,
        "sui_signPersonalMessage" => sign::sui_sign_personal_message(core, page, params).await,
        "sui_signTransaction" => sign::sui_sign_transaction(core, page, params).await,
        "sui_signAndExecuteTransaction" => sign::sui_sign_and_execute(core, page, params).await,
        "net_version" => Ok(page.chain().evm_id().unwrap_or_default().to_string().into()),
        "eth_accounts" => evm::accounts(core, page).await,
        "eth_coinbase" => evm::coinbase(core, page).await,
        "eth_requestAccounts" => evm::request_accounts(core, page).await,
        "web3_clientVersion" => evm::client_version(core, page).await,
        "wallet_getPermissions" => evm::get_permissions(core, page).await,
        "wallet_requestPermissions" => evm::request_permissions(core, page, params).await,
        "wallet_revokePermissions" => evm::revoke_permissions(core, page, params).await,
        "wallet_switchEthereumChain" => evm::switch_chain(core, page, params).await,
        "wallet_addEthereumChain" => evm::add_chain(core, page, params).await,
        "wallet_watchAsset" => evm::watch_asset(core, page, params).await,
        "solana_connect" => families::connect_solana(core, page, params).await,
        "sui_connect" => families::connect_sui(core, page, params).await,
        "solana_disconnect" => families::disconnect_solana(core, page).await,
        "sui_disconnect" => families::disconnect_sui(core, page).await,
        "wallet_createSession" => caip::create_session(core, page, params).await,
        "wallet_getSession" => caip::get_session(core, page, &params).await,
        "wallet_revokeSession" => caip::revoke_session(core, page, params).await,
        "countersign_externalCalls" => results::external_calls(core, page).await,
        "countersign_submitToolResult" => results::submit(core, page, params).await,
        // The method that it names is run as this table runs it, and may be any but this one.
        "wallet_invokeMethod" => Box::pin(caip::invoke_method(core, page, params)).await,
        _ => match evm::refusal(method) {
            Some(why) => Err(RpcError::RefusedMethod(why)),
            None if evm::is_read(method) => evm::pass_on(core, page, method, params).await,
            None => Err(RpcError::UnsupportedMethod(method.to_owned())),
        },
    }
}
