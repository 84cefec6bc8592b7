//! Cells and bags of cells, and what letters are said to do.

use super::cell::{AccountId, Builder, Cell};
use super::message::{self, ITEM_TRANSFER, JETTON_TRANSFER, Message, Order};
use super::{Letter, boc, wallet};
use crate::explain::{Asset, Effect, Fee, Function, Party, PartyRole};
use crate::facts::{Facts, Wanted};
use crate::signing::PublicKey;
use crate::transaction::{Account, Unsigned as _};
use crate::{Amount, Chain, TransactionError};
use proptest::prelude::*;
use wire::node::{FactQuery, NodeFact};

const KEY: [u8; 32] = [7; 32];
const OTHER: AccountId = AccountId { workchain: 0, hash: [0xbb; 32] };
const CONTRACT: AccountId = AccountId { workchain: -1, hash: [0xcc; 32] };

fn account() -> Account {
    Account { chain: Chain::Ton, key: PublicKey::Ed25519(KEY), address: crate::address::ton::of_key(&KEY) }
}

fn leaf(bytes: &[u8]) -> Cell {
    Builder::new().bytes(bytes).fixed()
}

/// A chain of cells, `depth` references long.
fn chain(depth: usize) -> Cell {
    (0..depth).fold(leaf(b"end"), |below, _| Builder::new().reference(&below).fixed())
}

fn reason(bytes: &[u8]) -> &'static str {
    match boc::decode("boc", bytes) {
        Err(TransactionError::Malformed { field: "boc", reason }) => reason,
        other => panic!("{other:?}"),
    }
}

/// A bag without a checksum, from the number of the root on.
fn bag(cells: u8, root: u8, body: &[u8]) -> Vec<u8> {
    let length = u8::try_from(body.len()).unwrap();
    [&[0xb5, 0xee, 0x9c, 0x72, 0x01, 0x01, cells, 1, 0, length, root], body].concat()
}

/// The empty cell's hash is in every implementation.
#[test]
fn the_empty_cell_has_its_hash() {
    let hash = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7";
    assert_eq!(crate::encoding::hex(&Builder::new().fixed().hash()), hash);
}

#[test]
fn a_bag_is_refused_for_what_is_wrong_with_it() {
    assert_eq!(reason(b"no bag at all"), "is not a bag of cells");
    assert_eq!(reason(&[0xb5, 0xee, 0x9c, 0x72]), "ends too early");
    assert_eq!(reason(&[0xb5, 0xee, 0x9c, 0x72, 0x21]), "has flags that are not known");
    assert_eq!(reason(&[0xb5, 0xee, 0x9c, 0x72, 0x01, 9]), "has offsets of an unknown size");
    assert_eq!(
        reason(&[0xb5, 0xee, 0x9c, 0x72, 0x01, 1, 1, 2, 0, 0, 0]),
        "must have one root and no absent cells"
    );
    assert_eq!(reason(&bag(1, 0, &[0, 0, 0])), "has bytes after its end");
    assert_eq!(reason(&bag(2, 0, &[0, 0])), "does not have the length it states");
    assert_eq!(reason(&bag(1, 1, &[0, 0])), "does not have the length it states");
    assert_eq!(reason(&bag(1, 0, &[0x20, 0])), "has a cell of an unknown kind");
    assert_eq!(reason(&bag(1, 0, &[5, 0])), "has a cell of an unknown kind");
    assert_eq!(reason(&bag(1, 0, &[8, 0])), "has a cell that is neither ordinary nor a library");
    assert_eq!(reason(&bag(1, 0, &[0, 1, 0])), "has a cell that does not end");
    assert_eq!(reason(&bag(1, 0, &[1, 0, 0])), "has a reference that does not lead down");
    assert_eq!(reason(&bag(2, 0, &[1, 0, 0, 0, 0])), "has a reference that does not lead down");
    assert_eq!(reason(&bag(2, 0, &[0, 0, 0, 0])), "has cells that belong to nothing");
    assert_eq!(reason(&bag(2, 1, &[1, 0, 1, 0, 0])), "has cells that belong to nothing");
}

