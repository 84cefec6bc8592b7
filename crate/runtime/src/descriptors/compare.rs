//! Holds a descriptor's words against what the bytes show, where both speak of the same.
//!
//! Everything that the bytes show is shown in any case. Here is found what a reader of both should not have to find: an
//! amount in another magnitude or of another token, and a recipient or spender that the descriptor leaves out.

use wire::descriptor::{
    DescribedPart, Description, DescriptorContradiction, Origin, RenderedField, Rendering,
};
use wire::explain::{Asset, Effect, Explanation, Quantity};

/// What an effect says of an amount and a party.
struct Said<'a> {
    party: Option<(DescribedPart, &'a str)>,
    amount: Option<(&'a Asset, &'a Quantity, bool)>,
}

/// Adds what does not agree.
pub(super) fn compare(explanation: &Explanation, description: &mut Description) {
    let Some(rendering) = &description.rendering else { return };
    let mut fields = Vec::new();
    collect(rendering, &mut fields);
    let mut found = Vec::new();
    for said in explanation.effects.iter().filter_map(|effect| said(effect, &explanation.from)) {
        if let Some((about, address)) = said.party {
            found.extend(party(about, address, &fields));
        }
        if let Some((asset, quantity, unlimited)) = said.amount {
            found.extend(amount(asset, quantity, unlimited, &fields));
        }
    }
    for contradiction in found {
        if !description.contradictions.contains(&contradiction) {
            description.contradictions.push(contradiction);
        }
    }
}

fn collect<'a>(rendering: &'a Rendering, fields: &mut Vec<&'a RenderedField>) {
    for field in &rendering.fields {
        fields.push(field);
        if let Some(call) = &field.call {
            collect(call, fields);
        }
    }
}

fn said<'a>(effect: &'a Effect, from: &str) -> Option<Said<'a>> {
    use DescribedPart::{Recipient, Spender};
    Some(match effect {
        Effect::Transfer { asset, to, amount } | Effect::TransferFrom { asset, to, amount, .. } => {
            Said { party: Some((Recipient, to)), amount: Some((asset, amount, false)) }
        }
        Effect::Approve { asset, spender, amount, unlimited } => {
            Said { party: Some((Spender, spender)), amount: Some((asset, amount, *unlimited)) }
        }
        Effect::ApproveAll { operator, .. } => Said { party: Some((Spender, operator)), amount: None },
        Effect::Swap { sell, amount, recipient, .. } => {
            // A swap that pays out to the signer need not say so.
            let recipient = recipient.as_deref().filter(|to| !to.eq_ignore_ascii_case(from));
            Said { party: recipient.map(|to| (Recipient, to)), amount: Some((sell, amount, false)) }
        }
        _ => return None,
    })
}

/// A party that no field shows: the descriptor leaves it out, or gives words of its own for it.
fn party(about: DescribedPart, address: &str, fields: &[&RenderedField]) -> Option<DescriptorContradiction> {
    let is = |field: &&&RenderedField| match &field.origin {
        Some(Origin::Address { address: found }) => found.eq_ignore_ascii_case(address),
        // A slice of bytes, or an address as a word.
        _ => field
            .value
            .to_ascii_lowercase()
            .contains(address.trim_start_matches("0x").to_ascii_lowercase().as_str()),
    };
    if fields.iter().any(|field| is(&field)) {
        return None;
    }
    Some(DescriptorContradiction { about, described: None, actual: address.to_owned() })
}

/// The amount in another magnitude, of another token, or with words in the place of digits.
fn amount(
    asset: &Asset,
    quantity: &Quantity,
    unlimited: bool,
    fields: &[&RenderedField],
) -> Vec<DescriptorContradiction> {
    let mut found = Vec::new();
    let mut spoken = false;
    for field in fields {
        let Some(Origin::Number { units, token, amount }) = &field.origin else { continue };
        if units != &quantity.units {
            continue;
        }
        spoken = true;
        // A plain number, or every digit of it.
        if !amount || field.value == *units {
            continue;
        }
        if let (Some(token), Asset::Token { id, .. }) = (token, asset)
            && !token.eq_ignore_ascii_case(id)
        {
            found.push(contradiction(DescribedPart::Token, Some(&field.value), &quantity.shown));
            continue;
        }
        if !agrees(&field.value, quantity, unlimited) {
            found.push(contradiction(DescribedPart::Amount, Some(&field.value), &quantity.shown));
        }
    }
    if !spoken && quantity.units != "0" {
        found.push(contradiction(DescribedPart::Amount, None, &quantity.shown));
    }
    found
}

/// Whether two texts have the same number, or both say that there is no limit.
fn agrees(described: &str, quantity: &Quantity, unlimited: bool) -> bool {
    let number = |text: &str| -> String {
        let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        match digits.contains('.') {
            true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => digits,
        }
    };
    let (described, actual) = (number(described), number(&quantity.shown));
    match described.is_empty() {
        true => unlimited,
        false => described == actual || described == quantity.units,
    }
}

fn contradiction(about: DescribedPart, described: Option<&str>, actual: &str) -> DescriptorContradiction {
    DescriptorContradiction { about, described: described.map(str::to_owned), actual: actual.to_owned() }
}
