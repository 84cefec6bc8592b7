//! One EVM chain in memory: its accounts, what waits for a block, its blocks, and everything that anybody ever sent.

use super::signed::{Signed, read};
use std::collections::{BTreeMap, BTreeSet};

/// A node's refusal: code and words.
pub type Refusal = (i64, String);

/// Whatever a node was sent as a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// When.
    pub at: u64,
    /// Its place among everything that the chains' nodes were ever asked.
    pub place: usize,
    /// The bytes, hex.
    pub raw: String,
    /// What it is, unless it is nothing.
    pub signed: Option<Signed>,
    /// In the node's words, why it was not taken.
    pub refused: Option<String>,
}

/// A transaction in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mined {
    /// When.
    pub at: u64,
    /// Its place among everything that the chains' nodes were ever asked.
    pub place: usize,
    /// What.
    pub signed: Signed,
    /// Whether it worked.
    pub worked: bool,
    /// In which block.
    pub block: u64,
}

/// A chain.
#[derive(Debug, Clone)]
pub struct Ledger {
    /// Its id.
    pub chain_id: u64,
    /// The next number of an account that has sent nothing here yet.
    pub first_nonce: u64,
    /// What every account has, in wei.
    pub balance: u128,
    /// From a transaction's arrival to the block that it is in.
    pub delay: u64,
    /// Numbers of transactions that fail when they run.
    pub reverts: BTreeSet<u64>,
    /// Whether toys count as signed.
    pub toys: bool,
    /// What arrived, in order, and whether it was taken.
    pub sent: Vec<Sent>,
    /// What waits for a block, and since when.
    pub pool: Vec<(u64, Signed)>,
    mined: Vec<Mined>,
    /// Those that a reorganisation undid.
    pub undone: Vec<Mined>,
    used: BTreeMap<String, u64>,
    height: u64,
    /// How much was asked of all nodes so far.
    pub(super) place: usize,
}

impl Ledger {
    /// A chain that puts everything into a block at once.
    pub fn new(chain_id: u64) -> Self {
        Self {
            chain_id,
            first_nonce: 7,
            balance: 1_000_000_000_000_000_000_000,
            delay: 0,
            reverts: BTreeSet::new(),
            toys: false,
            sent: Vec::new(),
            pool: Vec::new(),
            mined: Vec::new(),
            undone: Vec::new(),
            used: BTreeMap::new(),
            height: 100,
            place: 0,
        }
    }

    /// The next number of an account.
    pub fn next_nonce(&self, account: &str) -> u64 {
        self.used.get(&account.to_lowercase()).copied().unwrap_or(self.first_nonce)
    }

    /// What is in a block, oldest first.
    pub fn mined(&self) -> &[Mined] {
        &self.mined
    }

    /// The numbers of what is in a block, oldest first.
    pub fn nonces(&self) -> Vec<u64> {
        self.mined.iter().map(|mined| mined.signed.nonce).collect()
    }

    /// The different bytes that arrived, in the order of their first arrival.
    pub fn raw(&self) -> Vec<&str> {
        let mut raw: Vec<&str> = Vec::new();
        for sent in &self.sent {
            if !raw.contains(&sent.raw.as_str()) {
                raw.push(&sent.raw);
            }
        }
        raw
    }

    /// Takes a transaction, as geth does; gives its id.
    pub fn send(&mut self, raw: &str, now: u64) -> Result<String, Refusal> {
        let read = read(raw, self.toys);
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

    /// Puts into blocks what has waited long enough.
    pub fn settle(&mut self, now: u64) {
        let delay = self.delay;
        self.mine_if(now, |since| since.checked_add(delay).is_some_and(|due| due <= now));
    }

    /// Puts into a block whatever can be in one.
    pub fn mine(&mut self, now: u64) {
        self.mine_if(now, |_| true);
    }

    /// One block of those that fulfil a condition and whose number is the account's next.
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

    /// The same account was used elsewhere: this is its next number now.
    pub fn use_elsewhere(&mut self, account: &str, next: u64) {
        self.used.insert(account.to_lowercase(), next);
    }

    /// Forgets what waits for a block.
    pub fn drop_pool(&mut self) {
        self.pool.clear();
    }

    /// The last block that has transactions never was; they wait for a block again, or are forgotten.
    pub fn undo(&mut self, now: u64, forget: bool) {
        let Some(last) = self.mined.last().map(|mined| mined.block) else { return };
        let kept = self.mined.iter().position(|mined| mined.block == last).unwrap_or(0);
        for mined in self.mined.split_off(kept).into_iter().rev() {
            self.used.insert(mined.signed.from.clone(), mined.signed.nonce);
            if !forget {
                self.pool.insert(0, (now, mined.signed.clone()));
            }
            self.undone.push(mined);
        }
    }
}
