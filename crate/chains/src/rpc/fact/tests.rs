use super::*;
use crate::encoding::{base64, hex};
use crate::hash::sha256d;
use crate::rpc::check::tests::{error, garbage, json_answer, result, useless};
use proptest::prelude::*;
use serde_json::{Value, json};

const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const MINT: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const TOKEN_2022: &str = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";

fn token_query(id: &str) -> FactQuery {
    FactQuery::Token { id: id.to_owned() }
}

fn previous_query(id: &str) -> FactQuery {
    FactQuery::PreviousTransaction { id: id.to_owned(), json_rpc: false }
}

fn token(id: &str, ticker: Option<&str>, decimals: Option<u8>, collection: bool) -> Vec<NodeFact> {
    vec![NodeFact::Token { id: id.to_owned(), ticker: ticker.map(str::to_owned), decimals, collection }]
}

fn paths(chain: Chain, query: &FactQuery) -> Vec<String> {
    fact(chain, query).into_iter().map(|request| request.path).collect()
}

/// A word of the ABI with a number, and one with a text at its beginning.
fn word(number: u8) -> String {
    format!("{number:064x}")
}

fn left(text: &str) -> String {
    format!("{:0<64}", hex(text.as_bytes()))
}

fn returned(words: &[String]) -> Response {
    result(&json!(format!("0x{}", words.concat())))
}

#[test]
fn evm_tokens_say_what_they_are() {
    let requests = fact(Chain::Base, &token_query(USDC));
    let bodies: Vec<Value> = requests
        .iter()
        .map(|request| match &request.method {
            Method::Post(body) => serde_json::from_str(body).unwrap(),
            Method::Get => panic!("a call is posted"),
        })
        .collect();
    assert_eq!(bodies.len(), 4);
    assert!(bodies.iter().all(|body| body["method"] == "eth_call" && body["params"][0]["to"] == USDC));
    assert_eq!(bodies[0]["params"], json!([{ "to": USDC, "data": "0x313ce567" }, "latest"]));
    let reverted = || error(3, "execution reverted");
    let read = |responses: &[Response]| read_fact(Chain::Base, &token_query(USDC), responses);
    let text = [word(32), word(4), left("USDC")];
    let fungible = [returned(&[word(6)]), returned(&text), reverted(), reverted()];
    assert_eq!(read(&fungible), token(USDC, Some("USDC"), Some(6), false));
    let oldest = [returned(&[word(18)]), returned(&[left("MKR")]), reverted(), returned(&[word(0)])];
    assert_eq!(read(&oldest), token(USDC, Some("MKR"), Some(18), false));
    let items = [reverted(), returned(&text), returned(&[word(1)]), returned(&[word(0)])];
    assert_eq!(read(&items), token(USDC, Some("USDC"), None, true));
    let many = [reverted(), reverted(), returned(&[word(0)]), returned(&[word(1)])];
    assert_eq!(read(&many), token(USDC, None, None, true));
}

#[test]
fn evm_answers_that_are_not_exact_say_nothing() {
    let nothing = || result(&json!("0x"));
    for decimals in ["0x06", "06", "0x", &format!("0x01{}", word(6)), &format!("0x{:064x}", 256)] {
        let responses = [result(&json!(decimals)), nothing(), nothing(), nothing()];
        assert_eq!(read_fact(Chain::Ethereum, &token_query(USDC), &responses), [], "{decimals}");
    }
    let long = [word(32), word(200), left("USDC")];
    let elsewhere = [word(64), word(4), left("USDC")];
    let turned = [word(32), word(7), left("\u{202e}CDSU")];
    let torn = [format!("{}00{}", hex(b"US"), "41".repeat(29))];
    for symbol in [&long[..], &elsewhere, &turned, &torn, &[word(32), word(0), word(0)]] {
        let responses = [nothing(), returned(symbol), nothing(), nothing()];
        assert_eq!(read_fact(Chain::Ethereum, &token_query(USDC), &responses), [], "{symbol:?}");
    }
}

/// A mint of six decimals.
fn mint() -> Vec<u8> {
    let mut bytes = vec![0; 82];
    (bytes[44], bytes[45]) = (6, 1);
    bytes
}

/// A description of a mint by its tickers.
fn described(mint: &str, ticker: &str) -> Vec<u8> {
    let text = |text: &str| [&u32::try_from(text.len()).unwrap().to_le_bytes(), text.as_bytes()].concat();
    let mint = bs58::decode(mint).into_vec().unwrap();
    [vec![7; 32], mint, text("Name of it"), text(ticker), text("https://")].concat()
}

