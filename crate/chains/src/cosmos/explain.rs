//! What a transaction does, from its decoded body and the signer's part.

use super::message::{Message, bech32};
use super::proto::{Any, Coin, Fee as StatedFee, ThorAsset, ThorCoin, ThorDeposit};
use super::{Tx, contract, ibc, table};
use crate::explain::{Asset, Effect, Explanation, Fee, Party, PartyRole};
use crate::facts::Facts;
use crate::transaction::Account;
use crate::{Amount, Chain, thorchain_memo};

/// What a part of a transaction does, and whom it names beside.
#[derive(Default)]
pub(super) struct Told {
    pub(super) effects: Vec<Effect>,
    pub(super) parties: Vec<Party>,
}

impl Told {
    fn of(effects: Vec<Effect>) -> Self {
        Self { effects, parties: Vec::new() }
    }

    /// Something that one address gets from it, or may decide.
    fn to(effect: Effect, address: &str, role: PartyRole) -> Self {
        Self { effects: vec![effect], parties: vec![Party::new(address, role)] }
    }

    fn add(&mut self, other: Self) {
        self.effects.extend(other.effects);
        self.parties.extend(other.parties);
    }
}

pub(super) fn explain(tx: &Tx, account: &Account, facts: Facts<'_>) -> Explanation {
    let chain = account.chain;
    let memo = Some(tx.body.memo.clone()).filter(|memo| !memo.is_empty());
    let mut told = Told::default();
    for message in &tx.messages {
        told.add(of(message, tx, account, facts));
    }
    let extensions = tx.body.extension_options.iter().chain(&tx.body.non_critical_extension_options);
    told.effects.extend(extensions.map(unknown));
    let (fee, gas_limit) = match &tx.auth_info.fee {
        Some(stated) => (fee(stated, tx, chain, &mut told.effects), Some(stated.gas_limit)),
        None => (Fee::SetByChain, None),
    };
    told.parties.extend(thorchain_memo::parties(&tx.body.memo));
    Explanation {
        target: None,
        chain,
        from: account.address.clone(),
        effects: told.effects,
        parties: told.parties,
        memo,
        fee,
        gas_limit,
        nonce: tx.auth_info.signer_infos.first().map(|signer| signer.sequence),
    }
}

/// A fee in the coin that is sent is small if it is no more than one part of so many.
const SMALL_PART: u64 = 20;

/// The fee in the native coin. One in another coin is an effect whose worth is not read, unless it is a small part of what
/// is sent in that coin, as Terra Classic takes it with its tax. That another account pays is told, and costs the signer
/// nothing.
fn fee(stated: &StatedFee, tx: &Tx, chain: Chain, effects: &mut Vec<Effect>) -> Fee {
    // THORChain and MayaChain take a fee of their own, not the stated one.
    let set_by_chain = table::row(chain).is_some_and(|row| row.style == table::Style::Thor);
    let paid = stated.amount.iter().filter(|coin| !units(coin).is_zero());
    let (native, others): (Vec<&Coin>, Vec<&Coin>) =
        paid.partition(|coin| !set_by_chain && asset(chain, &coin.denom) == Asset::Native);
    let accounts = [("payer", &stated.payer), ("granter", &stated.granter)].into_iter();
    let accounts = accounts.filter(|(_, who)| !who.is_empty()).map(|(name, who)| (name, who.clone()));
    let amounts = others.iter().map(|coin| ("amount", written(coin)));
    let fields: Vec<_> = amounts.chain(accounts).collect();
    if !others.iter().all(|coin| is_small_part(coin, tx)) {
        effects.push(Effect::other("Fee", fields));
    } else if !fields.is_empty() {
        effects.push(Effect::note("Fee", fields));
    }
    let sum = native.into_iter().fold(Amount::ZERO, |sum, coin| sum.saturating_add(units(coin)));
    if set_by_chain { Fee::SetByChain } else { Fee::AtMost(sum) }
}

