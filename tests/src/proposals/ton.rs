//! Messages of TON, cell by cell.

use super::{payload, payment};
use chains::Chain;
use chains::encoding::{base64, from_base64, hex};
use serde_json::Value;
use wire::keysign::keysign_payload::SignData;
use wire::keysign::{SignTon, TonMessage};

/// A cell: bits, and references to other cells.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    bits: Vec<bool>,
    references: Vec<Self>,
}

impl Cell {
    /// With a number of so many bits behind.
    #[must_use]
    pub fn number(mut self, value: u128, bits: u32) -> Self {
        self.bits.extend((0..bits).rev().map(|bit| value >> bit & 1 == 1));
        self
    }

    /// With bytes behind.
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |cell, byte| cell.number(u128::from(*byte), 8))
    }

    /// With an amount behind: its length in four bits, and its bytes.
    #[must_use]
    pub fn coins(self, value: u128) -> Self {
        let bytes = (128 - value.leading_zeros()).div_ceil(8);
        self.number(u128::from(bytes), 4).number(value, 8 * bytes)
    }

    /// With an account behind.
    #[must_use]
    pub fn account(self, address: &str) -> Self {
        self.number(0b100, 3).bytes(&account(address))
    }

    /// With a reference.
    #[must_use]
    pub fn reference(mut self, cell: Self) -> Self {
        self.references.push(cell);
        self
    }

    /// As a bag of cells, in base64.
    pub fn bag(&self) -> String {
        let count = |length: usize| u8::try_from(length).expect("are few");
        let mut cells = vec![self];
        let mut body = Vec::new();
        let mut next = 0;
        while let Some(cell) = cells.get(next).copied() {
            let (whole, bits) = (cell.bits.len() / 8, cell.bits.len().div_ceil(8));
            body.extend([count(cell.references.len()), count(whole + bits)]);
            body.extend(cell.bits.chunks(8).map(byte));
            for reference in &cell.references {
                body.push(count(cells.len()));
                cells.push(reference);
            }
            next += 1;
        }
        let total = u16::try_from(body.len()).expect("is short").to_be_bytes();
        let head = [0xb5, 0xee, 0x9c, 0x72, 1, 2, count(cells.len()), 1, 0, total[0], total[1], 0];
        base64(&[head.as_slice(), &body].concat())
    }
}

/// Workchain and hash of an address.
fn account(address: &str) -> Vec<u8> {
    let text = address.replace('-', "+").replace('_', "/");
    let bytes = from_base64("address", &text).expect("is an address");
    bytes.get(1..34).expect("has a workchain and a hash").to_vec()
}

/// An address as toncenter's index spells it.
pub fn raw(address: &str) -> String {
    let bytes = account(address);
    let (workchain, hash) = bytes.split_first().expect("has a workchain");
    format!("{workchain}:{}", hex(hash))
}

/// Eight bits; of fewer, a one and zeros behind them.
fn byte(bits: &[bool]) -> u8 {
    let ended = bits.iter().copied().chain([true]).chain([false; 7]).take(8);
    ended.fold(0, |byte, bit| byte << 1 | u8::from(bit))
}

/// A text as the body of a message.
pub fn comment(text: &str) -> Cell {
    Cell::default().number(0, 32).bytes(text.as_bytes())
}

/// `transfer` of TEP-74: how much, to whom, to whom the rest of the coins, what the jetton's own code is told, and what the
/// receiver's is.
pub fn jetton(to: &str, rest: &str, custom: Option<Cell>, forwarded: Option<Cell>) -> Cell {
    let cell = Cell::default().number(0x0f8a_7ea5, 32).number(0, 64).coins(5_000_000);
    with_payloads(cell.account(to).account(rest), custom, forwarded)
}

/// `transfer` of TEP-62: an item to a new owner.
pub fn item(to: &str, rest: &str) -> Cell {
    let cell = Cell::default().number(0x5fcc_3d14, 32).number(0, 64);
    with_payloads(cell.account(to).account(rest), None, None)
}

fn with_payloads(cell: Cell, custom: Option<Cell>, forwarded: Option<Cell>) -> Cell {
    let cell = match custom {
        Some(custom) => cell.number(1, 1).reference(custom),
        None => cell.number(0, 1),
    };
    match forwarded {
        Some(forwarded) => cell.coins(1).number(1, 1).reference(forwarded),
        None => cell.coins(0).number(0, 1),
    }
}

/// A message of so many nanotons, with a body where it has one.
pub fn message(to: &str, nanotons: u64, body: Option<&Cell>) -> TonMessage {
    TonMessage {
        to: to.to_owned(),
        amount: nanotons.to_string(),
        payload: body.map(Cell::bag),
        ..TonMessage::default()
    }
}

/// A step with the messages that an application asks for.
pub fn step(messages: Vec<TonMessage>) -> Value {
    let mut asked = payment(Chain::Ton, "");
    asked.sign_data = Some(SignData::SignTon(SignTon { ton_messages: messages }));
    payload(&asked)
}
