//! A transaction's body: what is hashed and signed.
//!
//! `{0: [[transaction, index]…], 1: [output…], 2: fee, 3: last slot, 7: hash of the auxiliary data}`, an output being
//! `[address, coins]` or `[address, [coins, {policy: {name: amount}}]]` (the ledger's `conway.cddl`). Bodies that
//! others built may also say when they begin to be valid (8) and on which network (15), and write outputs as maps.

use super::cbor::{ARRAY, Items, MAP, UNSIGNED, Writer};
use crate::TransactionError;
use std::collections::BTreeMap;

/// An output of an earlier transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OutPoint {
    pub(super) transaction: [u8; 32],
    pub(super) index: u64,
}

/// A token's policy and its name under it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TokenId {
    pub(super) policy: [u8; 28],
    /// Shorter names stand first: that is the order in which maps are written.
    pub(super) length: usize,
    pub(super) name: Vec<u8>,
}

/// Amounts of tokens, in the order in which they are written.
pub(super) type Tokens = BTreeMap<TokenId, u64>;

/// Coins and tokens for an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) address: Vec<u8>,
    pub(super) coins: u64,
    pub(super) tokens: Tokens,
    /// Bytes of a datum or a script that goes with it. Never written by us.
    pub(super) extra: usize,
}

/// The body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) inputs: Vec<OutPoint>,
    pub(super) outputs: Vec<Output>,
    pub(super) fee: u64,
    pub(super) last_slot: Option<u64>,
    pub(super) auxiliary: Option<[u8; 32]>,
}

impl TokenId {
    pub(super) fn new(policy: [u8; 28], name: Vec<u8>) -> Self {
        Self { policy, length: name.len(), name }
    }

    /// `policy.name`, both in hex.
    pub(super) fn text(&self) -> String {
        format!("{}.{}", crate::encoding::hex(&self.policy), crate::encoding::hex(&self.name))
    }
}

impl Body {
    pub(super) fn encode(&self) -> Vec<u8> {
        let fields = 3 + usize::from(self.last_slot.is_some()) + usize::from(self.auxiliary.is_some());
        let mut writer = Writer::new().map(fields).uint(0).array(self.inputs.len());
        for input in &self.inputs {
            writer = writer.array(2).bytes(&input.transaction).uint(input.index);
        }
        writer = writer.uint(1).array(self.outputs.len());
        writer = self.outputs.iter().fold(writer, |writer, output| output.encode(writer));
        writer = writer.uint(2).uint(self.fee);
        if let Some(slot) = self.last_slot {
            writer = writer.uint(3).uint(slot);
        }
        if let Some(hash) = self.auxiliary {
            writer = writer.uint(7).bytes(&hash);
        }
        writer.finish()
    }

    /// Reads a body that does nothing but pay. One that does more is refused.
    pub(super) fn decode(field: &'static str, bytes: &[u8]) -> Result<Self, TransactionError> {
        let mut items = Items::new(field, bytes);
        let (mut inputs, mut outputs, mut fee) = (None, None, None);
        let (mut last_slot, mut auxiliary) = (None, None);
        let mut seen = 0_u32;
        for _ in 0..items.map()? {
            let key = items.uint()?;
            let bit = u32::try_from(key).ok().and_then(|key| 1_u32.checked_shl(key)).unwrap_or(0);
            if seen & bit != 0 {
                return Err(items.malformed("has a field twice"));
            }
            seen |= bit;
            match key {
                0 => inputs = Some(read_inputs(&mut items)?),
                1 => outputs = Some(read_outputs(&mut items)?),
                2 => fee = Some(items.uint()?),
                3 => last_slot = Some(items.uint()?),
                7 => auxiliary = Some(items.fixed()?),
                8 => drop(items.uint()?),
                15 if items.uint()? == 1 => {}
                15 => return Err(items.malformed("is for another network")),
                _ => return Err(TransactionError::Unsafe { what: "the transaction does more than pay" }),
            }
        }
        let missing = items.malformed("lacks inputs, outputs or a fee");
        items.finish()?;
        let (Some(inputs), Some(outputs), Some(fee)) = (inputs, outputs, fee) else {
            return Err(missing);
        };
        Ok(Self { inputs, outputs, fee, last_slot, auxiliary })
    }
}

