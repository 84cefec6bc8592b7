//! EIP-747 `wallet_watchAsset`: an ERC-20 token for the vault, on the chain that the page is on. What the page says of it is
//! held against the contract's own word.

use super::reads::ask;
use crate::Core;
use crate::call;
use crate::coins::{TokenError, against_table, ask_table};
use crate::dapp::asked::{begin, finish};
use crate::dapp::error::RpcError;
use crate::dapp::page::{Page, not_connected};
use crate::dapp::params::{no_others, only_object, text};
use chains::Chain;
use serde_json::{Map, Value, json};
use std::rc::Rc;
use wire::failure::Failure;
use wire::signer::{CheckedAddress, TokenToCheck};

/// `symbol()` and `decimals()`.
const SYMBOL: &str = "0x95d89b41";
const DECIMALS: &str = "0x313ce567";
/// The longest symbol that is taken: as long as a ticker.
const MAX_SYMBOL: usize = 16;

/// A token that a page proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Proposed {
    address: String,
    symbol: Option<String>,
    decimals: Option<u8>,
    /// The chain that the page names.
    chain_id: Option<u64>,
    /// Where its fields are.
    at: String,
}

pub(in crate::dapp) async fn watch_asset(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let grant = page.grant.as_ref().ok_or_else(not_connected)?;
    let proposed = proposed(&params)?;
    let chain = page.chain();
    if !grant.has(chain) {
        return Err(not_connected());
    }
    page.vault(core).await?;
    if proposed.chain_id.is_some_and(|named| chain.evm_id() != Some(named)) {
        let problem = format!("is another chain than the page's, {}", chain.name());
        return Err(RpcError::invalid(format!("{}/chainId", proposed.at), problem));
    }
    // One that was sent again finds its call: what it was checked against may have changed.
    if let Some(call) = call::call_of_request(core, &page.origin, &page.request_id).await? {
        return watched(core, &call, &proposed.at).await;
    }
    let (symbol, decimals) = checked(core, chain, &proposed).await?;
    against_wallet(core, chain, &proposed, &symbol, decimals).await?;
    let title = format!("Add the token {symbol} for {}", page.origin);
    let mut fields = Map::new();
    let token = json!({"chain": chain.name(), "ticker": symbol, "contract_address": proposed.address, "decimals": decimals});
    fields.insert("tokens".to_owned(), Value::Array(vec![token]));
    let call = begin(core, page, "add_token", &title, fields).await?;
    watched(core, &call, &proposed.at).await
}

/// The answer once the user has decided.
async fn watched(core: &Rc<Core>, call: &str, at: &str) -> Result<Value, RpcError> {
    match finish(core, call).await {
        // It is watched already.
        Err(RpcError::Failed(failure)) if failure.code() == "already_exists" => Ok(true.into()),
        Err(RpcError::Failed(failure)) if failure.code() == "token_is_collection" => {
            Err(RpcError::invalid(format!("{at}/address"), "is a collection of items, and no ERC-20 token"))
        }
        other => other.map(|_| true.into()),
    }
}

/// Refuses, before anybody is asked, what the wallet would not hold: an address with a wrong checksum, and the name of a
/// well-known token at another contract.
async fn against_wallet(
    core: &Core,
    chain: Chain,
    proposed: &Proposed,
    symbol: &str,
    decimals: u8,
) -> Result<(), RpcError> {
    let Proposed { address, at, .. } = proposed;
    let token = TokenToCheck {
        chain: chain.name().to_owned(),
        ticker: symbol.to_owned(),
        contract: Some(address.clone()),
    };
    let unavailable = || RpcError::Failed(Failure::bare("signer_unavailable".to_owned()));
    let checked = ask_table(&*core.ports.signer, vec![token]).await.map_err(|_| unavailable())?;
    let checked = checked.first().ok_or_else(unavailable)?;
    if let Some(CheckedAddress::Invalid { problem }) = &checked.contract {
        return Err(RpcError::invalid(format!("{at}/address"), problem.clone()));
    }
    let refused = match against_table(checked, decimals, "") {
        Ok(_) => return Ok(()),
        Err(refused) => refused,
    };
    Err(match refused {
        TokenError::TickerTaken { holder, .. } => {
            RpcError::invalid(format!("{at}/symbol"), format!("is the name of another: {holder}"))
        }
        TokenError::DecimalsContradicted { found, .. } => {
            RpcError::invalid(format!("{at}/decimals"), format!("must be {found}, as the token has them"))
        }
        _ => RpcError::invalid(
            format!("{at}/symbol"),
            "must be 1 to 16 characters of a-z, A-Z, 0-9 and . $ + -",
        ),
    })
}

