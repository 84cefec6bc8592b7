//! EVM: anvil, a real node, takes our signed bytes, does what we say they do, and takes nothing else. See `evm.mjs` for
//! what it does not check.

use chains::encoding::{from_hex, hex};
use chains::rpc::{self, Broadcast, Method, Request, Response, Status};
use chains::transaction::{NetworkFacts, Signed};
use chains::unsigned::{self, Context};
use chains::{Account, Chain, Kind, Transaction, keysign};
use countersign_peers::{Peer, account, key, sign};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{
    Coin, Erc20ApprovePayload, EthereumSpecific, KeysignPayload, OneInchQuote, OneInchSwapPayload,
    OneInchTransaction, ThorChainSwapPayload,
};

/// A node of one chain, and an account on it that has coins.
struct Node {
    peer: Peer,
    chain: Chain,
}

impl Node {
    fn start(chain: Chain) -> Self {
        let mut node = Self { peer: Peer::start("evm.mjs"), chain };
        node.ask(json!({ "command": "start" }));
        let own = node.own().address;
        node.rpc("anvil_setBalance", json!([own, "0xde0b6b3a7640000"]));
        node
    }

    fn id(&self) -> u64 {
        self.chain.evm_id().expect("an EVM chain")
    }

    fn own(&self) -> Account {
        account(self.chain, &key(self.chain, 1))
    }

    fn ask(&mut self, mut question: Value) -> Value {
        question["chain"] = json!(self.id());
        let answer = self.peer.ask(&question);
        assert_eq!(answer.get("error"), None, "{question}");
        answer
    }

    fn rpc(&mut self, method: &str, params: Value) -> Value {
        self.ask(json!({ "command": "rpc", "method": method, "params": params }))["result"].clone()
    }

    /// A request as the extension would send it.
    fn send(&mut self, request: &Request) -> Response {
        let Method::Post(body) = &request.method else { panic!("a POST") };
        let answer = self.ask(json!({ "command": "post", "body": body }));
        let status =
            answer["status"].as_u64().and_then(|status| u16::try_from(status).ok()).expect("a status");
        Response { status, body: answer["body"].as_str().expect("a body").as_bytes().to_vec() }
    }

    fn broadcast(&mut self, signed: &Signed) -> Broadcast {
        let response = self.send(&rpc::broadcast(self.chain, signed));
        rpc::read_broadcast(self.chain, &response)
    }

    fn status(&mut self, id: &str) -> Status {
        let answers: Vec<Response> =
            rpc::status(self.chain, id).iter().map(|request| self.send(request)).collect();
        rpc::read_status(self.chain, &answers)
    }

    /// Sends, and expects a block with it.
    fn confirm(&mut self, signed: &Signed) {
        assert_eq!(self.broadcast(signed), Broadcast::Accepted);
        self.mine();
        assert!(matches!(self.status(&signed.id), Status::Confirmed { block: Some(_) }), "{}", signed.id);
    }

    fn mine(&mut self) {
        self.rpc("evm_mine", json!([]));
    }

    fn number(&mut self, method: &str, params: Value) -> u128 {
        let text = self.rpc(method, params);
        let digits = text.as_str().and_then(|text| text.strip_prefix("0x")).expect("a number");
        u128::from_str_radix(digits, 16).expect("a number")
    }

    fn balance(&mut self, address: &str) -> u128 {
        self.number("eth_getBalance", json!([address, "latest"]))
    }

    fn nonce(&mut self) -> u128 {
        let own = self.own().address;
        self.number("eth_getTransactionCount", json!([own, "latest"]))
    }

    fn tokens(&mut self, token: &str, owner: &str) -> u128 {
        let data = format!("0x70a08231{}", word(owner));
        self.number("eth_call", json!([{ "to": token, "data": data }, "latest"]))
    }

    /// A token of which the account has 1000.
    fn token(&mut self) -> String {
        let deployed = self.ask(json!({ "command": "deploy", "name": "Token" }));
        let token = deployed["address"].as_str().expect("an address").to_owned();
        let data = format!("0xa9059cbb{}{:064x}", word(&self.own().address), 1_000);
        self.rpc("eth_sendTransaction", json!([{ "from": deployed["from"], "to": token, "data": data }]));
        self.mine();
        token
    }

    fn router(&mut self) -> String {
        let deployed = self.ask(json!({ "command": "deploy", "name": "Router", "value": "0xffff" }));
        deployed["address"].as_str().expect("an address").to_owned()
    }

    fn transactions(&self, payload: &KeysignPayload) -> Vec<Transaction> {
        keysign::transactions(payload, &self.own(), &NetworkFacts::default()).expect("a payload")
    }

    fn signed(&self, payload: &KeysignPayload) -> Vec<Signed> {
        self.transactions(payload).iter().map(|transaction| sign(transaction, &key(self.chain, 1))).collect()
    }

