//! Accounts that hold the tokens of an owner: Solana's token accounts, the jetton wallets of TON. A transfer names them,
//! and not the owner or the token; a node knows both.

use super::{Method, Request, Response};
use crate::address::ton;
use crate::{Chain, address, encoding};
use serde_json::{Value, json};
use wire::node::NodeFact;

/// The programs of Solana whose accounts hold tokens.
const TOKEN_PROGRAMS: [&str; 2] =
    ["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"];

/// Asks for an account that holds tokens; nothing where a chain has none.
pub(super) fn ask(chain: Chain, account: &str) -> Vec<Request> {
    match chain {
        Chain::Solana => {
            let options = json!({ "encoding": "jsonParsed", "commitment": "confirmed" });
            vec![Request::json_rpc("getAccountInfo", &json!([account, options]))]
        }
        // Toncenter's index, which asks the jetton itself whether the wallet is one of its own.
        Chain::Ton => raw(account).map_or_else(Vec::new, |account| {
            let path = format!("/v3/jetton/wallets?address={account}&limit=1");
            vec![Request { method: Method::Get, path }]
        }),
        _ => Vec::new(),
    }
}

/// Owner and token of the account, and what the token calls itself where that is said too.
pub(super) fn read(chain: Chain, account: &str, responses: &[Response]) -> Vec<NodeFact> {
    let [response] = responses else { return Vec::new() };
    let facts = match chain {
        Chain::Solana => of_solana(account, response).map(|fact| vec![fact]),
        Chain::Ton => of_ton(account, response),
        _ => None,
    };
    facts.unwrap_or_default()
}

fn of_solana(account: &str, response: &Response) -> Option<NodeFact> {
    let result = response.result()?;
    let found = result.get("value")?;
    let program = found.get("owner")?.as_str()?;
    let parsed = found.pointer("/data/parsed")?;
    if !TOKEN_PROGRAMS.contains(&program) || parsed.get("type")?.as_str()? != "account" {
        return None;
    }
    let text = |name: &str| {
        let text = parsed.get("info")?.get(name)?.as_str()?;
        address::normalise(Chain::Solana, text).ok()
    };
    Some(fact(account, text("owner")?, text("mint")?))
}

fn of_ton(account: &str, response: &Response) -> Option<Vec<NodeFact>> {
    let answer = response.json().filter(|_| response.status == 200)?;
    let [wallet] = answer.get("jetton_wallets")?.as_array()?.as_slice() else { return None };
    let address = |name: &str| ton::decode(wallet.get(name)?.as_str()?).ok();
    if address("address")? != ton::decode(account).ok()? {
        return None;
    }
    let spelt = |(workchain, hash): (i8, [u8; 32])| ton::encode(true, workchain, &hash);
    let token = spelt(address("jetton")?);
    let mut facts = vec![fact(account, spelt(address("owner")?), token.clone())];
    facts.extend(described(&answer, wallet.get("jetton")?.as_str()?, token));
    Some(facts)
}

/// What the index has read from a jetton's contract.
fn described(answer: &Value, jetton: &str, id: String) -> Option<NodeFact> {
    let metadata = answer.get("metadata")?.as_object()?;
    let (_, about) = metadata.iter().find(|(address, _)| address.eq_ignore_ascii_case(jetton))?;
    let is_jetton = |info: &&Value| info.get("type").and_then(Value::as_str) == Some("jetton_masters");
    let info = about.get("token_info")?.as_array()?.iter().find(is_jetton)?;
    let ticker = info.get("symbol").and_then(Value::as_str).map(str::to_owned);
    let places = info.pointer("/extra/decimals");
    let decimals = places.and_then(|places| match places {
        Value::String(text) => text.parse().ok(),
        number => number.as_u64().and_then(|number| u8::try_from(number).ok()),
    });
    Some(NodeFact::Token { id, ticker, decimals, collection: false })
}

fn fact(account: &str, owner: String, token: String) -> NodeFact {
    NodeFact::TokenAccount { address: account.to_owned(), owner, token }
}

