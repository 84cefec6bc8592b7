//! One EVM chain in memory: accounts, mempool, blocks, and every transaction that was ever sent.

use super::signed::{Signed, read};
use std::collections::{BTreeMap, BTreeSet};

/// A node's JSON-RPC error: code and message.
pub type RpcError = (i64, String);

/// A transaction as a node received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// When.
    pub at: u64,
    /// Position in the sequence of all requests to the chains' nodes.
    pub place: usize,
    /// The bytes in hex.
    pub raw: String,
    /// The decoded transaction, if it can be decoded.
    pub signed: Option<Signed>,
    /// The node's error, if it was rejected.
    pub refused: Option<String>,
}

/// A mined transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mined {
    /// When.
    pub at: u64,
    /// Position in the sequence of all requests to the chains' nodes.
    pub place: usize,
    /// The transaction.
    pub signed: Signed,
    /// Whether it succeeded.
    pub worked: bool,
    /// Its block number.
    pub block: u64,
}

/// A chain.
#[derive(Debug, Clone)]
pub struct Ledger {
    /// The chain id.
    pub chain_id: u64,
    /// The first nonce of every account.
    pub first_nonce: u64,
    /// The balance of every account, in wei.
    pub balance: u128,
    /// Time from a transaction's arrival to its block.
    pub delay: u64,
    /// Nonces of transactions that revert.
    pub reverts: BTreeSet<u64>,
    /// What every call needs of gas, if a node is asked.
    pub gas: u64,
    /// The base fee; none on a chain without.
    pub base_fee: Option<u64>,
    /// Whether unsigned stub transactions are accepted.
    pub accept_stubs: bool,
    /// Every received transaction, in order.
    pub sent: Vec<Sent>,
    /// The mempool: each transaction with its time of arrival.
    pub pool: Vec<(u64, Signed)>,
    mined: Vec<Mined>,
    /// Transactions that a reorg removed.
    pub reorged: Vec<Mined>,
    used: BTreeMap<String, u64>,
    height: u64,
    /// Requests to all nodes so far.
    pub(super) place: usize,
}

impl Ledger {
    /// A chain that mines every transaction at once.
    pub fn new(chain_id: u64) -> Self {
        Self {
            chain_id,
            first_nonce: 7,
            balance: 1_000_000_000_000_000_000_000,
            delay: 0,
            reverts: BTreeSet::new(),
            gas: 21_000,
            base_fee: Some(1_000_000_000),
            accept_stubs: false,
            sent: Vec::new(),
            pool: Vec::new(),
            mined: Vec::new(),
            reorged: Vec::new(),
            used: BTreeMap::new(),
            height: 100,
            place: 0,
        }
    }

    /// The next nonce of an account.
    pub fn next_nonce(&self, account: &str) -> u64 {
        self.used.get(&account.to_lowercase()).copied().unwrap_or(self.first_nonce)
    }

    /// The mined transactions, oldest first.
    pub fn mined(&self) -> &[Mined] {
        &self.mined
    }

    /// The nonces of the mined transactions, oldest first.
    pub fn nonces(&self) -> Vec<u64> {
        self.mined.iter().map(|mined| mined.signed.nonce).collect()
    }

    /// The distinct bytes received, in order of first arrival.
    pub fn raw(&self) -> Vec<&str> {
        let mut raw: Vec<&str> = Vec::new();
        for sent in &self.sent {
            if !raw.contains(&sent.raw.as_str()) {
                raw.push(&sent.raw);
            }
        }
        raw
    }

    /// Accepts or rejects a transaction as geth does. Returns its hash.
    pub fn send(&mut self, raw: &str, now: u64) -> Result<String, RpcError> {
        let read = read(raw, self.accept_stubs);
        let outcome = match &read {
            Ok(signed) => self.admit(signed),
            Err(reason) => Err(reason.clone()),
        };
        let signed = read.ok();
        self.sent.push(Sent {
            at: now,
            place: self.place,
            raw: raw.to_owned(),
            signed: signed.clone(),
            refused: outcome.as_ref().err().cloned(),
        });
        match (outcome, signed) {
            (Ok(()), Some(signed)) => {
                let hash = signed.hash.clone();
                self.pool.push((now, signed));
                Ok(hash)
            }
            (outcome, _) => Err((-32_000, outcome.err().unwrap_or_default())),
        }
    }

    fn admit(&self, signed: &Signed) -> Result<(), String> {
        let next = self.next_nonce(&signed.from);
        if signed.chain_id != self.chain_id {
            return Err(format!(
                "invalid chain id for signer: have {} want {}",
                signed.chain_id, self.chain_id
            ));
        }
        if self.pool.iter().any(|(_, known)| known.hash == signed.hash) {
            return Err("already known".to_owned());
        }
        if signed.nonce < next {
            return Err(format!("nonce too low: next nonce {next}, tx nonce {}", signed.nonce));
        }
        if signed.gas < 21_000 {
            return Err(format!("intrinsic gas too low: gas {}, minimum needed 21000", signed.gas));
        }
        if signed.cost > self.balance {
            return Err("insufficient funds for gas * price + value".to_owned());
        }
        if self.pool.iter().any(|(_, known)| known.from == signed.from && known.nonce == signed.nonce) {
            return Err("replacement transaction underpriced".to_owned());
        }
        Ok(())
    }

    /// Mines the transactions whose delay has passed.
    pub fn settle(&mut self, now: u64) {
        let delay = self.delay;
        self.mine_if(now, |since| since.checked_add(delay).is_some_and(|due| due <= now));
    }

    /// Mines every transaction that can be mined.
    pub fn mine(&mut self, now: u64) {
        self.mine_if(now, |_| true);
    }

    /// Mines one block of the transactions that are due and have their account's next nonce.
    fn mine_if(&mut self, now: u64, due: impl Fn(u64) -> bool) {
        let block = self.height + 1;
        loop {
            let next = self
                .pool
                .iter()
                .position(|(since, signed)| due(*since) && signed.nonce == self.next_nonce(&signed.from));
            let Some(place) = next else { return };
            let (_, signed) = self.pool.remove(place);
            self.used.insert(signed.from.clone(), signed.nonce + 1);
            let worked = !self.reverts.contains(&signed.nonce);
            self.mined.push(Mined { at: now, place: self.place, signed, worked, block });
            self.height = block;
        }
    }

    /// Sets an account's next nonce, as a transaction from elsewhere would.
    pub fn set_next_nonce(&mut self, account: &str, next: u64) {
        self.used.insert(account.to_lowercase(), next);
    }

    /// Empties the mempool.
    pub fn drop_pool(&mut self) {
        self.pool.clear();
    }

    /// Removes the last non-empty block; its transactions return to the mempool, or are dropped.
    pub fn reorg(&mut self, now: u64, forget: bool) {
        let Some(last) = self.mined.last().map(|mined| mined.block) else { return };
        let kept = self.mined.iter().position(|mined| mined.block == last).unwrap_or(0);
        for mined in self.mined.split_off(kept).into_iter().rev() {
            self.used.insert(mined.signed.from.clone(), mined.signed.nonce);
            if !forget {
                self.pool.insert(0, (now, mined.signed.clone()));
            }
            self.reorged.push(mined);
        }
    }
}
