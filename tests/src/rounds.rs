//! How long the random tests run: briefly among all tests, long by `cargo xtask crash` and `cargo xtask fuzz`.

/// Names how many times as many rounds are run as in the short form.
const VARIABLE: &str = "COUNTERSIGN_ROUNDS";

/// As many rounds as `short` says, or a multiple of it.
pub fn rounds(short: u32) -> u32 {
    let times =
        std::env::var(VARIABLE).ok().map(|text| text.parse().expect("COUNTERSIGN_ROUNDS is a number"));
    short.saturating_mul(times.unwrap_or(1))
}