#[test]
fn a_checksum_and_an_index_must_be_right() {
    let mut bytes = boc::encode(&chain(2));
    *bytes.last_mut().unwrap() ^= 1;
    assert_eq!(reason(&bytes), "does not have the checksum it states");
    let with_index = |end: u8| [0xb5, 0xee, 0x9c, 0x72, 0x81, 0x01, 2, 1, 0, 5, 0, 3, end, 1, 0, 1, 0, 0];
    assert_eq!(boc::decode("boc", &with_index(5)).unwrap().hash(), {
        Builder::new().reference(&Builder::new().fixed()).fixed().hash()
    });
    assert_eq!(reason(&with_index(4)), "has an index that is wrong");
}

/// However deep cells are nested, nothing recurses; the network's own limit is where reading ends.
#[test]
fn depth_and_number_of_cells_are_bounded() {
    let deepest = boc::decode("boc", &boc::encode(&chain(512))).unwrap();
    assert_eq!(deepest.depth(), 512);
    assert_eq!(reason(&boc::encode(&chain(513))), "is too deep");
    assert_eq!(reason(&boc::encode(&chain(9000))), "has too many cells");
}

/// A tree in which every cell refers twice to the next has 2^n paths, and is written with n cells.
#[test]
fn what_is_shared_is_written_once() {
    let shared =
        (0..100).fold(leaf(b"x"), |below, _| Builder::new().reference(&below).reference(&below).fixed());
    let bytes = boc::encode(&shared);
    assert!(bytes.len() < 600);
    assert_eq!(boc::decode("boc", &bytes).unwrap().hash(), shared.hash());
    assert_eq!(shared.total_bytes(), 1);
}

#[test]
fn a_cell_holds_no_more_than_a_cell_can() {
    assert!(Builder::new().bytes(&[0; 127]).uint(0, 7).build("x").is_ok());
    assert!(Builder::new().bytes(&[0; 128]).build("x").is_err());
    assert!(Builder::new().coins((1 << 120) - 1).build("x").is_ok());
    assert!(Builder::new().coins(1 << 120).build("x").is_err());
    let five = (0..5).fold(Builder::new(), |builder, _| builder.reference(&leaf(b"")));
    assert!(five.build("x").is_err());
}

fn letter(messages: Vec<Message>) -> Letter {
    let body = Order { valid_until: 1_900_000_000, sequence: 5, messages }.encode();
    Letter { body, wallet: wallet::account(&KEY), state_init: None }
}

fn message(body: Cell) -> Message {
    Message { mode: 3, to: CONTRACT, bounce: true, value: 50, state_init: None, body }
}

fn effects(messages: Vec<Message>) -> Vec<Effect> {
    letter(messages).explain(&account(), Facts::default()).effects
}

#[test]
fn a_comment_is_read_on_in_the_next_cells() {
    let end = leaf("…end".as_bytes());
    let start = Builder::new().uint(0, 32).bytes(b"a long text ").reference(&end).fixed();
    let explanation = letter(vec![message(start), message(message::comment("second").fixed())])
        .explain(&account(), Facts::default());
    assert_eq!(explanation.memo.as_deref(), Some("a long text …end\nsecond"));
    assert_eq!((explanation.nonce, explanation.fee), (Some(5), Fee::SetByChain));
    let transfer =
        Effect::Transfer { asset: Asset::Native, to: CONTRACT.text(true), amount: Amount::from(50) };
    assert_eq!(explanation.effects[..2], [transfer.clone(), transfer]);
}

#[test]
fn an_item_transfer_names_item_and_owner() {
    let body = Builder::new()
        .uint(u128::from(ITEM_TRANSFER), 32)
        .uint(9, 64)
        .address(&OTHER)
        .uint(0, 2)
        .bit(false)
        .coins(1)
        .bit(false)
        .fixed();
    let asset = Asset::Item { collection: CONTRACT.text(true), id: Amount::ZERO };
    let told = effects(vec![message(body)]);
    assert_eq!(told[0], Effect::Transfer { asset, to: OTHER.text(false), amount: Amount::from(1) });
    let Effect::Note { name, fields } = &told[1] else { panic!("{told:?}") };
    assert_eq!(name, "item transfer");
    assert!(fields.contains(&("attached".to_owned(), "50".to_owned())));
}

/// A jetton transfer of 7 to [`OTHER`] with `value` coins attached.
fn jetton(value: u128, response: Option<&AccountId>, custom: Option<&Cell>, payload: &Cell) -> Message {
    let body = Builder::new().uint(u128::from(JETTON_TRANSFER), 32).uint(9, 64).coins(7).address(&OTHER);
    let body = match response {
        Some(response) => body.address(response),
        None => body.uint(0, 2),
    };
    let body = body.maybe_reference(custom).coins(1).bit(true).reference(payload).fixed();
    Message { value, ..message(body) }
}