#[test]
fn solana_mints_say_their_decimals() {
    assert_eq!(fact(Chain::Solana, &token_query(MINT)).len(), 2);
    let none = || result(&json!({ "context": {}, "value": null }));
    let read = |responses: &[Response]| read_fact(Chain::Solana, &token_query(MINT), responses);
    let owner = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
    assert_eq!(read(&[solana::answer(owner, &mint()), none()]), token(MINT, None, Some(6), false));
    let metaplex = [&[4], described(MINT, "USDC\0\0\0\0\0\0").as_slice()].concat();
    let program = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s";
    let both = [solana::answer(owner, &mint()), solana::answer(program, &metaplex)];
    assert_eq!(read(&both), token(MINT, Some("USDC"), Some(6), false));
    let other = [&[4], described(TOKEN_2022, "USDC").as_slice()].concat();
    for (owner_of_it, bytes) in [(owner, &metaplex), (program, &other)] {
        let responses = [solana::answer(owner, &mint()), solana::answer(owner_of_it, bytes)];
        assert_eq!(read(&responses), token(MINT, None, Some(6), false), "not Metaplex's word on this mint");
    }
    let value = described(MINT, "PYUSD");
    let length = u16::try_from(value.len()).unwrap().to_le_bytes();
    let metadata = [&19_u16.to_le_bytes()[..], &length, &value].concat();
    let before = [&3_u16.to_le_bytes()[..], &2_u16.to_le_bytes(), &[9, 9]].concat();
    let extended = [mint(), vec![0; 83], vec![1], before, metadata].concat();
    let responses = [solana::answer(TOKEN_2022, &extended), none()];
    assert_eq!(read(&responses), token(MINT, Some("PYUSD"), Some(6), false));
    for (owner, bytes) in [
        ("11111111111111111111111111111111", mint()),
        (owner, extended),
        (TOKEN_2022, [mint(), vec![0; 83], vec![2]].concat()),
        (owner, vec![0; 82]),
        (owner, vec![1; 165]),
    ] {
        assert_eq!(read(&[solana::answer(owner, &bytes), none()]), [], "{} bytes of {owner}", bytes.len());
    }
}

#[test]
fn metaplex_account_of_a_mint() {
    // That of USDC, as explorers show it.
    let expected = "5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq";
    let requests = fact(Chain::Solana, &token_query(MINT));
    let Method::Post(body) = &requests[1].method else { panic!("a call is posted") };
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["params"][0], expected);
}

#[test]
fn cosmos_denominations_and_contracts() {
    let read = |chain, id: &str, body: &Value| {
        let responses: Vec<Response> =
            fact(chain, &token_query(id)).iter().map(|_| json_answer(body)).collect();
        read_fact(chain, &token_query(id), &responses)
    };
    assert_eq!(paths(Chain::Cosmos, &token_query("uatom")), ["/cosmos/bank/v1beta1/denoms_metadata/uatom"]);
    assert_eq!(
        paths(Chain::Osmosis, &token_query("factory/osmo1a/x")),
        [
            "/cosmos/bank/v1beta1/denoms_metadata/factory/osmo1a/x",
            "/cosmos/bank/v1beta1/denoms_metadata_by_query_string?denom=factory%2Fosmo1a%2Fx",
        ]
    );
    let metadata = json!({ "metadata": {
        "base": "uatom", "display": "atom", "symbol": "ATOM",
        "denom_units": [{ "denom": "uatom", "exponent": 0 }, { "denom": "atom", "exponent": 6 }],
    } });
    assert_eq!(read(Chain::Cosmos, "uatom", &metadata), token("uatom", Some("ATOM"), Some(6), false));
    assert_eq!(read(Chain::Cosmos, "ibc/27", &metadata), [], "of another denomination");
    for id in ["", "a b", "u?x=1", "../../x\n", "u#", &"u".repeat(129)] {
        assert!(fact(Chain::Cosmos, &token_query(id)).is_empty(), "{id:?}");
    }
    let contract = "terra1nsuqsk6kh58ulczatwev87ttq2z6r3pusulg9r24mfj2fvtzd4uq3exn26";
    let path = format!("/cosmwasm/wasm/v1/contract/{contract}/smart/eyJ0b2tlbl9pbmZvIjp7fX0=");
    assert_eq!(paths(Chain::Terra, &token_query(contract)), [path]);
    let info = json!({ "data": { "name": "Astro", "symbol": "ASTRO", "decimals": 6, "total_supply": "1" } });
    assert_eq!(read(Chain::Terra, contract, &info), token(contract, Some("ASTRO"), Some(6), false));
    let info = json!({ "data": { "symbol": "ASTRO", "decimals": 300 } });
    assert_eq!(read(Chain::Terra, contract, &info), []);
}