    fn coin(&self, contract: &str) -> Coin {
        Coin {
            chain: self.chain.to_string(),
            address: self.own().address,
            contract_address: contract.to_owned(),
            is_native_token: contract.is_empty(),
            ..Coin::default()
        }
    }

    /// 250 of a coin to the account of seed 2.
    fn payload(&self, contract: &str, nonce: i64) -> KeysignPayload {
        let specific = EthereumSpecific {
            max_fee_per_gas_wei: "3000000000".to_owned(),
            priority_fee: "1000000000".to_owned(),
            nonce,
            gas_limit: "300000".to_owned(),
        };
        KeysignPayload {
            coin: Some(self.coin(contract)),
            to_address: other(),
            to_amount: "250".to_owned(),
            blockchain_specific: Some(BlockchainSpecific::EthereumSpecific(specific)),
            ..KeysignPayload::default()
        }
    }
}

fn other() -> String {
    account(Chain::Ethereum, &key(Chain::Ethereum, 2)).address
}

/// An address as an argument of a call.
fn word(address: &str) -> String {
    format!("{:0>64}", address.trim_start_matches("0x").to_lowercase())
}

/// A list of RLP whose items are hex, written here so that the bytes do not come from the code that is tried.
fn rlp(items: &[&str]) -> String {
    let content: String = items.iter().map(|item| string(item)).collect();
    head(0xc0, content.len() / 2) + &content
}

fn string(item: &str) -> String {
    match item {
        list if list.starts_with('[') => list.trim_matches(['[', ']']).to_owned(),
        byte if byte.len() == 2 && byte < "80" => byte.to_owned(),
        bytes => head(0x80, bytes.len() / 2) + bytes,
    }
}

fn head(class: usize, length: usize) -> String {
    if length < 56 { format!("{:02x}", class + length) } else { format!("{:02x}{length:02x}", class + 56) }
}

#[test]
fn every_chain_takes_a_payment_of_its_own_coin() {
    for chain in Chain::ALL.iter().copied().filter(|chain| chain.kind() == Kind::Evm) {
        let mut node = Node::start(chain);
        let memo = Some("for lunch".to_owned());
        let signed = node.signed(&KeysignPayload { memo, ..node.payload("", 0) });
        node.confirm(&signed[0]);
        assert_eq!(node.balance(&other()), 250, "{chain}");
    }
}

/// Of a typed transaction; anvil does not look at the id of a legacy one.
#[test]
fn a_node_of_another_chain_refuses() {
    let mut node = Node::start(Chain::Ethereum);
    let elsewhere = Node { peer: Peer::start("evm.mjs"), chain: Chain::Polygon };
    let signed = elsewhere.signed(&elsewhere.payload("", 0)).remove(0);
    let answer = node.broadcast(&signed);
    assert!(matches!(answer, Broadcast::Rejected { .. }), "{answer:?}");
}

#[test]
fn the_three_envelopes() {
    let mut node = Node::start(Chain::Ethereum);
    let (to, fee, tip, gas) = (other(), "b2d05e00", "3b9aca00", "0186a0");
    let to = to.trim_start_matches("0x").to_lowercase();
    let access =
        format!("[{}]", rlp(&[&format!("[{}]", rlp(&[&to, &format!("[{}]", rlp(&[&"11".repeat(32)]))]))]));
    let raw = [
        rlp(&["", fee, gas, &to, "07", "", "01", "", ""]),
        "01".to_owned() + &rlp(&["01", "01", fee, gas, &to, "07", "", &access]),
        "02".to_owned() + &rlp(&["01", "02", tip, fee, gas, &to, "07", "", "[c0]"]),
    ];
    for (raw, kind) in raw.iter().zip(["0x0", "0x1", "0x2"]) {
        let transaction = unsigned::transaction(raw, &node.own(), &Context::default()).expect(raw);
        let signed = sign(&transaction, &key(Chain::Ethereum, 1));
        node.confirm(&signed);
        let found = node.rpc("eth_getTransactionByHash", json!([signed.id]));
        assert_eq!(found["type"], kind);
        assert_eq!(found["from"], node.own().address.to_lowercase());
    }
    assert_eq!(node.balance(&other()), 21);
}

#[test]
fn tokens_move() {
    let mut node = Node::start(Chain::Polygon);
    let token = node.token();
    let signed = node.signed(&node.payload(&token, 0));
    node.confirm(&signed[0]);
    let own = node.own().address;
    assert_eq!((node.tokens(&token, &own), node.tokens(&token, &other())), (750, 250));
}

