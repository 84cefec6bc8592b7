//! The system program: lamports, new accounts, nonces. Its instructions begin with a number of 32 bits.

use super::{Args, Call, Effects, View, plain, spell};
use crate::Amount;
use crate::explain::{Asset, Effect};
use crate::solana::message::{Key, Message, Named};
use crate::solana::{base58, program};

const ADVANCE_NONCE: u32 = 4;

/// Whether the blockhash is not one of a block but what a nonce account stores: then it does not grow old.
pub(crate) fn advances_nonce(message: &Message) -> bool {
    let first = message.instructions.first();
    first.is_some_and(|first| {
        message.program(first) == Some(&program::SYSTEM)
            && first.data.starts_with(&ADVANCE_NONCE.to_le_bytes())
    })
}

pub(super) fn effects(view: &View, call: &Call<'_>) -> Effects {
    let mut args = call.args();
    let effects = match args.u32()? {
        0 => {
            let (lamports, space, owner) = (args.u64()?, args.u64()?, args.key()?);
            created(view, call, lamports, space, &owner)?
        }
        1 => {
            let program = base58(&args.key()?);
            vec![Effect::other("assign", [("account", call.name(0)?), ("program", program)])]
        }
        2 => vec![transfer(view, call, args.u64()?)?],
        3 => {
            seed(&mut args)?;
            let (lamports, space, owner) = (args.u64()?, args.u64()?, args.key()?);
            created(view, call, lamports, space, &owner)?
        }
        ADVANCE_NONCE => {
            vec![Effect::other("advanceNonce", [("account", call.name(0)?), ("authority", call.name(2)?)])]
        }
        5 => {
            let lamports = args.u64()?.to_string();
            let fields = [("account", call.name(0)?), ("to", call.name(1)?), ("lamports", lamports)];
            vec![Effect::other("withdrawNonce", fields)]
        }
        6 => vec![authority(call, "initializeNonce", &args.key()?)?],
        7 => vec![authority(call, "authorizeNonce", &args.key()?)?],
        8 => {
            let space = args.u64()?.to_string();
            vec![Effect::other("allocate", [("account", call.name(0)?), ("space", space)])]
        }
        11 => vec![transfer_with_seed(view, call, &mut args)?],
        12 => vec![plain(call, "upgradeNonce", &["account"])?],
        _ => return None,
    };
    args.end()?;
    Some(effects)
}

fn transfer(view: &View, call: &Call<'_>, lamports: u64) -> Option<Effect> {
    Some(view.moved(Asset::Native, call.account(0)?, call.name(0)?, call.name(1)?, lamports))
}

/// Lamports of an account whose address follows from another one's, which signs.
fn transfer_with_seed(view: &View, call: &Call<'_>, args: &mut Args<'_>) -> Option<Effect> {
    let lamports = args.u64()?;
    args.text()?;
    args.key()?;
    let (from, to) = (call.name(0)?, call.name(2)?);
    let amount = Amount::from(lamports);
    let own = call.account(0)? == Named::Key(&view.own);
    Some(if own {
        Effect::Transfer { asset: Asset::Native, to, amount }
    } else {
        Effect::TransferFrom { asset: Asset::Native, from, to, amount }
    })
}

/// A new account: the lamports that it needs, and what becomes of it.
fn created(view: &View, call: &Call<'_>, lamports: u64, space: u64, owner: &Key) -> Effects {
    let account = call.account(1)?;
    let fields = [("account", spell(account)), ("program", base58(owner)), ("space", space.to_string())];
    Some(vec![transfer(view, call, lamports)?, Effect::other("createAccount", fields)])
}

fn authority(call: &Call<'_>, name: &str, authority: &Key) -> Option<Effect> {
    Some(Effect::other(name, [("account", call.name(0)?), ("authority", base58(authority))]))
}

/// Base and seed from which an address was made; the address itself is among the accounts.
fn seed(args: &mut Args<'_>) -> Option<()> {
    args.key()?;
    args.text().map(drop)
}