#[test]
fn tron_tokens_of_both_kinds() {
    let usdt = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
    let call = "/wallet/triggerconstantcontract";
    assert_eq!(paths(Chain::Tron, &token_query(usdt)), [call, call]);
    let gave = |words: &[String]| {
        json_answer(&json!({ "result": { "result": true }, "constant_result": [words.concat()] }))
    };
    let symbol = [word(32), word(4), left("USDT")];
    let read = |id: &str, responses: &[Response]| read_fact(Chain::Tron, &token_query(id), responses);
    assert_eq!(read(usdt, &[gave(&[word(6)]), gave(&symbol)]), token(usdt, Some("USDT"), Some(6), false));
    let failed = json!({ "result": { "result": false }, "constant_result": [word(6)] });
    assert_eq!(read(usdt, &[json_answer(&failed), json_answer(&failed)]), []);
    assert_eq!(paths(Chain::Tron, &token_query("1002000")), ["/wallet/getassetissuebyid"]);
    let record = json_answer(&json!({ "id": "1002000", "abbr": "BTT", "precision": 6 }));
    assert_eq!(read("1002000", std::slice::from_ref(&record)), token("1002000", Some("BTT"), Some(6), false));
    assert_eq!(read("1002001", &[record]), [], "of another number");
}

#[test]
fn jettons_by_wallet_and_by_contract() {
    let (wallet, master) = (format!("0:{}", "ab".repeat(32)), format!("0:{}", "CD".repeat(32)));
    assert_eq!(
        paths(Chain::Ton, &token_query(&wallet)),
        [
            format!("/v3/jetton/wallets?address={wallet}&limit=1"),
            format!("/v3/jetton/masters?address={wallet}&limit=1"),
        ]
    );
    let info = json!({ "type": "jetton_masters", "symbol": "USDT", "extra": { "decimals": "6" } });
    let metadata = json!({ &master: { "is_indexed": true, "token_info": [{ "type": "x" }, info] } });
    let entry = json!({ "address": wallet.to_uppercase(), "jetton": master });
    let wallets = json_answer(&json!({ "jetton_wallets": [entry], "metadata": metadata }));
    let none = json_answer(&json!({ "jetton_masters": [], "metadata": {} }));
    let read = |id: &str, responses: [&Response; 2]| {
        read_fact(Chain::Ton, &token_query(id), &responses.map(Response::clone))
    };
    assert_eq!(read(&wallet, [&wallets, &none]), token(&wallet, Some("USDT"), Some(6), false));
    assert_eq!(read(&master, [&wallets, &none]), [], "of another wallet");
    let content = json!({ "address": master, "jetton_content": { "symbol": "NOT", "decimals": "9" } });
    let masters = json_answer(&json!({ "jetton_masters": [content], "metadata": {} }));
    assert_eq!(read(&master, [&none, &masters]), token(&master, Some("NOT"), Some(9), false));
}

#[test]
fn sui_coins_and_their_types() {
    let kind = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC";
    let answer = json_answer(&json!({ "data": { "coinMetadata": { "decimals": 6, "symbol": "USDC" } } }));
    let read =
        |query: &FactQuery, answer: &Response| read_fact(Chain::Sui, query, std::slice::from_ref(answer));
    assert_eq!(read(&token_query(kind), &answer), token(kind, Some("USDC"), Some(6), false));
    assert!(fact(Chain::Sui, &token_query("coin object 0x1")).is_empty());
    let id = format!("0x{}", "07".repeat(32));
    let query = FactQuery::CoinObject { id: id.clone() };
    assert_eq!(paths(Chain::Sui, &query), ["/graphql"]);
    let coin = |object_type: &str, holder: u8, balance: u64| {
        let bytes = base64(&[&[holder; 32][..], &balance.to_le_bytes()].concat());
        let contents = json!({ "type": { "repr": object_type }, "bcs": bytes });
        json_answer(&json!({ "data": { "object": { "asMoveObject": { "contents": contents } } } }))
    };
    let framework = format!("0x{:064x}", 2);
    let found = read(&query, &coin(&format!("{framework}::coin::Coin<{framework}::sui::SUI>"), 7, 90));
    let expected =
        NodeFact::CoinObject { id, coin_type: "0x2::sui::SUI".to_owned(), balance: "90".to_owned() };
    assert_eq!(found, [expected]);
    assert_eq!(read(&query, &coin("0x2::coin::Coin<0x2::sui::SUI>", 8, 90)), [], "another object");
    for other in
        ["0x3::coin::Coin<0x2::sui::SUI>", "0x2::coin::Coin", "0x2::coin::TreasuryCap<0x2::sui::SUI>", ""]
    {
        assert_eq!(read(&query, &coin(other, 7, 90)), [], "{other}");
    }
}

