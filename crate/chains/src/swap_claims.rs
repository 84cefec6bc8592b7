//! What a payload says of a swap and no signature covers: who runs it, what is bought and for how much. It stands beside
//! an explanation as the sender's word.

use crate::transaction::Claim;
use wire::keysign::keysign_payload::SwapPayload;
use wire::keysign::{Coin, KeysignPayload};

/// A claim is cut off here: it is for a person to read.
const MAX_LENGTH: usize = 200;

/// The claims of a payload's swap; none where it has none.
pub(crate) fn of(payload: &KeysignPayload) -> Vec<Claim> {
    let (provider, buys, expected, minimum) = match &payload.swap_payload {
        None => return Vec::new(),
        Some(SwapPayload::ThorchainSwapPayload(swap)) => {
            ("THORChain", &swap.to_coin, &swap.to_amount_decimal, swap.to_amount_limit.as_str())
        }
        Some(SwapPayload::MayachainSwapPayload(swap)) => {
            ("MayaChain", &swap.to_coin, &swap.to_amount_decimal, swap.to_amount_limit.as_str())
        }
        Some(SwapPayload::OneinchSwapPayload(swap)) => {
            (swap.provider.as_str(), &swap.to_coin, &swap.to_amount_decimal, "")
        }
        #[expect(deprecated, reason = "old payloads still have it")]
        Some(SwapPayload::KyberswapSwapPayload(swap)) => {
            ("KyberSwap", &swap.to_coin, &swap.to_amount_decimal, "")
        }
        Some(SwapPayload::SwapkitSwapPayload(swap)) => {
            let provider = if swap.sub_provider.is_empty() { "SwapKit" } else { &swap.sub_provider };
            (provider, &swap.to_coin, &swap.to_amount_decimal, "")
        }
    };
    vec![
        claim("swap provider", provider),
        claim("buys", &buys.as_ref().map(bought).unwrap_or_default()),
        claim("expects", expected),
        claim("minimum", minimum),
    ]
}

/// A claim in as many of the sender's words as a person reads.
pub(crate) fn claim(about: &'static str, text: &str) -> Claim {
    Claim::new(about, text.chars().take(MAX_LENGTH).collect::<String>())
}

fn bought(coin: &Coin) -> String {
    match (coin.ticker.is_empty(), coin.chain.is_empty()) {
        (_, true) => coin.ticker.clone(),
        (true, false) => format!("a coin on {}", coin.chain),
        (false, false) => format!("{} on {}", coin.ticker, coin.chain),
    }
}
