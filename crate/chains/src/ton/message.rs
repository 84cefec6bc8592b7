//! The messages that a wallet sends, and the order that tells it to.

use super::cell::{AccountId, Builder, Cell, Slice};
use super::wallet;
use crate::TransactionError;

/// Pay the fees beside the amount.
pub(super) const PAY_FEES_SEPARATELY: u8 = 1;
/// Go on where one message cannot be sent; without it the wallet would try again until the letter expires.
pub(super) const IGNORE_ERRORS: u8 = 2;
/// Send everything the account has, not the amount that the message names.
pub(super) const SEND_ALL: u8 = 128;
/// The most messages in one letter.
pub(super) const MAX_MESSAGES: usize = 4;
/// Amounts are `VarUInteger 16`: at most 15 bytes.
const MAX_AMOUNT: u128 = (1 << 120) - 1;

pub(super) const COMMENT: u32 = 0;
pub(super) const JETTON_TRANSFER: u32 = 0x0f8a_7ea5;
pub(super) const ITEM_TRANSFER: u32 = 0x5fcc_3d14;

/// A message that the wallet is to send.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) mode: u8,
    pub(super) to: AccountId,
    pub(super) bounce: bool,
    pub(super) value: u128,
    pub(super) state_init: Option<Cell>,
    pub(super) body: Cell,
}

/// The wallet's instructions: the signed part of the message.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) valid_until: u32,
    pub(super) sequence: u32,
    pub(super) messages: Vec<Message>,
}

/// Reads an amount of nanotons or of a jetton.
pub(super) fn amount(field: &'static str, text: &str) -> Result<u128, TransactionError> {
    match crate::amount::parse_u128(field, text)? {
        amount if amount <= MAX_AMOUNT => Ok(amount),
        _ => Err(TransactionError::Amount { field }),
    }
}

/// A body that holds a text, or nothing where there is no text.
pub(super) fn comment(text: &str) -> Builder {
    if text.is_empty() {
        return Builder::new();
    }
    Builder::new().uint(u128::from(COMMENT), 32).bytes(text.as_bytes())
}

impl Message {
    /// `int_msg_info$0`: IHR disabled, bounce, not bounced, no source; the fees and times are the network's to fill in.
    fn encode(&self) -> Cell {
        let head = Builder::new()
            .uint(0b01, 2)
            .bit(self.bounce)
            .uint(0, 3)
            .address(&self.to)
            .coins(self.value)
            .uint(0, 1 + 4 + 4 + 64 + 32);
        let head = match &self.state_init {
            Some(state) => head.bit(true).bit(true).reference(state),
            None => head.bit(false),
        };
        head.bit(true).reference(&self.body).fixed()
    }

    /// Reads what [`Self::encode`] writes; `None` for everything else.
    fn decode(mode: u8, cell: &Cell) -> Option<Self> {
        let mut slice = cell.slice();
        if slice.uint(2)? != 0b01 {
            return None;
        }
        let bounce = slice.bit()?;
        let (bounced, source) = (slice.bit()?, slice.address()?);
        let (to, value) = (slice.address()??, slice.coins()?);
        let zeros = slice.uint(1 + 4 + 4 + 64 + 32)?;
        if bounced || source.is_some() || zeros != 0 {
            return None;
        }
        let state_init = match slice.bit()? {
            true if slice.bit()? => Some(slice.reference()?.clone()),
            true => return None,
            false => None,
        };
        let body = if slice.bit()? { slice.reference()?.clone() } else { return None };
        slice.is_empty().then_some(Self { mode, to, bounce, value, state_init, body })
    }
}

impl Order {
    pub(super) fn encode(&self) -> Cell {
        let head = Builder::new()
            .uint(u128::from(wallet::SUBWALLET), 32)
            .uint(u128::from(self.valid_until), 32)
            .uint(u128::from(self.sequence), 32)
            .uint(0, 8);
        let send = |builder: Builder, message: &Message| {
            builder.uint(u128::from(message.mode), 8).reference(&message.encode())
        };
        self.messages.iter().fold(head, send).fixed()
    }

    /// Reads what [`Self::encode`] writes; `None` for everything else.
    pub(super) fn decode(cell: &Cell) -> Option<Self> {
        let mut slice = cell.slice();
        if slice.u32()? != wallet::SUBWALLET {
            return None;
        }
        let (valid_until, sequence) = (slice.u32()?, slice.u32()?);
        if slice.uint(8)? != 0 {
            return None;
        }
        let mut messages = Vec::new();
        while !slice.is_empty() {
            let mode = u8::try_from(slice.uint(8)?).ok()?;
            messages.push(Message::decode(mode, slice.reference()?)?);
        }
        Some(Self { valid_until, sequence, messages })
    }
}

/// `transfer` of TEP-74, sent to one's own jetton wallet. The comment stands in the same cell.
#[derive(Debug, Clone)]
pub(super) struct JettonTransfer<'a> {
    pub(super) query: u64,
    pub(super) amount: u128,
    pub(super) destination: AccountId,
    /// Where what is left of the attached coins goes.
    pub(super) response: Option<AccountId>,
    pub(super) custom: Option<&'a Cell>,
    /// Coins that go on to the destination, with the forward payload.
    pub(super) forward: u128,
    pub(super) payload: Slice<'a>,
}

impl<'a> JettonTransfer<'a> {
    pub(super) fn encode(&self, field: &'static str) -> Result<Cell, TransactionError> {
        let builder = Builder::new()
            .uint(u128::from(JETTON_TRANSFER), 32)
            .uint(u128::from(self.query), 64)
            .coins(self.amount)
            .address(&self.destination);
        let builder = match &self.response {
            Some(response) => builder.address(response),
            None => builder.uint(0, 2),
        };
        let builder = builder.maybe_reference(self.custom).coins(self.forward);
        builder.bit(false).slice(&self.payload).build(field)
    }

    /// Reads what follows the operation's number.
    pub(super) fn decode(mut slice: Slice<'a>) -> Option<Self> {
        let query = u64::try_from(slice.uint(64)?).ok()?;
        let amount = slice.coins()?;
        let (destination, response) = (slice.address()??, slice.address()?);
        let (custom, forward) = (slice.maybe_reference()?, slice.coins()?);
        let payload = forward_payload(slice)?;
        Some(Self { query, amount, destination, response, custom, forward, payload })
    }
}

/// `transfer` of TEP-62, sent to the item itself.
#[derive(Debug, Clone)]
pub(super) struct ItemTransfer<'a> {
    pub(super) query: u64,
    pub(super) owner: AccountId,
    pub(super) response: Option<AccountId>,
    pub(super) custom: Option<&'a Cell>,
    pub(super) forward: u128,
    pub(super) payload: Slice<'a>,
}

impl<'a> ItemTransfer<'a> {
    /// Reads what follows the operation's number.
    pub(super) fn decode(mut slice: Slice<'a>) -> Option<Self> {
        let query = u64::try_from(slice.uint(64)?).ok()?;
        let (owner, response) = (slice.address()??, slice.address()?);
        let (custom, forward) = (slice.maybe_reference()?, slice.coins()?);
        let payload = forward_payload(slice)?;
        Some(Self { query, owner, response, custom, forward, payload })
    }
}

/// `Either Cell ^Cell` at the end of a cell.
fn forward_payload(mut slice: Slice<'_>) -> Option<Slice<'_>> {
    if !slice.bit()? {
        return Some(slice);
    }
    let cell = slice.reference()?;
    slice.is_empty().then(|| cell.slice())
}