/// A transaction with one input, and its id.
fn transaction() -> (Vec<u8>, String) {
    let input = [vec![1], vec![3; 36], vec![0], vec![0xff; 4]].concat();
    let output = [&[1][..], &5_u64.to_le_bytes(), &[1, 0x51]].concat();
    let bytes = [vec![1, 0, 0, 0], input, output, vec![0; 4]].concat();
    let mut id = sha256d(&bytes);
    id.reverse();
    (bytes, hex(&id))
}

#[test]
fn earlier_transactions_prove_themselves() {
    let (bytes, id) = transaction();
    let chain = Chain::Dogecoin;
    assert_eq!(paths(chain, &previous_query(&id)), [format!("/raw/transaction/{id}")]);
    let by_node = FactQuery::PreviousTransaction { id: id.clone(), json_rpc: true };
    let Method::Post(body) = &fact(chain, &by_node)[0].method else { panic!("a call is posted") };
    assert!(body.contains("getrawtransaction") && body.contains(&id));
    let expected = vec![NodeFact::PreviousTransaction { id: id.clone(), bytes: hex(&bytes) }];
    let indexed = |raw: &[u8]| {
        let data = json!({ &id: { "raw_transaction": hex(raw), "decoded_raw_transaction": {} } });
        json_answer(&json!({ "data": data, "context": { "code": 200 } }))
    };
    assert_eq!(read_fact(chain, &previous_query(&id), &[indexed(&bytes)]), expected);
    assert_eq!(read_fact(chain, &by_node, &[result(&json!(hex(&bytes)))]), expected);
    // With witnesses, which the id does not cover.
    let body = &bytes[4..bytes.len() - 4];
    let witnessed = [&bytes[..4], &[0, 1], body, &[1, 1, 7], &bytes[bytes.len() - 4..]].concat();
    assert_eq!(read_fact(Chain::Bitcoin, &previous_query(&id), &[indexed(&witnessed)]), expected);
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        assert_eq!(read_fact(chain, &previous_query(&id), &[indexed(&changed)]), [], "byte {place}");
    }
    for id in ["", "../../x", "ab", &"zz".repeat(32)] {
        assert!(fact(chain, &previous_query(id)).is_empty(), "{id}");
    }
}

#[test]
fn deposits_of_the_swap_networks() {
    let query = FactQuery::DepositAddresses;
    assert_eq!(paths(Chain::ThorChain, &query), ["/thorchain/inbound_addresses"]);
    assert_eq!(paths(Chain::MayaChain, &query), ["/mayachain/inbound_addresses"]);
    assert!(fact(Chain::Cosmos, &query).is_empty());
    let row = |chain: &str, address: &str| json!({ "chain": chain, "pub_key": "x", "address": address, "halted": false, "gas_rate": "1" });
    let ethereum = "0xdac17f958d2ee523a2206206994597c13d831ec7";
    let mut with_router = row("ETH", ethereum);
    with_router["router"] = json!(USDC.to_lowercase());
    let mut halted = row("BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4");
    halted["halted"] = json!(true);
    let mut paused = row("LTC", "ltc1q9w8v76teggv76qc8l9sdhfg05dqqsxadlpy8zy");
    paused["chain_trading_paused"] = json!(true);
    let cash = "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a";
    let rows = json!([
        with_router, halted, paused, row("BCH", cash), row("NEW", ethereum), row("BSC", "0x12"), row("BTC", ""),
        row("DOGE", "DSxRrchVLpu6r9rvSRTy9LR9si7NuLrGdm"), { "chain": "ETH" }, null, 7,
    ]);
    let found = read_fact(Chain::ThorChain, &query, &[json_answer(&rows)]);
    let fact = |chain: Chain, address: &str, router: Option<&str>| NodeFact::DepositAddress {
        network: "THORChain".to_owned(),
        chain: chain.name().to_owned(),
        address: crate::address::normalise(chain, address).unwrap(),
        router: router.map(str::to_owned),
    };
    assert_eq!(
        found,
        [
            fact(Chain::Ethereum, ethereum, Some(USDC)),
            fact(Chain::BitcoinCash, cash, None),
            fact(Chain::Dogecoin, "DSxRrchVLpu6r9rvSRTy9LR9si7NuLrGdm", None),
        ]
    );
}

