//! What the user should look at twice: always asked about.

use super::Case;
use super::findings::{Findings, quote};
use super::transaction::{Transaction, Way, vouched};
use wire::explain::{Asset, Effect, Source};
use wire::policy::ReasonCode;

/// A spender without a limit can take later deposits too.
pub(super) fn unlimited_approval(case: &Case<'_>, findings: &mut Findings) {
    for transaction in &case.transactions {
        for moved in transaction.moves.iter().filter(|moved| moved.unlimited()) {
            let Way::Allowed { spender, .. } = moved.way else { continue };
            let message = format!("{} may take as much as it likes, now and later.", quote(spender));
            findings.add(ReasonCode::UnlimitedApproval, Some(transaction.sequence), message);
        }
    }
}

/// Bytes of a contract call that no decoder reads.
pub(super) fn unknown_calldata(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, effect) in effects(case) {
        let message = match effect {
            Effect::UnknownCall { contract, bytes, .. } => {
                format!("What {} is told in {bytes} bytes could not be decoded.", quote(contract))
            }
            Effect::Unknown { what, bytes } => {
                format!("{bytes} bytes could not be decoded: {}.", quote(what))
            }
            _ => continue,
        };
        findings.add(ReasonCode::UnknownCalldata, Some(transaction.sequence), message);
    }
}

/// Decoded, but of a form or a contract that says nothing of what is given away.
pub(super) fn unweighed_effect(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, effect) in effects(case) {
        let message = match effect {
            Effect::Other { name, .. } => format!("What {} gives away cannot be told.", quote(name)),
            Effect::Call { contract, signature, .. } => {
                let (function, contract) = (quote(signature), quote(contract));
                format!("What {function} does at {contract} cannot be told.")
            }
            Effect::Swap { provider: None, router, .. } => {
                format!("Nothing is known of {}, which is to swap.", quote(router))
            }
            _ => continue,
        };
        findings.add(ReasonCode::UnweighedEffect, Some(transaction.sequence), message);
    }
}

/// What a contract calls a transfer or an allowance is its own affair, unless the contract is known.
pub(super) fn unknown_token(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, effect) in effects(case) {
        let contract = match effect {
            Effect::Transfer { asset, .. }
            | Effect::TransferFrom { asset, .. }
            | Effect::Approve { asset, .. }
            | Effect::Swap { sell: asset, .. }
                if !vouched(asset) =>
            {
                match asset {
                    Asset::Native { .. } => continue,
                    Asset::Token { id, .. } => id,
                    Asset::Item { collection, .. } => collection,
                }
            }
            Effect::ApproveAll { collection, .. } => collection,
            _ => continue,
        };
        let message = format!("Nothing is known of the token {}.", quote(contract));
        findings.add(ReasonCode::UnknownToken, Some(transaction.sequence), message);
    }
}

/// Anyone can make a token and a pool for it: what is sold for an unknown one is given away.
pub(super) fn unknown_bought(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, effect) in effects(case) {
        if let Effect::Swap { bought: Some(Asset::Token { id, source, .. }), .. } = effect
            && !matches!(source, Some(Source::Table | Source::User))
        {
            let message = format!("Nothing is known of the token {}, which is bought.", quote(id));
            findings.add(ReasonCode::UnknownToken, Some(transaction.sequence), message);
        }
    }
}

/// Code that runs as it is created.
pub(super) fn contract_creation(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, effect) in effects(case) {
        if let Effect::Create { bytes, .. } = effect {
            let message = format!("A contract of {bytes} bytes is created.");
            findings.add(ReasonCode::ContractCreation, Some(transaction.sequence), message);
        }
    }
}

/// A swap without a least amount can give nothing.
pub(super) fn low_minimum(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, effect) in effects(case) {
        if let Effect::Swap { minimum_out, .. } = effect
            && minimum_out.as_ref().is_none_or(|least| least.bytes().all(|digit| digit == b'0'))
        {
            let message = "It takes whatever it gets for what it gives: there is no minimum.".to_owned();
            findings.add(ReasonCode::LowMinimumOutput, Some(transaction.sequence), message);
        }
    }
}

pub(super) fn effects<'c, 'a>(case: &'c Case<'a>) -> impl Iterator<Item = (&'c Transaction<'a>, &'a Effect)> {
    case.transactions.iter().flat_map(|transaction| {
        transaction.decoded.explanation.effects.iter().map(move |effect| (transaction, effect))
    })
}
