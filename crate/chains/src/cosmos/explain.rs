//! What a transaction does, from its decoded body and the signer's part.

use super::message::{Message, bech32};
use super::proto::{Any, Coin, MsgExecuteContract, MsgTransfer, ThorAsset, ThorCoin, ThorDeposit};
use super::{Tx, table};
use crate::amount::is_unlimited;
use crate::explain::{Asset, Effect, Explanation, Fee, Function};
use crate::transaction::Account;
use crate::{Amount, Chain, thorchain_memo};
use serde_json::{Map, Value};

pub(super) fn explain(tx: &Tx, account: &Account) -> Explanation {
    let chain = account.chain;
    let mut effects: Vec<Effect> = tx.messages.iter().flat_map(|message| of(message, tx, account)).collect();
    let extensions = tx.body.extension_options.iter().chain(&tx.body.non_critical_extension_options);
    effects.extend(extensions.map(unknown));
    let (fee, gas_limit) = fee(tx, chain, &mut effects);
    Explanation {
        target: None,
        chain,
        from: account.address.clone(),
        effects,
        parties: Vec::new(),
        memo: Some(tx.body.memo.clone()).filter(|memo| !memo.is_empty()),
        fee,
        gas_limit,
        nonce: tx.auth_info.signer_infos.first().map(|signer| signer.sequence),
    }
}

/// The fee in the native coin. What is paid in another coin, or by another account, is shown as an effect.
fn fee(tx: &Tx, chain: Chain, effects: &mut Vec<Effect>) -> (Fee, Option<u64>) {
    let Some(fee) = &tx.auth_info.fee else { return (Fee::SetByChain, None) };
    // THORChain and MayaChain take a fee of their own, not the stated one.
    let set_by_chain = table::row(chain).is_some_and(|row| row.style == table::Style::Thor);
    let (native, others): (Vec<&Coin>, Vec<&Coin>) =
        fee.amount.iter().partition(|coin| !set_by_chain && asset(chain, &coin.denom) == Asset::Native);
    let mut fields: Vec<_> = others.into_iter().map(|coin| field("amount", &written(coin))).collect();
    let accounts = [("payer", &fee.payer), ("granter", &fee.granter)];
    fields.extend(accounts.iter().filter(|(_, who)| !who.is_empty()).map(|(name, who)| field(name, who)));
    let unknown = set_by_chain || (native.is_empty() && !fields.is_empty());
    if !fields.is_empty() {
        effects.push(other("Fee", fields));
    }
    let sum = native.into_iter().fold(Amount::ZERO, |sum, coin| sum.saturating_add(amount(coin)));
    (if unknown { Fee::SetByChain } else { Fee::AtMost(sum) }, Some(fee.gas_limit))
}

fn of(message: &Message, tx: &Tx, account: &Account) -> Vec<Effect> {
    let chain = account.chain;
    match message {
        Message::Send(message) => sent(chain, &message.to_address, &message.amount, &tx.body.memo),
        Message::ThorSend(message) => match bech32(account, &message.to_address) {
            Ok(to) => sent(chain, &to, &message.amount, &tx.body.memo),
            Err(_) => sent(chain, &crate::encoding::hex(&message.to_address), &message.amount, ""),
        },
        Message::MultiSend(message) => message
            .outputs
            .iter()
            .flat_map(|output| sent(chain, &output.address, &output.coins, ""))
            .collect(),
        Message::Transfer(message) => transferred(chain, message),
        Message::Execute(message) => executed(chain, message),
        Message::ThorDeposit(message) => deposited(chain, message),
        Message::Delegate(message) => {
            let staked = staked("MsgDelegate", &[("validator", &message.validator_address)], None);
            sent(chain, &message.validator_address, message.amount.as_slice(), "")
                .into_iter()
                .chain([staked])
                .collect()
        }
        Message::Undelegate(message) => {
            vec![staked(
                "MsgUndelegate",
                &[("validator", &message.validator_address)],
                message.amount.as_ref(),
            )]
        }
        Message::Redelegate(message) => {
            let (from, to) = (&message.validator_src_address, &message.validator_dst_address);
            vec![staked("MsgBeginRedelegate", &[("from", from), ("to", to)], message.amount.as_ref())]
        }
        Message::WithdrawReward(message) => {
            let fields = [("validator", message.validator_address.as_str())];
            vec![staked("MsgWithdrawDelegatorReward", &fields, None)]
        }
        Message::Vote(message) => {
            let (proposal, option) = (message.proposal_id.to_string(), vote(message.option));
            vec![other("MsgVote", vec![field("proposal", &proposal), field("option", &option)])]
        }
        Message::Unknown(any) => vec![unknown(any)],
    }
}

/// Coins to an account; with a memo that a swap network reads, what it will do with the first of them.
fn sent(chain: Chain, to: &str, coins: &[Coin], memo: &str) -> Vec<Effect> {
    let transfer = |coin: &Coin| {
        let (asset, amount) = (asset(chain, &coin.denom), amount(coin));
        let asked = thorchain_memo::effect(reader_of_memos(chain), memo, to, &asset, amount);
        asked.unwrap_or_else(|| Effect::Transfer { asset, to: to.to_owned(), amount })
    };
    coins.iter().map(transfer).collect()
}

/// Which network reads the memos of payments on a chain. Its own deposits are another message.
const fn reader_of_memos(chain: Chain) -> Chain {
    match chain {
        Chain::ThorChain | Chain::Kujira => Chain::MayaChain,
        _ => Chain::ThorChain,
    }
}

