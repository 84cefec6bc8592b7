//! The stake program, as far as wallets use it. Its instructions begin with a number of 32 bits.

use super::{Call, Effects, plain};
use crate::explain::Effect;
use crate::solana::base58;

pub(super) fn effects(call: &Call<'_>) -> Effects {
    let mut args = call.args();
    let effect = match args.u32()? {
        0 => {
            let (staker, withdrawer) = (base58(&args.key()?), base58(&args.key()?));
            let (until, epoch, custodian) = (args.u64()?, args.u64()?, base58(&args.key()?));
            let fields = [
                ("stake", call.name(0)?),
                ("staker", staker),
                ("withdrawer", withdrawer),
                ("lockedUntil", until.cast_signed().to_string()),
                ("lockedUntilEpoch", epoch.to_string()),
                ("custodian", custodian),
            ];
            Effect::other("initializeStake", fields)
        }
        1 => {
            let authority = base58(&args.key()?);
            let role = match args.u32()? {
                0 => "staker",
                1 => "withdrawer",
                _ => return None,
            };
            Effect::other("authorizeStake", [("stake", call.name(0)?), (role, authority)])
        }
        2 => plain(call, "delegateStake", &["stake", "vote"])?,
        3 => {
            let lamports = args.u64()?.to_string();
            let fields = [("stake", call.name(0)?), ("to", call.name(1)?), ("lamports", lamports)];
            Effect::other("splitStake", fields)
        }
        4 => {
            let lamports = args.u64()?.to_string();
            let fields = [("stake", call.name(0)?), ("to", call.name(1)?), ("lamports", lamports)];
            Effect::other("withdrawStake", fields)
        }
        5 => plain(call, "deactivateStake", &["stake"])?,
        7 => plain(call, "mergeStake", &["into", "from"])?,
        _ => return None,
    };
    args.end()?;
    Some(vec![effect])
}