/// `workchain:hash`, in which the index takes addresses.
fn raw(account: &str) -> Option<String> {
    let (workchain, hash) = ton::decode(account).ok()?;
    Some(format!("{workchain}:{}", encoding::hex(&hash)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc;
    use proptest::prelude::*;
    use wire::node::FactQuery;

    const ACCOUNT: &str = "3wvJdyFnGvaMWpbq93NU91SggiVRveULUXL6iX5VZDGP";
    const OWNER: &str = "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9";
    const MINT: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

    fn answer(body: &Value) -> Response {
        Response { status: 200, body: body.to_string().into_bytes() }
    }

    fn asked(chain: Chain, account: &str, response: Response) -> Vec<NodeFact> {
        let query = FactQuery::TokenAccount { address: account.to_owned() };
        assert_eq!(rpc::fact(chain, &query).len(), 1);
        rpc::read_fact(chain, &query, &[response])
    }

    fn on_solana(program: &str, kind: &str, owner: &str) -> Vec<NodeFact> {
        let info = json!({ "owner": owner, "mint": MINT, "state": "initialized" });
        let data = json!({ "program": "spl-token", "parsed": { "type": kind, "info": info }, "space": 165 });
        let value = json!({ "owner": program, "data": data, "lamports": 2_039_280 });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "result": { "context": {}, "value": value } });
        asked(Chain::Solana, ACCOUNT, answer(&body))
    }

    #[test]
    fn a_token_account_has_its_owner_and_mint() {
        let expected = fact(ACCOUNT, OWNER.to_owned(), MINT.to_owned());
        for program in TOKEN_PROGRAMS {
            assert_eq!(on_solana(program, "account", OWNER), std::slice::from_ref(&expected));
        }
        assert_eq!(on_solana(TOKEN_PROGRAMS[0], "mint", OWNER), [], "not an account");
        assert_eq!(on_solana(OWNER, "account", OWNER), [], "another program says so of itself");
        assert_eq!(on_solana(TOKEN_PROGRAMS[0], "account", "nobody"), []);
        for body in [json!({}), json!({ "result": { "value": null } }), json!({ "error": { "code": 1 } })] {
            assert_eq!(asked(Chain::Solana, ACCOUNT, answer(&body)), [], "{body}");
        }
    }

    #[test]
    fn a_jetton_wallet_has_its_owner_and_jetton() {
        let place = |byte: &str| format!("0:{}", byte.repeat(32));
        let friendly = |byte: u8| ton::encode(true, 0, &[byte; 32]);
        let body = |wallet: &str| {
            let entry =
                json!({ "address": wallet, "owner": place("AA"), "jetton": place("BB"), "balance": "5" });
            let info = json!([{ "type": "jetton_masters", "symbol": "USDT", "extra": { "decimals": "6" } }]);
            let metadata = json!({ place("bb"): { "is_indexed": true, "token_info": info } });
            json!({ "jetton_wallets": [entry], "metadata": metadata })
        };
        let wallet = friendly(0xcc);
        let facts = asked(Chain::Ton, &wallet, answer(&body(&place("CC"))));
        let token = NodeFact::Token {
            id: friendly(0xbb),
            ticker: Some("USDT".to_owned()),
            decimals: Some(6),
            collection: false,
        };
        assert_eq!(facts, [fact(&wallet, friendly(0xaa), friendly(0xbb)), token]);
        assert_eq!(asked(Chain::Ton, &wallet, answer(&body(&place("DD")))), [], "another wallet");
        assert_eq!(asked(Chain::Ton, &wallet, answer(&json!({ "jetton_wallets": [] }))), []);
    }

    #[test]
    fn other_chains_have_no_such_accounts() {
        let query = FactQuery::TokenAccount { address: ACCOUNT.to_owned() };
        assert_eq!(rpc::fact(Chain::Ethereum, &query), []);
        assert_eq!(rpc::fact(Chain::Ton, &query), [], "not an address of TON");
    }

    proptest! {
        #[test]
        fn any_answer_is_read_or_not(body in prop::collection::vec(any::<u8>(), 0..200), status in 200..600_u16) {
            let response = Response { status, body };
            prop_assert_eq!(read(Chain::Solana, ACCOUNT, std::slice::from_ref(&response)), []);
            prop_assert_eq!(read(Chain::Ton, &ton::encode(true, 0, &[7; 32]), &[response]), []);
        }
    }
}