fn is_small_part(fee: &Coin, tx: &Tx) -> bool {
    let sent = tx.messages.iter().flat_map(|message| match message {
        Message::Send(message) => message.amount.as_slice(),
        _ => &[],
    });
    let sent = sent.filter(|coin| coin.denom == fee.denom).map(units);
    let sent = sent.fold(Amount::ZERO, Amount::saturating_add);
    units(fee).saturating_mul(Amount::from(SMALL_PART)) <= sent
}

fn of(message: &Message, tx: &Tx, account: &Account, facts: Facts<'_>) -> Told {
    let chain = account.chain;
    match message {
        Message::Send(message) => paid(tx, chain, facts, &message.to_address, &message.amount),
        Message::ThorSend(message) => {
            let to = bech32(account, &message.to_address);
            let to = to.unwrap_or_else(|_| crate::encoding::hex(&message.to_address));
            paid(tx, chain, facts, &to, &message.amount)
        }
        Message::MultiSend(message) => {
            let sent = message.outputs.iter().flat_map(|output| sent(chain, &output.address, &output.coins));
            Told::of(sent.collect())
        }
        Message::Transfer(message) => ibc::transferred(chain, message),
        Message::Execute(message) => contract::executed(chain, message),
        Message::ThorDeposit(message) => deposited(chain, message),
        Message::SetWithdrawAddress(message) => {
            let to = &message.withdraw_address;
            let effect = Effect::other("MsgSetWithdrawAddress", [("rewards go to", to.clone())]);
            Told::to(effect, to, PartyRole::Recipient)
        }
        Message::Grant(message) => {
            let what = message.grant.as_ref().and_then(|grant| grant.authorization.as_ref());
            let what = what.map(|what| what.type_url.clone()).unwrap_or_default();
            granted("MsgGrant", &message.grantee, what)
        }
        Message::GrantAllowance(message) => {
            let what = message.allowance.as_ref().map(|what| what.type_url.clone()).unwrap_or_default();
            granted("MsgGrantAllowance", &message.grantee, what)
        }
        Message::Unknown(any) => Told::of(vec![unknown(any)]),
        _ => Told::of(staked(message).into_iter().collect()),
    }
}

/// Staking and voting. Delegated coins stay the signer's with any validator.
fn staked(message: &Message) -> Option<Effect> {
    let amount = |coin: Option<&Coin>| coin.map(|coin| ("amount", written(coin)));
    Some(match message {
        Message::Delegate(message) => {
            let validator = [("validator", message.validator_address.clone())];
            Effect::note("MsgDelegate", validator.into_iter().chain(amount(message.amount.as_ref())))
        }
        Message::Undelegate(message) => {
            let validator = [("validator", message.validator_address.clone())];
            Effect::note("MsgUndelegate", validator.into_iter().chain(amount(message.amount.as_ref())))
        }
        Message::Redelegate(message) => {
            let (from, to) = (&message.validator_src_address, &message.validator_dst_address);
            let validators = [("from", from.clone()), ("to", to.clone())];
            Effect::note("MsgBeginRedelegate", validators.into_iter().chain(amount(message.amount.as_ref())))
        }
        Message::WithdrawReward(message) => {
            Effect::note("MsgWithdrawDelegatorReward", [("validator", message.validator_address.clone())])
        }
        Message::Vote(message) => {
            let (proposal, option) = (message.proposal_id.to_string(), vote(message.option));
            Effect::note("MsgVote", [("proposal", proposal), ("option", option)])
        }
        _ => return None,
    })
}

/// Another account may act in the signer's name, or let the signer pay its fees.
fn granted(name: &str, grantee: &str, what: String) -> Told {
    let effect = Effect::other(name, [("to", grantee.to_owned()), ("what", what)]);
    Told::to(effect, grantee, PartyRole::Authority)
}

/// What a payment with the transaction's memo is. The memo is of one payment only if there is one.
fn paid(tx: &Tx, chain: Chain, facts: Facts<'_>, to: &str, coins: &[Coin]) -> Told {
    match (coins, tx.messages.len()) {
        ([coin], 1) => {
            let (asset, amount) = (asset(chain, &coin.denom), units(coin));
            Told::of(vec![thorchain_memo::payment(chain, facts, &tx.body.memo, to, asset, amount)])
        }
        _ => Told::of(sent(chain, to, coins).collect()),
    }
}

