//! Changes of payload fields, many of which no signature covers.

use proptest::prelude::*;
use wire::keysign::keysign_payload::SwapPayload;
use wire::keysign::{Coin, DAppMetadata, KeysignPayload};

/// Which fields to change, and to what.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    fields: u32,
    texts: [String; 4],
    number: i32,
}

pub(crate) fn change() -> impl Strategy<Value = Change> {
    let text = "[a-zA-Z0-9.:=/ ]{0,20}";
    (any::<u32>(), [text, text, text, text], any::<i32>()).prop_map(|(fields, texts, number)| Change {
        fields,
        texts,
        number,
    })
}

impl Change {
    /// Everything that can be changed, changed.
    pub(crate) fn of_claims() -> Self {
        Self { fields: 0b1_1111, texts: ["USDC", "evil", "thief", "9"].map(str::to_owned), number: 77 }
    }

    /// The payload with its fields changed. The first five are never signed.
    pub(crate) fn apply(&self, mut payload: KeysignPayload) -> KeysignPayload {
        let Self { fields, texts: [a, b, c, d], number } = self;
        let has = |bit: u32| fields >> bit & 1 == 1;
        if has(0) {
            payload.vault_public_key_ecdsa.clone_from(a);
            payload.vault_local_party_id.clone_from(b);
            payload.lib_type.clone_from(c);
        }
        if has(1) {
            let (name, url, icon_url) = (a.clone(), b.clone(), c.clone());
            payload.dapp_metadata = Some(DAppMetadata { name, url, icon_url });
        }
        if let (true, Some(coin)) = (has(2), &mut payload.coin) {
            coin.logo.clone_from(a);
            coin.price_provider_id.clone_from(b);
        }
        if has(3) {
            bought(&mut payload, Coin { chain: b.clone(), ticker: a.clone(), ..Coin::default() }, d);
        }
        if has(4)
            && let Some(SwapPayload::SwapkitSwapPayload(swap)) = &mut payload.swap_payload
        {
            swap.sub_provider.clone_from(b);
            swap.swap_id.clone_from(a);
        }
        if let (true, Some(coin)) = (has(5), &mut payload.coin) {
            coin.ticker.clone_from(a);
            coin.decimals = *number;
        }
        if has(6) {
            payload.to_address.clone_from(c);
        }
        if has(7) {
            payload.to_amount.clone_from(d);
        }
        if has(8) {
            payload.memo = Some(b.clone());
        }
        if let (true, Some(coin)) = (has(9), &mut payload.coin) {
            coin.contract_address.clone_from(c);
            coin.hex_public_key.clone_from(a);
        }
        payload
    }
}

fn bought(payload: &mut KeysignPayload, coin: Coin, amount: &str) {
    let amount = amount.to_owned();
    match &mut payload.swap_payload {
        Some(SwapPayload::ThorchainSwapPayload(swap) | SwapPayload::MayachainSwapPayload(swap)) => {
            (swap.to_coin, swap.to_amount_decimal) = (Some(coin), amount.clone());
            swap.to_amount_limit = amount;
        }
        Some(SwapPayload::OneinchSwapPayload(swap)) => {
            (swap.to_coin, swap.to_amount_decimal) = (Some(coin), amount);
        }
        Some(SwapPayload::SwapkitSwapPayload(swap)) => {
            (swap.to_coin, swap.to_amount_decimal) = (Some(coin), amount);
        }
        _ => {}
    }
}