fn queries() -> Vec<(Chain, FactQuery)> {
    let ids = [
        USDC.to_owned(),
        MINT.to_owned(),
        "uatom".to_owned(),
        "ibc/27".to_owned(),
        "terra1nsuqsk6kh58ulczatwev87ttq2z6r3pusulg9r24mfj2fvtzd4uq3exn26".to_owned(),
        "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t".to_owned(),
        "1002000".to_owned(),
        format!("0:{}", "ab".repeat(32)),
        "0x2::sui::SUI".to_owned(),
        "ab".repeat(32),
    ];
    let of = |id: &String| {
        let coin = FactQuery::CoinObject { id: format!("0x{}", "07".repeat(32)) };
        [token_query(id), previous_query(id), coin, FactQuery::DepositAddresses]
    };
    let queries: Vec<FactQuery> = ids.iter().flat_map(of).collect();
    let on = |chain: &Chain| {
        let chain = *chain;
        queries.clone().into_iter().map(move |query| (chain, query)).collect::<Vec<_>>()
    };
    Chain::ALL.iter().flat_map(on).collect()
}

/// Nodes that are not well say nothing, on any chain.
#[test]
fn useless_answers_say_nothing() {
    for (chain, query) in queries() {
        for answer in useless() {
            let answers = vec![answer; fact(chain, &query).len().max(1)];
            assert_eq!(read_fact(chain, &query, &answers), [], "{chain} {query:?}");
        }
    }
}

/// JSON of the shapes that honest answers have, with values of any kind in it.
fn almost() -> impl Strategy<Value = Vec<Response>> {
    let text = prop_oneof![
        "(0x)?[0-9a-f]{0,200}",
        "[A-Za-z0-9+/]{0,120}={0,2}",
        "0x2::coin::Coin<[0-9a-zA-Z:<>,]{0,40}>",
        ".{0,40}",
    ];
    let leaf = prop_oneof![
        any::<Option<bool>>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        text.prop_map(|value| json!(value)),
    ];
    let names = [
        "result",
        "value",
        "data",
        "owner",
        "metadata",
        "base",
        "display",
        "symbol",
        "decimals",
        "exponent",
        "denom_units",
        "denom",
        "constant_result",
        "jetton_wallets",
        "jetton_masters",
        "jetton_content",
        "address",
        "jetton",
        "token_info",
        "extra",
        "coinMetadata",
        "object",
        "asMoveObject",
        "contents",
        "type",
        "repr",
        "bcs",
        "raw_transaction",
        "chain",
        "router",
        "id",
        "abbr",
        "precision",
    ];
    let name = prop::sample::select(names.to_vec()).prop_map(str::to_owned);
    let value = leaf.prop_recursive(6, 60, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(name.clone(), inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    });
    let response = value.prop_map(|value| json_answer(&value));
    prop::collection::vec(response, 0..5)
}

proptest! {
    #[test]
    fn garbage_says_nothing(answers in garbage()) {
        for (chain, query) in queries() {
            prop_assert_eq!(read_fact(chain, &query, &answers), []);
        }
    }

    /// Whatever a node answers, a fact is about what was asked, small, and readable.
    #[test]
    fn facts_are_about_what_was_asked(answers in almost()) {
        for (chain, query) in queries() {
            for found in read_fact(chain, &query, &answers) {
                match (&query, found) {
                    (FactQuery::Token { id: asked }, NodeFact::Token { id, ticker, .. }) => {
                        prop_assert_eq!(asked, &id);
                        prop_assert!(ticker.is_none_or(|ticker| ticker.len() <= LONGEST_TICKER));
                    }
                    (FactQuery::CoinObject { id: asked }, NodeFact::CoinObject { id, .. }) => {
                        prop_assert_eq!(asked, &id);
                    }
                    (FactQuery::DepositAddresses, NodeFact::DepositAddress { chain: on, address, .. }) => {
                        let on = Chain::parse(&on).unwrap();
                        prop_assert_eq!(crate::address::normalise(on, &address), Ok(address.clone()));
                    }
                    (query, found) => prop_assert!(false, "{:?}: {:?}", query, found),
                }
            }
        }
    }

    /// Nothing in the name of a thing becomes part of a request's path but what the chain allows in names.
    #[test]
    fn names_do_not_change_the_path(id in ".{0,80}") {
        for chain in Chain::ALL {
            for query in [token_query(&id), previous_query(&id), FactQuery::CoinObject { id: id.clone() }] {
                for request in fact(*chain, &query) {
                    let plain = |c: char| c.is_ascii_alphanumeric() || "/_-.:?=&%".contains(c);
                    prop_assert!(request.path.chars().all(plain) && !request.path.contains(".."), "{}", request.path);
                }
            }
        }
    }
}
