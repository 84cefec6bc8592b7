//! Values as descriptors want them shown. Nothing here knows more than the wallet does: a token that it does not know is
//! shown in its smallest unit.

use crate::value::checksummed;
use chains::hash::keccak256;
use chains::{Amount, Chain};

/// With a decimal point before so many digits, without zeros at the end.
pub(crate) fn decimal(amount: Amount, decimals: u8) -> String {
    chains::amount::show(amount, decimals, "").trim_end().to_owned()
}

/// Ticker and decimals of a chain's own coin.
pub(crate) fn native(chain_id: u64) -> Option<(&'static str, u8)> {
    // Test networks that the wallet has no chain for: Goerli, Holesky, Hoodi, Sepolia and those of Base, Optimism, Arbitrum.
    const ETHER: &[u64] = &[5, 17_000, 560_048, 11_155_111, 84_532, 11_155_420, 421_614];
    match Chain::from_evm_id(chain_id) {
        Some(chain) => Some((chain.native().ticker, chain.native().decimals)),
        None => ETHER.contains(&chain_id).then_some(("ETH", 18)),
    }
}

/// `2026-03-04 16:25:38Z`.
pub(crate) fn date(seconds: Amount) -> Option<String> {
    let seconds = u64::try_from(seconds).ok().filter(|seconds| *seconds <= 253_402_300_799)?;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    Some(format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}Z", rest / 3_600, rest / 60 % 60, rest % 60))
}

/// Year, month and day of a number of days since 1970, in the proleptic Gregorian calendar.
const fn civil(days: u64) -> (u64, u64, u64) {
    // Years begin in March, so that the leap day is a year's last; eras have 400 of them.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

/// `02:17:30`.
pub(crate) fn duration(seconds: Amount) -> Option<String> {
    let seconds = u64::try_from(seconds).ok()?;
    Some(format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60))
}

/// With a decimal point, a unit, and an SI prefix where one is wanted.
pub(crate) fn unit(amount: Amount, decimals: u8, base: &str, prefix: bool) -> String {
    const PREFIXES: &[(u8, &str)] = &[(18, "E"), (15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k")];
    let one = |power: u8| Amount::from(10).checked_pow(Amount::from(power.checked_add(decimals)?));
    let fitting = PREFIXES.iter().find(|(power, _)| one(*power).is_some_and(|one| amount >= one));
    match fitting.filter(|_| prefix) {
        Some((power, name)) => format!("{}{name}{base}", decimal(amount, decimals.saturating_add(*power))),
        None => format!("{}{base}", decimal(amount, decimals)),
    }
}

/// The chain's name.
pub(crate) fn chain(id: Amount) -> String {
    u64::try_from(id)
        .ok()
        .and_then(Chain::from_evm_id)
        .map_or_else(|| id.to_string(), |chain| chain.name().to_owned())
}

/// `<address>@eip155:<chain>#<checksum>`, by ERC-7930.
pub(crate) fn interoperable(bytes: &[u8]) -> Option<String> {
    let (version, rest) = bytes.split_first_chunk::<2>()?;
    let (kind, rest) = rest.split_first_chunk::<2>()?;
    let (length, rest) = rest.split_first()?;
    let (reference, rest) = rest.split_at_checked(usize::from(*length))?;
    let (length, address) = rest.split_first()?;
    if *version != [0, 1] || *kind != [0, 0] || address.len() != usize::from(*length) || reference.len() > 8 {
        return None;
    }
    let address = checksummed(&address.try_into().ok()?);
    let chain = crate::value::from_bytes(reference);
    let [a, b, c, d, ..] = keccak256(bytes.get(2..)?);
    Some(format!("{address}@eip155:{chain}#{a:02X}{b:02X}{c:02X}{d:02X}"))
}
