//! What inclusion costs at most: 5000 lamports for each signature, and the price of each unit of computation times
//! their limit, rounded up.

use crate::Amount;
use crate::solana::message::Message;
use crate::solana::program;

const LAMPORTS_PER_SIGNATURE: u64 = 5_000;
/// No transaction gets more units than this.
const HIGHEST_LIMIT: u32 = 1_400_000;
/// What each instruction gets if the transaction does not say.
const UNITS_PER_INSTRUCTION: u32 = 200_000;

/// One instruction of the compute budget program.
pub(super) enum Setting {
    Limit(u32),
    Price(u64),
    /// Sizes of memory, which cost nothing by themselves.
    Memory,
}

impl Setting {
    pub(super) fn decode(data: &[u8]) -> Option<Self> {
        let mut args = super::Args::new(data);
        let setting = match args.u8()? {
            1 | 4 => args.u32().map(|_| Self::Memory)?,
            2 => Self::Limit(args.u32()?),
            3 => Self::Price(args.u64()?),
            _ => return None,
        };
        args.end()?;
        Some(setting)
    }
}

/// What a message sets.
#[derive(Default)]
pub(super) struct Budget {
    pub(super) limit: Option<u32>,
    price: u64,
}

/// The budget of a message; nothing if a setting cannot be read, for then the fee is not known.
pub(super) fn read(message: &Message) -> Option<Budget> {
    let mut budget = Budget::default();
    for instruction in &message.instructions {
        if message.program(instruction) != Some(&program::COMPUTE_BUDGET) {
            continue;
        }
        match Setting::decode(&instruction.data)? {
            Setting::Limit(limit) => budget.limit = budget.limit.max(Some(limit)),
            Setting::Price(price) => budget.price = budget.price.max(price),
            Setting::Memory => {}
        }
    }
    Some(budget)
}

impl Budget {
    /// The most that is paid, in lamports.
    pub(super) fn fee(&self, message: &Message) -> Amount {
        let units = Amount::from(self.limit.unwrap_or_else(|| usual_limit(message)).min(HIGHEST_LIMIT));
        let million = Amount::from(1_000_000);
        let priority = (Amount::from(self.price) * units + million - Amount::ONE) / million;
        Amount::from(signatures(message)) * Amount::from(LAMPORTS_PER_SIGNATURE) + priority
    }
}

fn usual_limit(message: &Message) -> u32 {
    let paid = |instruction: &&_| message.program(instruction) != Some(&program::COMPUTE_BUDGET);
    let count = message.instructions.iter().filter(paid).count();
    u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(UNITS_PER_INSTRUCTION)
}

/// The signatures of the transaction, and those that it has the network check for programs.
fn signatures(message: &Message) -> u64 {
    const CHECKS: [[u8; 32]; 3] = [program::ED25519, program::SECP256K1, program::SECP256R1];
    let checked = message.instructions.iter().filter_map(|instruction| {
        let program = message.program(instruction)?;
        CHECKS.contains(program).then(|| instruction.data.first().copied().map_or(0, u64::from))
    });
    u64::from(message.header.signers) + checked.sum::<u64>()
}
