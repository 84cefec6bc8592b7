//! The stake program, as far as wallets use it. Its instructions begin with a number of 32 bits.

use super::{Args, Call, Read, Told, View};
use crate::explain::PartyRole;
use crate::solana::base58;
use crate::solana::message::Key;

/// Who decides over a new stake account, and until when withdrawals are locked.
struct Initialised {
    staker: Key,
    withdrawer: Key,
    until: i64,
    epoch: u64,
    custodian: Key,
}

impl Initialised {
    fn read(args: &mut Args<'_>) -> Option<Self> {
        Some(Self {
            staker: args.key()?,
            withdrawer: args.key()?,
            until: args.u64()?.cast_signed(),
            epoch: args.u64()?,
            custodian: args.key()?,
        })
    }

    /// Whether one account decides alone, and at once.
    fn is_of(&self, own: &Key) -> bool {
        let unlocked = self.until == 0 && self.epoch == 0 && [[0; 32], *own].contains(&self.custodian);
        unlocked && self.staker == *own && self.withdrawer == *own
    }

    fn told(&self, view: &View<'_>, call: &Call<'_>) -> Read {
        let fields = [
            ("stake", base58(&call.key(0)?)),
            ("staker", base58(&self.staker)),
            ("withdrawer", base58(&self.withdrawer)),
            ("lockedUntil", self.until.to_string()),
            ("lockedUntilEpoch", self.epoch.to_string()),
            ("custodian", base58(&self.custodian)),
        ];
        if self.is_of(&view.own) {
            return Some(Told::note("initializeStake", fields));
        }
        let authority = |told: Told, key: &Key| told.and(base58(key), PartyRole::Authority);
        let others = [self.staker, self.withdrawer, self.custodian];
        let others = others.iter().filter(|key| !view.is_own(key) && **key != [0; 32]);
        Some(others.fold(Told::other("initializeStake", fields), authority))
    }
}

/// The account that an instruction makes a stake account of this signer's alone.
pub(super) fn initialised(call: &Call<'_>, own: &Key) -> Option<Key> {
    let mut args = call.args();
    args.u32().filter(|number| *number == 0)?;
    let found = Initialised::read(&mut args)?;
    args.end()?;
    call.key(0).filter(|_| found.is_of(own))
}

/// A stake stays its owner's with any validator; splitting and merging keep who decides over it.
pub(super) fn read(view: &View<'_>, call: &Call<'_>) -> Read {
    let mut args = call.args();
    let told = match args.u32()? {
        0 => Initialised::read(&mut args)?.told(view, call)?,
        1 => authorise(view, call, &mut args)?,
        2 => Told::note("delegateStake", call.fields(&["stake", "vote"])?),
        3 => Told::note("splitStake", amount(call, args.u64()?)?),
        4 => withdraw(view, call, args.u64()?)?,
        5 => Told::note("deactivateStake", call.fields(&["stake"])?),
        7 => Told::note("mergeStake", call.fields(&["into", "from"])?),
        _ => return None,
    };
    args.end()?;
    Some(told)
}

fn authorise(view: &View<'_>, call: &Call<'_>, args: &mut Args<'_>) -> Read {
    let authority = args.key()?;
    let role = match args.u32()? {
        0 => "staker",
        1 => "withdrawer",
        _ => return None,
    };
    let fields = [("stake", call.name(0)?), (role, base58(&authority))];
    Some(if view.is_own(&authority) {
        Told::note("authorizeStake", fields)
    } else {
        Told::other("authorizeStake", fields).and(base58(&authority), PartyRole::Authority)
    })
}

fn withdraw(view: &View<'_>, call: &Call<'_>, lamports: u64) -> Read {
    let (fields, to) = (amount(call, lamports)?, call.key(1)?);
    Some(if view.is_own(&to) {
        Told::note("withdrawStake", fields)
    } else {
        Told::other("withdrawStake", fields).and(base58(&to), PartyRole::Recipient)
    })
}

fn amount(call: &Call<'_>, lamports: u64) -> Option<Vec<(&'static str, String)>> {
    let mut fields = call.fields(&["stake", "to"])?;
    fields.push(("lamports", lamports.to_string()));
    Some(fields)
}