fn weighed(effects: &[Effect]) -> bool {
    !effects.iter().any(|effect| {
        matches!(
            effect,
            Effect::Other { .. } | Effect::Unknown { .. } | Effect::Call { .. } | Effect::Create { .. }
        )
    })
}

/// The contract that is told of a jetton may be anybody's: coins beyond the cost of the way are a payment to it.
#[test]
fn coins_that_go_with_a_jetton_beyond_its_cost_are_a_payment() {
    let text = message::comment("rent").fixed();
    let usual = effects(vec![jetton(100_000_000, Some(&OTHER), None, &text)]);
    assert!(weighed(&usual));
    assert!(!usual.iter().any(|effect| matches!(effect, Effect::Transfer { asset: Asset::Native, .. })));
    let drain = effects(vec![jetton(100_000_001, Some(&OTHER), None, &text)]);
    let (to, amount) = (CONTRACT.text(true), Amount::from(100_000_001));
    assert!(drain.contains(&Effect::Transfer { asset: Asset::Native, to, amount }));
}

/// The bytes name the jetton's wallet. Which jetton that is a node says, of a wallet that is the signer's.
#[test]
fn a_node_says_which_jetton_is_sent() {
    let letter = letter(vec![jetton(1, None, None, &message::comment("rent").fixed())]);
    let wallet = CONTRACT.text(true);
    let query = FactQuery::TokenAccount { address: wallet.clone() };
    assert_eq!(letter.wanted(&account()), [Wanted { chain: Chain::Ton, query }]);
    let jetton = AccountId { workchain: 0, hash: [0xdd; 32] };
    let sent = |owner: &AccountId| {
        let (address, owner, token) = (wallet.clone(), owner.text(true), jetton.text(true));
        let facts = [NodeFact::TokenAccount { address, owner, token }];
        letter.explain(&account(), Facts(&facts)).effects.remove(0)
    };
    let transfer = |id: String| {
        let asset = Asset::Token { id };
        Effect::Transfer { asset, to: OTHER.text(false), amount: Amount::from(7) }
    };
    assert_eq!(sent(&wallet::account(&KEY)), transfer(jetton.text(true)));
    assert_eq!(sent(&OTHER), transfer(wallet.clone()), "another account's wallet proves nothing");
    assert_eq!(letter.explain(&account(), Facts::default()).effects[0], transfer(wallet.clone()));
}

#[test]
fn the_response_address_is_a_refund_party() {
    let text = message::comment("=:BTC.BTC:bc1thief/0xrefund:0:t:50").fixed();
    let told = letter(vec![jetton(1, Some(&CONTRACT), None, &text)]).explain(&account(), Facts::default());
    let party = |address: &str, role| Party::new(address, role);
    let expected = [
        party(&OTHER.text(false), PartyRole::Recipient),
        party(&CONTRACT.text(false), PartyRole::Refund),
        party("bc1thief", PartyRole::Destination),
        party("0xrefund", PartyRole::Refund),
        party("t", PartyRole::FeePayee),
    ];
    assert_eq!(told.every_party(), expected);
    let silent = letter(vec![jetton(1, None, None, &text)]).explain(&account(), Facts::default());
    assert_eq!(silent.every_party().len(), 4);
}

#[test]
fn payloads_and_modes_that_are_not_known_are_not_weighed() {
    let text = message::comment("rent").fixed();
    let (custom, odd) = (leaf(b"custom"), leaf(&[0xde, 0xad, 0xbe, 0xef]));
    assert!(!weighed(&effects(vec![jetton(1, None, Some(&custom), &text)])));
    assert!(!weighed(&effects(vec![jetton(1, None, None, &odd)])));
    assert!(weighed(&effects(vec![message(text.clone())])));
    for mode in [32, 64, 128 | 32, 16] {
        assert!(!weighed(&effects(vec![Message { mode, ..message(text.clone()) }])), "{mode}");
    }
    let deploys = Message { state_init: Some(leaf(b"state")), ..message(text) };
    assert!(!weighed(&effects(vec![deploys])));
}