fn sent(chain: Chain, to: &str, coins: &[Coin]) -> impl Iterator<Item = Effect> {
    coins.iter().map(move |coin| Effect::Transfer {
        asset: asset(chain, &coin.denom),
        to: to.to_owned(),
        amount: units(coin),
    })
}

/// Coins for the network itself, and what it does with them as its memo says.
fn deposited(chain: Chain, message: &ThorDeposit) -> Told {
    let network = chain.to_string();
    let coins = || message.coins.iter().map(|coin| deposited_coin(chain, coin));
    let first = coins().next().filter(|_| message.coins.len() == 1);
    let swap = |(asset, amount)| thorchain_memo::effect(chain, &message.memo, &network, &asset, amount);
    let effects = match first.and_then(swap) {
        Some(swap) => vec![swap],
        None => {
            let given = coins().filter(|(_, amount)| !amount.is_zero());
            let given = given.map(|(asset, amount)| Effect::Transfer { asset, to: network.clone(), amount });
            let action = thorchain_memo::other(&message.memo)
                .unwrap_or_else(|| Effect::other("MsgDeposit", [("memo", message.memo.clone())]));
            match action {
                Effect::Note { name, fields } if name.ends_with('+') => vec![kept(name, fields, message)],
                action => given.chain([action]).collect(),
            }
        }
    };
    Told { effects, parties: thorchain_memo::parties(&message.memo) }
}

/// What is put into the network and stays the signer's: not a payment to anyone.
fn kept(name: String, mut fields: Vec<(String, String)>, message: &ThorDeposit) -> Effect {
    let put_in = message.coins.iter().filter_map(|coin| {
        let asset = coin.asset.as_ref().map(ThorAsset::to_string)?;
        Some(("amount".to_owned(), format!("{} {asset}", coin.amount)))
    });
    fields.extend(put_in);
    Effect::Note { name, fields }
}

fn deposited_coin(chain: Chain, coin: &ThorCoin) -> (Asset, Amount) {
    let name = coin.asset.as_ref().map(ThorAsset::to_string).unwrap_or_default();
    let native = match chain {
        Chain::ThorChain => "THOR.RUNE",
        _ => "MAYA.CACAO",
    };
    let asset =
        if name.eq_ignore_ascii_case(native) { Asset::Native } else { Asset::Token { id: denom(name) } };
    (asset, crate::amount::parse("amount", &coin.amount).unwrap_or_default())
}

/// The denom under which the network's bank keeps an asset: limits and names of tokens go by it.
fn denom(asset: String) -> String {
    match asset.to_ascii_uppercase().as_str() {
        "THOR.TCY" => "tcy".to_owned(),
        "THOR.RUJI" => "x/ruji".to_owned(),
        "MAYA.MAYA" => "maya".to_owned(),
        _ => asset.to_ascii_lowercase(),
    }
}

/// `CHAIN.SYMBOL`, with another mark between where it is not the asset itself but a claim on it.
impl std::fmt::Display for ThorAsset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = match (self.synth, self.trade, self.secured) {
            (true, _, _) => '/',
            (_, true, _) => '~',
            (_, _, true) => '-',
            _ => '.',
        };
        write!(f, "{}{mark}{}", self.chain, self.symbol)
    }
}

fn vote(option: i32) -> String {
    match option {
        1 => "yes".to_owned(),
        2 => "abstain".to_owned(),
        3 => "no".to_owned(),
        4 => "no with veto".to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn asset(chain: Chain, denom: &str) -> Asset {
    if table::row(chain).is_some_and(|row| row.denom == denom) {
        return Asset::Native;
    }
    Asset::Token { id: denom.to_owned() }
}

/// The amount of a coin; that it is a number was checked when it was decoded.
pub(super) fn units(coin: &Coin) -> Amount {
    crate::amount::parse("amount", &coin.amount).unwrap_or_default()
}

fn written(coin: &Coin) -> String {
    format!("{}{}", coin.amount, coin.denom)
}

fn unknown(any: &Any) -> Effect {
    Effect::Unknown { what: any.type_url.clone(), bytes: any.value.len() }
}