/// `{type, options: {address, symbol?, decimals?, image?, tokenId?}}`.
fn proposed(params: &Value) -> Result<Proposed, RpcError> {
    let (fields, place) = only_object(params)?;
    no_others(place, fields, &["type", "options"])?;
    let kind = text(place, fields, "type", 20)?;
    if kind != "ERC20" {
        return Err(RpcError::invalid(
            format!("{place}/type"),
            "must be ERC20: the wallet holds no other assets",
        ));
    }
    let at = format!("{place}/options");
    let options = match fields.get("options") {
        Some(Value::Object(options)) => options,
        Some(_) => return Err(RpcError::invalid(at, "must be an object")),
        None => return Err(RpcError::invalid(at, "is missing")),
    };
    no_others(&at, options, &["address", "symbol", "decimals", "image", "chainId", "name"])?;
    let address = text(&at, options, "address", 42)?;
    let digits = address.strip_prefix("0x").unwrap_or_default();
    if digits.len() != 40 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(RpcError::invalid(format!("{at}/address"), "must be the address of a contract"));
    }
    let symbol = match options.get("symbol") {
        None | Some(Value::Null) => None,
        Some(_) => Some(text(&at, options, "symbol", MAX_SYMBOL)?.to_owned()),
    };
    let decimals = match options.get("decimals") {
        None | Some(Value::Null) => None,
        // Some pages write the number as a text.
        Some(value) => {
            let number =
                value.as_u64().or_else(|| value.as_str()?.parse().ok()).filter(|number| *number <= 36);
            let rule = "must be a whole number from 0 to 36";
            let number = number.ok_or_else(|| RpcError::invalid(format!("{at}/decimals"), rule))?;
            u8::try_from(number).ok()
        }
    };
    let chain_id = match options.get("chainId") {
        None | Some(Value::Null) => None,
        // Clients write it as a number, in hex and in decimal digits.
        Some(value) => {
            let hex = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
            let text = value.as_str().and_then(|text| hex(text).or_else(|| text.parse().ok()));
            let id = value.as_u64().or(text);
            Some(id.ok_or_else(|| RpcError::invalid(format!("{at}/chainId"), "must be a chain id"))?)
        }
    };
    Ok(Proposed { address: address.to_owned(), symbol, decimals, chain_id, at })
}

/// The token's symbol and decimals, as the contract says them; where no node answers, as the page does.
async fn checked(core: &Core, chain: Chain, proposed: &Proposed) -> Result<(String, u8), RpcError> {
    let Proposed { address, symbol, decimals, at, .. } = proposed;
    let ask = async |data: &str| {
        let call = json!([{"to": address, "data": data}, "latest"]);
        let answer = self::ask(core, chain, "eth_call", call).await.ok()?;
        answer.as_str().and_then(unhex)
    };
    let (own_symbol, own_decimals) = (
        ask(SYMBOL).await.as_deref().and_then(read_text),
        ask(DECIMALS).await.as_deref().and_then(read_number),
    );
    let symbol = match (own_symbol, symbol) {
        (Some(own), Some(said)) if own != *said => {
            return Err(RpcError::invalid(
                format!("{at}/symbol"),
                format!("must be {own}, as the contract says"),
            ));
        }
        (Some(own), _) => own,
        (None, Some(said)) => said.clone(),
        (None, None) => {
            return Err(RpcError::invalid(
                format!("{at}/symbol"),
                "is missing, and the contract does not say it",
            ));
        }
    };
    let decimals = match (own_decimals, *decimals) {
        (Some(own), Some(said)) if own != said => {
            let problem = format!("must be {own}, as the contract says");
            return Err(RpcError::invalid(format!("{at}/decimals"), problem));
        }
        (Some(decimals), _) | (None, Some(decimals)) => decimals,
        (None, None) => {
            return Err(RpcError::invalid(
                format!("{at}/decimals"),
                "is missing, and the contract does not say it",
            ));
        }
    };
    Ok((symbol, decimals))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.len().is_multiple_of(2))?;
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// A number of one word that fits a byte.
fn read_number(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [zeros @ .., number] if bytes.len() == 32 && zeros.iter().all(|byte| *byte == 0) => Some(*number),
        _ => None,
    }
}