#[test]
fn what_is_not_known_is_said_to_be_unknown() {
    let unknown = |selector, bytes| Effect::Call {
        contract: CONTRACT.text(true),
        value: Amount::from(50),
        function: Function::Unknown { selector, bytes },
    };
    let told = effects(vec![message(leaf(&[0xde, 0xad, 0xbe, 0xef, 1]))]);
    assert_eq!(told[0], unknown(Some([0xde, 0xad, 0xbe, 0xef]), 5));
    let told = effects(vec![message(leaf(&[1]))]);
    assert_eq!(told[0], unknown(None, 1));
    // The numbers of a jetton transfer and of a comment, without what must follow.
    let told = effects(vec![message(leaf(&[0x0f, 0x8a, 0x7e, 0xa5]))]);
    assert_eq!(told[0], unknown(Some([0x0f, 0x8a, 0x7e, 0xa5]), 4));
    let told = effects(vec![message(leaf(&[0, 0, 0, 0, 0xff]))]);
    assert_eq!(told[0], unknown(Some([0; 4]), 5));
}

#[test]
fn a_letter_of_another_form_is_unknown() {
    let letter = Letter { body: leaf(b"something else"), ..letter(Vec::new()) };
    let explanation = letter.explain(&account(), Facts::default());
    let unknown = Effect::Unknown { what: "wallet order".to_owned(), bytes: 14 };
    assert_eq!((explanation.effects, explanation.nonce), (vec![unknown], None));
}

/// A tree of cells with shared parts.
fn any_cell() -> impl Strategy<Value = Cell> {
    let leaf = (proptest::collection::vec(any::<bool>(), 0..200))
        .prop_map(|bits| bits.into_iter().fold(Builder::new(), Builder::bit).fixed());
    leaf.prop_recursive(6, 60, 4, |below| {
        (proptest::collection::vec(any::<u8>(), 0..127), proptest::collection::vec(below, 0..=4)).prop_map(
            |(bytes, below)| below.iter().fold(Builder::new().bytes(&bytes), Builder::reference).fixed(),
        )
    })
}

/// Bytes that begin like a bag, so that they get further than noise.
fn almost_a_bag() -> impl Strategy<Value = Vec<u8>> {
    let noise = proptest::collection::vec(any::<u8>(), 0..80).prop_map(|rest| {
        let mut bytes = vec![0xb5, 0xee, 0x9c, 0x72];
        bytes.extend(rest);
        bytes
    });
    let broken = (any_cell(), any::<prop::sample::Index>(), any::<u8>(), any::<bool>()).prop_map(
        |(cell, place, byte, checked)| {
            let mut bytes = boc::encode(&cell);
            if !checked {
                bytes.truncate(bytes.len() - 4);
                bytes[4] &= !0x40;
            }
            let place = place.index(bytes.len());
            bytes[place] = byte;
            bytes
        },
    );
    prop_oneof![noise, broken]
}

proptest! {
    #[test]
    fn what_is_written_is_read(cell in any_cell()) {
        let bytes = boc::encode(&cell);
        let read = boc::decode("boc", &bytes).unwrap();
        prop_assert_eq!(read.hash(), cell.hash());
        prop_assert_eq!(boc::encode(&read), bytes);
    }

    #[test]
    fn no_bytes_break_the_reader(bytes in almost_a_bag()) {
        if let Ok(cell) = boc::decode("boc", &bytes) {
            prop_assert_eq!(boc::decode("boc", &boc::encode(&cell)).unwrap().hash(), cell.hash());
            let told = letter(vec![message(cell.clone())]).explain(&account(), Facts::default());
            prop_assert!(!told.effects.is_empty());
            let _ = Letter { body: cell, ..letter(Vec::new()) }.explain(&account(), Facts::default());
        }
    }

    #[test]
    fn an_order_is_read_as_it_was_written(
        bodies in proptest::collection::vec((any_cell(), any::<bool>(), 0..1_u128 << 120), 1..=4),
        sequence in any::<u32>(),
    ) {
        let messages = bodies.into_iter().map(|(body, bounce, value)| {
            let state_init = bounce.then(|| leaf(b"state"));
            Message { mode: 3, to: OTHER, bounce, value, state_init, body }
        });
        let order = Order { valid_until: 77, sequence, messages: messages.collect() };
        let read = Order::decode(&order.encode()).unwrap();
        prop_assert_eq!(read.encode().hash(), order.encode().hash());
        prop_assert_eq!((read.sequence, read.messages.len()), (sequence, order.messages.len()));
    }
}