#[test]
fn an_allowance_and_the_swap_that_takes_it() {
    let mut node = Node::start(Chain::Bsc);
    let (token, router) = (node.token(), node.router());
    let data = format!(
        "0x18cbafe5{:064x}{:064x}{:064x}{}{:064x}{:064x}{}{}",
        250,
        200,
        160,
        word(&other()),
        u32::MAX,
        2,
        word(&token),
        word(&token)
    );
    let tx = OneInchTransaction {
        from: node.own().address,
        to: router.clone(),
        data,
        gas: 400_000,
        ..OneInchTransaction::default()
    };
    let swap = OneInchSwapPayload {
        quote: Some(OneInchQuote { dst_amount: "250".to_owned(), tx: Some(tx) }),
        ..OneInchSwapPayload::default()
    };
    let payload = KeysignPayload {
        swap_payload: Some(SwapPayload::OneinchSwapPayload(swap)),
        erc20_approve_payload: Some(Erc20ApprovePayload {
            amount: "250".to_owned(),
            spender: router.clone(),
        }),
        ..node.payload(&token, 0)
    };
    let signed = node.signed(&payload);
    assert_eq!(signed.len(), 2);
    signed.iter().for_each(|signed| node.confirm(signed));
    assert_eq!((node.tokens(&token, &router), node.balance(&other())), (250, 250));
}

#[test]
fn a_deposit_for_thorchain() {
    let mut node = Node::start(Chain::Avalanche);
    let (token, router) = (node.token(), node.router());
    let memo = "=:BTC.BTC:bc1qaddress:0/1/0:vi:0";
    let swap = ThorChainSwapPayload {
        from_coin: Some(node.coin(&token)),
        vault_address: other(),
        router_address: Some(router.clone()),
        from_amount: "250".to_owned(),
        expiration_time: u64::from(u32::MAX),
        ..ThorChainSwapPayload::default()
    };
    let payload = KeysignPayload {
        memo: Some(memo.to_owned()),
        swap_payload: Some(SwapPayload::ThorchainSwapPayload(swap)),
        erc20_approve_payload: Some(Erc20ApprovePayload {
            amount: "250".to_owned(),
            spender: router.clone(),
        }),
        ..node.payload(&token, 0)
    };
    let signed = node.signed(&payload);
    signed.iter().for_each(|signed| node.confirm(signed));
    assert_eq!(node.tokens(&token, &other()), 250);
    let answer = node.rpc("eth_call", json!([{ "to": router, "data": "0x630c4ebc" }, "latest"]));
    let found = from_hex("memo", answer.as_str().unwrap_or_default()).expect("hex");
    assert!(hex(&found).contains(&hex(memo.as_bytes())), "{answer}");
}

/// With any bit flipped, the node does not take it, and nothing moves.
#[test]
fn a_flipped_bit_is_refused() {
    let mut node = Node::start(Chain::Ethereum);
    let signed = node.signed(&node.payload("", 0)).remove(0);
    for bit in 0..signed.bytes.len() * 8 {
        let mut bytes = signed.bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let answer = node.broadcast(&Signed { bytes, ..signed.clone() });
        assert!(matches!(answer, Broadcast::Rejected { .. }), "bit {bit}: {answer:?}");
    }
    assert_eq!((node.nonce(), node.balance(&other())), (0, 0));
    node.confirm(&signed);
}

/// The node's own words for everything that can become of a transaction.
#[test]
fn where_a_transaction_is() {
    let mut node = Node::start(Chain::Ethereum);
    let signed = node.signed(&node.payload("", 0)).remove(0);
    assert_eq!(node.status(&signed.id), Status::NotFound);
    assert_eq!(node.broadcast(&signed), Broadcast::Accepted);
    assert_eq!(node.broadcast(&signed), Broadcast::AlreadyKnown);
    assert_eq!(node.status(&signed.id), Status::Pending);
    node.rpc("anvil_dropTransaction", json!([signed.id]));
    assert_eq!(node.status(&signed.id), Status::NotFound);
    assert_eq!(node.broadcast(&signed), Broadcast::Accepted);
    node.mine();
    assert_eq!(node.status(&signed.id), Status::Confirmed { block: Some(1) });
    assert!(matches!(node.broadcast(&signed), Broadcast::Ambiguous { .. }), "mined: it may be ours");
    let own = node.own().address;
    node.rpc("anvil_setBalance", json!([own, "0x1"]));
    let poor = node.signed(&node.payload("", 1)).remove(0);
    assert!(matches!(node.broadcast(&poor), Broadcast::Rejected { .. }));
}

#[test]
fn a_transaction_that_reverts_has_failed() {
    let mut node = Node::start(Chain::Base);
    let token = node.token();
    let signed =
        node.signed(&KeysignPayload { to_amount: "1001".to_owned(), ..node.payload(&token, 0) }).remove(0);
    assert_eq!(node.broadcast(&signed), Broadcast::Accepted);
    node.mine();
    assert_eq!(node.status(&signed.id), Status::Failed { reason: "reverted".to_owned() });
}