/// A `string`, or the `bytes32` of old tokens; nothing if it is not a short text that can be seen.
fn read_text(bytes: &[u8]) -> Option<String> {
    let word = |place: usize| -> Option<usize> {
        let word = bytes.get(place..place.checked_add(32)?)?;
        let (zeros, number) = word.split_at(24);
        let number: [u8; 8] = number.try_into().ok().filter(|_| zeros.iter().all(|byte| *byte == 0))?;
        usize::try_from(u64::from_be_bytes(number)).ok()
    };
    let text = match bytes.len() {
        32 => bytes.split(|byte| *byte == 0).next()?,
        _ => {
            let start = word(0)?;
            let length = word(start).filter(|length| *length <= 1_000)?;
            let from = start.checked_add(32)?;
            bytes.get(from..from.checked_add(length)?)?
        }
    };
    let text = std::str::from_utf8(text).ok()?.trim();
    let fits = !text.is_empty() && text.chars().count() <= MAX_SYMBOL && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOKEN: &str = "0xdAC17F958D2ee523a2206206994597C13D831ec7";

    #[test]
    fn proposals_are_checked() {
        let options = json!({"address": TOKEN, "symbol": "USDT", "decimals": 6, "image": "https://x"});
        let good = Proposed {
            address: TOKEN.to_owned(),
            symbol: Some("USDT".to_owned()),
            decimals: Some(6),
            chain_id: None,
            at: "/options".to_owned(),
        };
        assert_eq!(proposed(&json!({"type": "ERC20", "options": options})), Ok(good.clone()));
        let in_array = Proposed { at: "/0/options".to_owned(), ..good };
        assert_eq!(proposed(&json!([{"type": "ERC20", "options": options}])), Ok(in_array));
        let with = |name: &str, value: Value| {
            let mut options = options.clone();
            options[name] = value;
            json!({"type": "ERC20", "options": options})
        };
        for (bad, path) in [
            (json!({"type": "ERC721", "options": options}), "/type"),
            (json!({"options": options}), "/type"),
            (json!({"type": "ERC20"}), "/options"),
            (json!({"type": "ERC20", "options": []}), "/options"),
            (with("address", json!("0x12")), "/options/address"),
            (with("address", json!(7)), "/options/address"),
            (with("symbol", json!("A".repeat(17))), "/options/symbol"),
            (with("symbol", json!(7)), "/options/symbol"),
            (with("decimals", json!(37)), "/options/decimals"),
            (with("decimals", json!(-1)), "/options/decimals"),
            (with("decimals", json!("x")), "/options/decimals"),
            (with("chainId", json!("mainnet")), "/options/chainId"),
            (with("chainId", json!(-1)), "/options/chainId"),
            (with("bogus", json!(1)), "/options/bogus"),
        ] {
            let refused = proposed(&bad).unwrap_err();
            assert_eq!(
                (refused.code(), &refused.to_value()["data"]["path"]),
                (-32_602, &json!(path)),
                "{bad}"
            );
        }
    }

    #[test]
    fn words_of_contracts() {
        let string = format!("0x{:064x}{:064x}{:0<64}", 32, 4, "55534454");
        assert_eq!(unhex(&string).as_deref().and_then(read_text), Some("USDT".to_owned()));
        let bytes32 = format!("0x{:0<64}", "4d4b52");
        assert_eq!(unhex(&bytes32).as_deref().and_then(read_text), Some("MKR".to_owned()));
        assert_eq!(unhex(&format!("0x{:064x}", 6)).as_deref().and_then(read_number), Some(6));
        assert_eq!(unhex(&format!("0x{:064x}", 256)).as_deref().and_then(read_number), None);
        assert_eq!(unhex("0x").as_deref().and_then(read_text), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_text_or_not(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = (read_text(&bytes), read_number(&bytes));
        }

        #[test]
        fn any_proposal_is_read_or_refused(name in "[a-z]{0,8}", text in ".{0,20}", number in any::<i64>()) {
            for value in [json!(text), json!(number), json!([text]), json!({&name: number}), Value::Null] {
                let _ = proposed(&json!({"type": "ERC20", "options": {&name: value.clone(), "address": TOKEN}}));
                let _ = proposed(&json!([value]));
            }
        }
    }
}
