//! The amino form of a sign doc: JSON without blanks, keys in order, as `cosmos-sdk`'s legacy `StdSignDoc` has it.
//!
//! A node gets the transaction in protobuf all the same and makes the JSON again from that. So every message must be
//! one that is known here, and say nothing that its protobuf form could not.

use super::message::Message;
use super::proto::{
    Coin, Fee, Height, MsgBeginRedelegate, MsgDelegate, MsgExecuteContract, MsgSend, MsgTransfer,
};
use super::proto::{MsgVote, MsgWithdrawDelegatorReward, ThorAsset, ThorCoin, ThorDeposit, ThorSend};
use super::{AMINO_JSON, Signer, Tx, body, chain_id};
use crate::address::cosmos as address;
use crate::order;
use crate::{Chain, TransactionError, amount};
use prost::Message as _;
use serde_json::{Map, Value, json};
use wire::keysign::{CosmosFee, CosmosMsg, SignAmino};

const FIELD: &str = "sign_amino.msgs";

/// Above this JSON readers do not agree on a number.
const MAX_NUMBER: u64 = 1 << 53;

/// The transaction that a payload states in amino JSON.
pub(super) fn transaction(doc: &SignAmino, memo: &str, signer: &Signer<'_>) -> Result<Tx, TransactionError> {
    let stated = doc.fee.as_ref().ok_or(TransactionError::Missing { field: "sign_amino.fee" })?;
    let fee = fee(stated)?;
    let values = doc.msgs.iter().map(value).collect::<Result<Vec<Value>, _>>()?;
    let read = |(stated, value): (&CosmosMsg, &Value)| message(signer.account.chain, &stated.r#type, value);
    let messages: Vec<Message> = doc.msgs.iter().zip(&values).map(read).collect::<Result<_, _>>()?;
    let typed = |(stated, value): (&CosmosMsg, Value)| json!({ "type": stated.r#type, "value": value });
    let coins: Vec<Value> =
        fee.amount.iter().map(|coin| json!({ "amount": coin.amount, "denom": coin.denom })).collect();
    let json = json!({
        "account_number": signer.account_number.to_string(),
        "chain_id": chain_id(signer.account.chain)?,
        "fee": { "amount": coins, "gas": fee.gas_limit.to_string() },
        "memo": memo,
        "msgs": doc.msgs.iter().zip(values).map(typed).collect::<Vec<Value>>(),
        "sequence": signer.sequence.to_string(),
    });
    Tx::new(
        [
            body(&messages, memo).encode_to_vec(),
            signer.auth_info(AMINO_JSON, fee).encode_to_vec(),
            canonical(&json).into_bytes(),
        ],
        signer.account_number,
        (signer.account, &signer.key(), AMINO_JSON),
    )
}

fn fee(stated: &CosmosFee) -> Result<Fee, TransactionError> {
    let others = [&stated.payer, &stated.granter, &stated.fee_payer];
    if others.iter().any(|who| who.as_ref().is_some_and(|who| !who.is_empty())) {
        return Err(TransactionError::Unsupported { what: "a fee that another account pays" });
    }
    let coin =
        |coin: &wire::keysign::CosmosCoin| Coin { denom: coin.denom.clone(), amount: coin.amount.clone() };
    Ok(Fee {
        amount: stated.amount.iter().map(coin).collect(),
        gas_limit: amount::parse_u64("sign_amino.fee.gas", &stated.gas)?,
        ..Fee::default()
    })
}

fn value(message: &CosmosMsg) -> Result<Value, TransactionError> {
    let malformed = |reason| TransactionError::Malformed { field: FIELD, reason };
    let value: Value = serde_json::from_str(&message.value).map_err(|_| malformed("is not JSON"))?;
    if certain(&value) { Ok(value) } else { Err(malformed("has a number that JSON readers do not agree on")) }
}

/// Whether all numbers are whole and small enough for every reader.
fn certain(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_i64().is_some_and(|number| number.unsigned_abs() <= MAX_NUMBER),
        Value::Array(values) => values.iter().all(certain),
        Value::Object(values) => values.values().all(certain),
        _ => true,
    }
}

/// The message that an amino type and value stand for.
fn message(chain: Chain, name: &str, value: &Value) -> Result<Message, TransactionError> {
    let mut fields = Fields::of(value)?;
    let message = match name {
        "cosmos-sdk/MsgSend" => Message::Send(MsgSend {
            from_address: fields.text("from_address")?,
            to_address: fields.text("to_address")?,
            amount: fields.coins("amount")?,
        }),
        "cosmos-sdk/MsgTransfer" => transfer(&mut fields)?,
        "wasm/MsgExecuteContract" => Message::Execute(MsgExecuteContract {
            sender: fields.text("sender")?,
            contract: fields.text("contract")?,
            msg: canonical(&fields.take("msg")?).into_bytes(),
            funds: fields.coins("funds")?,
        }),
        "cosmos-sdk/MsgDelegate" => Message::Delegate(delegation(&mut fields)?),
        "cosmos-sdk/MsgUndelegate" => Message::Undelegate(delegation(&mut fields)?),
        "cosmos-sdk/MsgBeginRedelegate" => Message::Redelegate(MsgBeginRedelegate {
            delegator_address: fields.text("delegator_address")?,
            validator_src_address: fields.text("validator_src_address")?,
            validator_dst_address: fields.text("validator_dst_address")?,
            amount: Some(coin(&fields.take("amount")?)?),
        }),
        "cosmos-sdk/MsgWithdrawDelegationReward" => Message::WithdrawReward(MsgWithdrawDelegatorReward {
            delegator_address: fields.text("delegator_address")?,
            validator_address: fields.text("validator_address")?,
        }),
        "cosmos-sdk/MsgVote" => Message::Vote(MsgVote {
            proposal_id: amount::parse_u64("proposal_id", &fields.text("proposal_id")?)?,
            voter: fields.text("voter")?,
            option: fields.small_number("option")?,
        }),
        "thorchain/MsgSend" | "mayachain/MsgSend" => Message::ThorSend(ThorSend {
            from_address: fields.account(chain, "from_address")?,
            to_address: fields.account(chain, "to_address")?,
            amount: fields.coins("amount")?,
        }),
        "thorchain/MsgDeposit" | "mayachain/MsgDeposit" => Message::ThorDeposit(ThorDeposit {
            coins: fields.list("coins")?.iter().map(deposited).collect::<Result<_, _>>()?,
            memo: fields.text("memo")?,
            signer: fields.account(chain, "signer")?,
        }),
        _ => return Err(TransactionError::UnsupportedTxType { what: name.to_owned() }),
    };
    fields.finish()?;
    Ok(message)
}

fn delegation(fields: &mut Fields) -> Result<MsgDelegate, TransactionError> {
    Ok(MsgDelegate {
        delegator_address: fields.text("delegator_address")?,
        validator_address: fields.text("validator_address")?,
        amount: Some(coin(&fields.take("amount")?)?),
    })
}

/// What is zero or empty is left out.
fn transfer(fields: &mut Fields) -> Result<Message, TransactionError> {
    let mut height = Fields::of(&fields.take("timeout_height")?)?;
    let timeout_height = Some(Height {
        revision_number: height.number_or_nothing("revision_number")?,
        revision_height: height.number_or_nothing("revision_height")?,
    });
    height.finish()?;
    Ok(Message::Transfer(MsgTransfer {
        source_port: fields.text("source_port")?,
        source_channel: fields.text("source_channel")?,
        token: Some(coin(&fields.take("token")?)?),
        sender: fields.text("sender")?,
        receiver: fields.text("receiver")?,
        timeout_height,
        timeout_timestamp: fields.number_or_nothing("timeout_timestamp")?,
        memo: if fields.has("memo") { fields.text("memo")? } else { String::new() },
    }))
}

fn coin(value: &Value) -> Result<Coin, TransactionError> {
    let mut fields = Fields::of(value)?;
    let coin = Coin { denom: fields.text("denom")?, amount: fields.text("amount")? };
    fields.finish()?;
    Ok(coin)
}

fn deposited(value: &Value) -> Result<ThorCoin, TransactionError> {
    let mut fields = Fields::of(value)?;
    let asset = asset(&fields.text("asset")?)?;
    let amount = fields.text("amount")?;
    let decimals = fields.number_or_nothing("decimals")?;
    fields.finish()?;
    let decimals = i64::try_from(decimals).map_err(|_| TransactionError::Amount { field: "decimals" })?;
    Ok(ThorCoin { asset: Some(asset), amount, decimals })
}

/// `CHAIN.SYMBOL`; the mark between says whether it is the asset itself or a claim on it.
fn asset(text: &str) -> Result<ThorAsset, TransactionError> {
    let malformed = TransactionError::Malformed { field: FIELD, reason: "has an asset that is none" };
    let at = text.find(['.', '/', '~', '-']).ok_or(malformed.clone())?;
    let (chain, rest) = text.split_at(at);
    let mut symbol = rest.chars();
    let mark = symbol.next();
    let symbol = symbol.as_str();
    if chain.is_empty() || symbol.is_empty() {
        return Err(malformed);
    }
    Ok(ThorAsset {
        chain: chain.to_owned(),
        symbol: symbol.to_owned(),
        ticker: symbol.split('-').next().unwrap_or(symbol).to_owned(),
        synth: mark == Some('/'),
        trade: mark == Some('~'),
        secured: mark == Some('-'),
    })
}

/// The fields of an object, taken out one by one; none may be left.
struct Fields(Map<String, Value>);

impl Fields {
    fn of(value: &Value) -> Result<Self, TransactionError> {
        value.as_object().cloned().map(Self).ok_or(malformed("is not of the form that its type has"))
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn take(&mut self, name: &str) -> Result<Value, TransactionError> {
        self.0.remove(name).ok_or(malformed("lacks a field of its type"))
    }

    fn text(&mut self, name: &str) -> Result<String, TransactionError> {
        match self.take(name)? {
            Value::String(text) => Ok(text),
            _ => Err(malformed("has a field of another type")),
        }
    }

    fn list(&mut self, name: &str) -> Result<Vec<Value>, TransactionError> {
        match self.take(name)? {
            Value::Array(values) => Ok(values),
            _ => Err(malformed("has a field of another type")),
        }
    }

    fn coins(&mut self, name: &str) -> Result<Vec<Coin>, TransactionError> {
        self.list(name)?.iter().map(coin).collect()
    }

    /// A number as text, absent where it is zero.
    fn number_or_nothing(&mut self, name: &'static str) -> Result<u64, TransactionError> {
        if self.has(name) { amount::parse_u64(name, &self.text(name)?) } else { Ok(0) }
    }

    fn small_number(&mut self, name: &str) -> Result<i32, TransactionError> {
        let number = self.take(name)?.as_i64().and_then(|number| i32::try_from(number).ok());
        number.ok_or(malformed("has a field of another type"))
    }

    fn account(&mut self, chain: Chain, name: &'static str) -> Result<Vec<u8>, TransactionError> {
        let hrp = chain.bech32_hrp().unwrap_or_default();
        let text = self.text(name)?;
        address::decode(hrp, &text).map_err(|error| TransactionError::Address { field: name, error })
    }

    fn finish(self) -> Result<(), TransactionError> {
        if self.0.is_empty() { Ok(()) } else { Err(malformed("has a field that its type does not have")) }
    }
}

const fn malformed(reason: &'static str) -> TransactionError {
    TransactionError::Malformed { field: FIELD, reason }
}

/// JSON as the SDK signs it: no blanks, keys in the order of their bytes, and five characters escaped that need not be.
fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write(value, out);
            }
            out.push(']');
        }
        Value::Object(values) => {
            let mut sorted: Vec<_> = values.iter().collect();
            order::sort_by_key(&mut sorted, |(key, _)| *key);
            out.push('{');
            for (index, (key, value)) in sorted.into_iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write_text(key, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        Value::String(text) => write_text(text, out),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

/// Go's JSON escapes what might end a script in a page.
fn write_text(text: &str, out: &mut String) {
    for character in Value::from(text).to_string().chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_canonical_text_is_sorted_and_escaped() {
        let value: Value = serde_json::from_str(r#"{"b":[1,true,null,{}],"a":"<&>\u2028\n\"é"}"#).unwrap();
        assert_eq!(canonical(&value), r#"{"a":"\u003c\u0026\u003e\u2028\n\"é","b":[1,true,null,{}]}"#);
    }

    #[test]
    fn an_asset_has_its_mark() {
        let of = |text: &str| asset(text).unwrap();
        let usdc = of("ETH-USDC-0XA0");
        assert!(usdc.secured && !usdc.synth && !usdc.trade);
        assert_eq!((usdc.symbol.as_str(), usdc.ticker.as_str()), ("USDC-0XA0", "USDC"));
        for text in ["THOR.RUNE", "BTC/BTC", "ETH~ETH", "ETH.USDC-0XA0", "LTC-LTC"] {
            assert_eq!(of(text).to_string(), text);
        }
        assert!(asset("RUNE").is_err() && asset(".RUNE").is_err() && asset("THOR.").is_err());
    }

    #[test]
    fn amino_only_fields_are_refused() {
        let read =
            |name: &str, value: &str| message(Chain::Cosmos, name, &serde_json::from_str(value).unwrap());
        let send = r#"{"from_address":"a","to_address":"b","amount":[{"denom":"uatom","amount":"1"}]}"#;
        assert!(read("cosmos-sdk/MsgSend", send).is_ok());
        let extra = send.replace("{\"from", "{\"x\":1,\"from");
        assert_eq!(read("cosmos-sdk/MsgSend", &extra).unwrap_err().code(), "malformed");
        assert_eq!(read("cosmos-sdk/MsgSend", "{}").unwrap_err().code(), "malformed");
        assert_eq!(read("cosmos-sdk/MsgSend", "[]").unwrap_err().code(), "malformed");
        assert_eq!(read("cosmos-sdk/MsgExec", send).unwrap_err().code(), "unsupported_tx_type");
    }

    #[test]
    fn a_number_that_loses_digits_is_refused() {
        let of = |text: &str| value(&CosmosMsg { value: text.to_owned(), ..CosmosMsg::default() });
        assert!(of("{\"a\":[9007199254740992]}").is_ok());
        for text in ["9007199254740993", "1.5", "1e30", "123456789012345678901234567890", "{", ""] {
            assert_eq!(of(text).unwrap_err().code(), "malformed", "{text}");
        }
    }
}