fn transferred(chain: Chain, message: &MsgTransfer) -> Vec<Effect> {
    let height = message.timeout_height.clone().unwrap_or_default();
    let mut fields = vec![
        field("port", &message.source_port),
        field("channel", &message.source_channel),
        field("timeout_height", &format!("{}-{}", height.revision_number, height.revision_height)),
        field("timeout_timestamp", &message.timeout_timestamp.to_string()),
    ];
    if !message.memo.is_empty() {
        fields.push(field("memo", &message.memo));
    }
    let transfer = |token: &Coin| Effect::Transfer {
        asset: asset(chain, &token.denom),
        to: message.receiver.clone(),
        amount: amount(token),
    };
    message.token.iter().map(transfer).chain([other("IBC", fields)]).collect()
}

/// A contract's function is the one name in its JSON; its token transfers and allowances are said as such.
fn executed(chain: Chain, message: &MsgExecuteContract) -> Vec<Effect> {
    let contract = &message.contract;
    let parsed: Option<Value> = serde_json::from_slice(&message.msg).ok();
    let call = parsed.as_ref().and_then(Value::as_object).filter(|object| object.len() == 1);
    let call = call.and_then(|object| object.iter().next());
    if message.funds.is_empty()
        && let Some(effect) = call.and_then(|(name, value)| token_call(contract, name, value.as_object()?))
    {
        return vec![effect];
    }
    let function = match call {
        Some((name, value)) => {
            let arguments = match value.as_object() {
                Some(values) => values.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
                None => vec![(name.clone(), plain(value))],
            };
            Function::Known { signature: name.clone(), arguments }
        }
        None => Function::Unknown { selector: None, bytes: message.msg.len() },
    };
    let is_native = |coin: &&Coin| asset(chain, &coin.denom) == Asset::Native;
    let value = message
        .funds
        .iter()
        .filter(is_native)
        .fold(Amount::ZERO, |sum, coin| sum.saturating_add(amount(coin)));
    let tokens = message.funds.iter().filter(|coin| !is_native(coin)).map(|coin| Effect::Transfer {
        asset: asset(chain, &coin.denom),
        to: contract.clone(),
        amount: amount(coin),
    });
    tokens.chain([Effect::Call { contract: contract.clone(), value, function }]).collect()
}

/// What CW20 contracts call their transfers and allowances. Only the exact form counts.
fn token_call(contract: &str, name: &str, arguments: &Map<String, Value>) -> Option<Effect> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let asset = Asset::Token { id: contract.to_owned() };
    let amount = crate::amount::parse("amount", text("amount")?).ok()?;
    match (name, arguments.len()) {
        ("transfer", 2) => Some(Effect::Transfer { asset, to: text("recipient")?.to_owned(), amount }),
        ("increase_allowance", 2 | 3) => {
            let spender = text("spender")?.to_owned();
            Some(Effect::Approve { asset, spender, amount, unlimited: is_unlimited(amount) })
        }
        _ => None,
    }
}

/// Coins for the network itself, and what it does with them as its memo says.
fn deposited(chain: Chain, message: &ThorDeposit) -> Vec<Effect> {
    let network = chain.to_string();
    let coins = || message.coins.iter().map(|coin| deposited_coin(chain, coin));
    let first = coins().next().filter(|_| message.coins.len() == 1);
    let swap = |(asset, amount)| thorchain_memo::effect(chain, &message.memo, &network, &asset, amount);
    if let Some(swap) = first.and_then(swap) {
        return vec![swap];
    }
    let given = coins().filter(|(_, amount)| !amount.is_zero());
    let given = given.map(|(asset, amount)| Effect::Transfer { asset, to: network.clone(), amount });
    let action = thorchain_memo::other(&message.memo)
        .unwrap_or_else(|| other("MsgDeposit", vec![field("memo", &message.memo)]));
    given.chain([action]).collect()
}

fn deposited_coin(chain: Chain, coin: &ThorCoin) -> (Asset, Amount) {
    let name = coin.asset.as_ref().map(ThorAsset::to_string).unwrap_or_default();
    let native = match chain {
        Chain::ThorChain => "THOR.RUNE",
        _ => "MAYA.CACAO",
    };
    let asset = if name.eq_ignore_ascii_case(native) { Asset::Native } else { Asset::Token { id: name } };
    (asset, crate::amount::parse("amount", &coin.amount).unwrap_or_default())
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

fn staked(name: &str, who: &[(&str, &str)], coin: Option<&Coin>) -> Effect {
    let who = who.iter().map(|(name, who)| field(name, who));
    other(name, who.chain(coin.map(|coin| field("amount", &written(coin)))).collect())
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

fn asset(chain: Chain, denom: &str) -> Asset {
    if table::row(chain).is_some_and(|row| row.denom == denom) {
        return Asset::Native;
    }
    Asset::Token { id: denom.to_owned() }
}

/// The amount of a coin; that it is a number was checked when it was decoded.
fn amount(coin: &Coin) -> Amount {
    crate::amount::parse("amount", &coin.amount).unwrap_or_default()
}

fn written(coin: &Coin) -> String {
    format!("{}{}", coin.amount, coin.denom)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

fn unknown(any: &Any) -> Effect {
    Effect::Unknown { what: any.type_url.clone(), bytes: any.value.len() }
}

fn other(name: &str, fields: Vec<(String, String)>) -> Effect {
    Effect::Other { name: name.to_owned(), fields }
}

fn field(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