impl Output {
    fn encode(&self, writer: Writer) -> Writer {
        let writer = writer.array(2).bytes(&self.address);
        if self.tokens.is_empty() {
            return writer.uint(self.coins);
        }
        // In order, since the tokens are, by their policies first.
        let mut policies: Vec<_> = self.tokens.keys().map(|id| id.policy).collect();
        policies.dedup();
        let mut writer = writer.array(2).uint(self.coins).map(policies.len());
        for policy in policies {
            let names = || self.tokens.iter().filter(|(id, _)| id.policy == policy);
            writer = writer.bytes(&policy).map(names().count());
            writer = names().fold(writer, |writer, (id, amount)| writer.bytes(&id.name).uint(*amount));
        }
        writer
    }
}

fn read_inputs(items: &mut Items<'_>) -> Result<Vec<OutPoint>, TransactionError> {
    let mut inputs = Vec::new();
    for _ in 0..items.set()? {
        if items.array()? != 2 {
            return Err(items.malformed("has an input of another form"));
        }
        inputs.push(OutPoint { transaction: items.fixed()?, index: items.uint()? });
    }
    Ok(inputs)
}

fn read_outputs(items: &mut Items<'_>) -> Result<Vec<Output>, TransactionError> {
    let mut outputs = Vec::new();
    for _ in 0..items.array()? {
        outputs.push(match items.major() {
            Some(ARRAY) => read_listed(items)?,
            Some(MAP) => read_mapped(items)?,
            _ => return Err(items.malformed("has an output of another form")),
        });
    }
    Ok(outputs)
}

/// `[address, value]` or, with the hash of a datum, `[address, value, hash]`.
fn read_listed(items: &mut Items<'_>) -> Result<Output, TransactionError> {
    let count = items.array()?;
    if !(2..=3).contains(&count) {
        return Err(items.malformed("has an output of another form"));
    }
    let address = items.bytes()?.to_vec();
    let (coins, tokens) = read_value(items)?;
    let extra = if count == 3 { items.item()?.len() } else { 0 };
    Ok(Output { address, coins, tokens, extra })
}

/// `{0: address, 1: value, 2: datum, 3: script}`, the last two where there are any.
fn read_mapped(items: &mut Items<'_>) -> Result<Output, TransactionError> {
    let (mut address, mut value, mut extra) = (None, None, 0_usize);
    for _ in 0..items.map()? {
        match items.uint()? {
            0 if address.is_none() => address = Some(items.bytes()?.to_vec()),
            1 if value.is_none() => value = Some(read_value(items)?),
            2 | 3 => extra = extra.saturating_add(items.item()?.len()),
            _ => return Err(items.malformed("has an output of another form")),
        }
    }
    match (address, value) {
        (Some(address), Some((coins, tokens))) => Ok(Output { address, coins, tokens, extra }),
        _ => Err(items.malformed("has an output without address or value")),
    }
}

fn read_value(items: &mut Items<'_>) -> Result<(u64, Tokens), TransactionError> {
    if items.major() == Some(UNSIGNED) {
        return Ok((items.uint()?, Tokens::new()));
    }
    if items.array()? != 2 {
        return Err(items.malformed("has a value of another form"));
    }
    let coins = items.uint()?;
    let mut tokens = Tokens::new();
    for _ in 0..items.map()? {
        let policy = items.fixed()?;
        for _ in 0..items.map()? {
            let id = TokenId::new(policy, items.bytes()?.to_vec());
            if tokens.insert(id, items.uint()?).is_some() {
                return Err(items.malformed("has a token twice in one output"));
            }
        }
    }
    Ok((coins, tokens))
}
