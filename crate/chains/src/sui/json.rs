//! A transaction as Sui's TypeScript library writes it: `Transaction.toJSON()`, version 2. Wallets are handed this text and
//! not bytes (wallet standard, `sui:signTransaction`).
//!
//! Only what is resolved becomes bytes: versions of objects, gas price, budget and coins are in the text. What the library
//! would look up with a client is refused, at its place.

use super::command::{Argument, Command, MoveCall, Package};
use super::data::{Address, Expiration, Gas, Input, ObjectRef, TransactionData};
use super::type_tag::TypeTag;
use crate::encoding;
use serde_json::Value;

/// Why a text is not a transaction that can be signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} {problem}")]
pub struct JsonError {
    /// JSON pointer into the text.
    pub path: String,
    /// What is wrong there.
    pub problem: &'static str,
}

type Read<T> = Result<T, JsonError>;

/// How a page makes one of what is refused here.
const UNRESOLVED: &str =
    "is not resolved: pass Transaction.from(await transaction.build({ client })) of the page's own client";

/// The bytes of a transaction in JSON. Where it names no sender, `sender` sends it, and pays.
pub fn bytes(text: &str, sender: &str) -> Read<Vec<u8>> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return Err(JsonError { path: String::new(), problem: "is neither base64 nor JSON" });
    };
    let whole = Place { value: &value, path: String::new() };
    if whole.field("version")?.value.as_u64() != Some(2) {
        return Err(whole.field("version")?.wrong("must be 2"));
    }
    let sender = match whole.optional("sender") {
        Some(sender) => sender.address()?,
        None => address(sender).ok_or_else(|| whole.wrong("names no sender"))?,
    };
    let gas = whole.field("gasData")?;
    let data = TransactionData {
        inputs: whole.field("inputs")?.each(input)?,
        commands: whole.field("commands")?.each(command)?,
        sender,
        gas: Gas {
            payment: gas.resolved("payment")?.each(object)?,
            owner: gas.optional("owner").map_or(Ok(sender), |owner| owner.address())?,
            price: gas.resolved("price")?.number()?,
            budget: gas.resolved("budget")?.number()?,
        },
        expiration: whole.optional("expiration").map_or(Ok(Expiration::None), |place| expiration(&place))?,
    };
    Ok(data.encode())
}

/// A value of the text, and where it is.
struct Place<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> Place<'a> {
    fn wrong(&self, problem: &'static str) -> JsonError {
        JsonError { path: self.path.clone(), problem }
    }

    fn inside(&self, name: &str, value: &'a Value) -> Self {
        Self { value, path: [&self.path, "/", name].concat() }
    }

    /// A member that may be absent, or `null`.
    fn optional(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(self.inside(name, value))
    }

    fn field(&self, name: &str) -> Read<Self> {
        self.optional(name).ok_or_else(|| self.inside(name, &Value::Null).wrong("is missing"))
    }

    /// A member that the library fills in when it resolves a transaction.
    fn resolved(&self, name: &str) -> Read<Self> {
        self.optional(name).ok_or_else(|| self.inside(name, &Value::Null).wrong(UNRESOLVED))
    }

    /// The name of an enum's variant, and what it holds. `$kind` names it once more in some versions.
    fn variant(&self) -> Read<(&'a str, Self)> {
        let members = self.value.as_object().ok_or_else(|| self.wrong("must be an object"))?;
        let mut members = members.iter().filter(|(name, _)| *name != "$kind");
        match (members.next(), members.next()) {
            (Some((name, value)), None) => Ok((name, self.inside(name, value))),
            _ => Err(self.wrong("must have one member")),
        }
    }

    fn each<T>(&self, read: impl Fn(&Self) -> Read<T>) -> Read<Vec<T>> {
        let list = self.value.as_array().ok_or_else(|| self.wrong("must be an array"))?;
        let one = |(index, value)| read(&self.inside(&format!("{index}"), value));
        list.iter().enumerate().map(one).collect()
    }

    fn text(&self) -> Read<&'a str> {
        self.value.as_str().ok_or_else(|| self.wrong("must be a text"))
    }

    /// A whole number, which is a text where it may be large.
    fn number(&self) -> Read<u64> {
        let number = match self.value {
            Value::String(text) => text.parse().ok().filter(|number: &u64| number.to_string() == *text),
            value => value.as_u64(),
        };
        number.ok_or_else(|| self.wrong("must be a whole number"))
    }

    fn index(&self) -> Read<u16> {
        self.number()?.try_into().map_err(|_| self.wrong("must be less than 65536"))
    }

    fn boolean(&self) -> Read<bool> {
        self.value.as_bool().ok_or_else(|| self.wrong("must be true or false"))
    }

    fn address(&self) -> Read<Address> {
        address(self.text()?).ok_or_else(|| self.wrong("must be an address"))
    }

    fn base64(&self) -> Read<Vec<u8>> {
        encoding::from_base64("bytes", self.text()?).map_err(|_| self.wrong("must be base64"))
    }

    fn kind(&self) -> Read<TypeTag> {
        TypeTag::parse(self.text()?).ok_or_else(|| self.wrong("must be a type"))
    }
}

/// `0x` and up to 64 digits.
fn address(text: &str) -> Option<Address> {
    let digits = text.strip_prefix("0x").filter(|digits| (1..=64).contains(&digits.len()))?;
    encoding::array_from_hex("address", &format!("{digits:0>64}")).ok()
}

fn object(place: &Place<'_>) -> Read<ObjectRef> {
    let digest = place.resolved("digest")?;
    let bytes = encoding::from_base58(digest.text()?).and_then(|bytes| bytes.try_into().ok());
    Ok(ObjectRef {
        id: place.field("objectId")?.address()?,
        version: place.resolved("version")?.number()?,
        digest: bytes.ok_or_else(|| digest.wrong("must be a digest in base58"))?,
    })
}

fn input(place: &Place<'_>) -> Read<Input> {
    let (name, held) = place.variant()?;
    match name {
        "Pure" => Ok(Input::Pure(held.field("bytes")?.base64()?)),
        "Object" => {
            let (name, held) = held.variant()?;
            match name {
                "ImmOrOwnedObject" => object(&held).map(Input::Owned),
                "Receiving" => object(&held).map(Input::Receiving),
                "SharedObject" => Ok(Input::Shared {
                    id: held.field("objectId")?.address()?,
                    initial_version: held.field("initialSharedVersion")?.number()?,
                    mutable: held.field("mutable")?.boolean()?,
                }),
                _ => Err(held.wrong("is an object of an unknown kind")),
            }
        }
        "UnresolvedPure" | "UnresolvedObject" => Err(held.wrong(UNRESOLVED)),
        _ => Err(held.wrong("is an input of a kind that is taken as bytes only")),
    }
}

fn argument(place: &Place<'_>) -> Read<Argument> {
    let (name, held) = place.variant()?;
    match name {
        "GasCoin" => Ok(Argument::GasCoin),
        "Input" => held.index().map(Argument::Input),
        "Result" => held.index().map(Argument::Result),
        "NestedResult" => match held.each(Place::index)?.as_slice() {
            [command, index] => Ok(Argument::Nested(*command, *index)),
            _ => Err(held.wrong("must be two numbers")),
        },
        _ => Err(held.wrong("is an argument of an unknown kind")),
    }
}

fn command(place: &Place<'_>) -> Read<Command> {
    let (name, held) = place.variant()?;
    let one = |name: &str| held.field(name).and_then(|place| argument(&place));
    let several = |name: &str| held.field(name)?.each(argument);
    match name {
        "MoveCall" => Ok(Command::MoveCall(Box::new(MoveCall {
            package: held.field("package")?.address()?,
            module: held.field("module")?.text()?.to_owned(),
            function: held.field("function")?.text()?.to_owned(),
            types: held.field("typeArguments")?.each(Place::kind)?,
            arguments: several("arguments")?,
        }))),
        "TransferObjects" => {
            Ok(Command::TransferObjects { objects: several("objects")?, address: one("address")? })
        }
        "SplitCoins" => Ok(Command::SplitCoins { coin: one("coin")?, amounts: several("amounts")? }),
        "MergeCoins" => {
            Ok(Command::MergeCoins { destination: one("destination")?, sources: several("sources")? })
        }
        "Publish" => package(&held).map(Command::Publish),
        "MakeMoveVec" => Ok(Command::MakeMoveVec {
            kind: held.optional("type").map(|kind| kind.kind()).transpose()?,
            elements: several("elements")?,
        }),
        "Upgrade" => Ok(Command::Upgrade {
            code: package(&held)?,
            package: held.field("package")?.address()?,
            ticket: one("ticket")?,
        }),
        "$Intent" => Err(held.wrong(UNRESOLVED)),
        _ => Err(held.wrong("is a command of an unknown kind")),
    }
}

fn package(place: &Place<'_>) -> Read<Package> {
    Ok(Package {
        modules: place.field("modules")?.each(Place::base64)?,
        dependencies: place.field("dependencies")?.each(Place::address)?,
    })
}

fn expiration(place: &Place<'_>) -> Read<Expiration> {
    let (name, held) = place.variant()?;
    match name {
        "None" => Ok(Expiration::None),
        "Epoch" => held.number().map(Expiration::Epoch),
        _ => Err(held.wrong("is an expiration of a kind that is taken as bytes only")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const OWN: &str = "0xabababababababababababababababababababababababababababababababab";

    /// What the library wrote.
    fn library(name: &str) -> Value {
        let all: Value = serde_json::from_str(include_str!("../../tests/sui/library.json")).unwrap();
        all[name].clone()
    }

    fn refused(value: &Value) -> (String, &'static str) {
        let error = bytes(&value.to_string(), OWN).unwrap_err();
        (error.path, error.problem)
    }

    #[test]
    fn same_bytes_as_the_library() {
        let wanted = encoding::from_base64("bytes", library("bytes").as_str().unwrap()).unwrap();
        assert_eq!(bytes(&library("resolved").to_string(), OWN), Ok(wanted.clone()));
        let data = TransactionData::decode("bytes", &wanted).unwrap();
        assert_eq!((data.inputs.len(), data.commands.len()), (7, 8));
        // The account that signs sends what names no sender.
        let plain = bytes(&library("withoutSender").to_string(), OWN).unwrap();
        let data = TransactionData::decode("bytes", &plain).unwrap();
        assert_eq!((data.sender, data.gas.owner), ([0xab; 32], [0xab; 32]));
    }

    #[test]
    fn what_the_library_would_look_up_is_refused() {
        assert_eq!(refused(&library("unresolved")), ("/inputs/2/UnresolvedObject".to_owned(), UNRESOLVED));
        for name in ["payment", "price", "budget"] {
            let mut value = library("resolved");
            value["gasData"][name] = Value::Null;
            assert_eq!(refused(&value), (format!("/gasData/{name}"), UNRESOLVED));
        }
        let mut value = library("resolved");
        value["commands"][0] = json!({"$Intent": {"name": "CoinWithBalance", "inputs": {}, "data": {}}});
        assert_eq!(refused(&value), ("/commands/0/$Intent".to_owned(), UNRESOLVED));
    }

    #[test]
    fn what_is_wrong_is_refused_at_its_place() {
        let with = |path: &str, new: Value| {
            let mut value = library("resolved");
            *value.pointer_mut(path).unwrap() = new;
            refused(&value).0
        };
        for (path, new, place) in [
            ("/version", json!(1), "/version"),
            ("/sender", json!("0xzz"), "/sender"),
            ("/inputs", json!({}), "/inputs"),
            ("/inputs/0/Pure/bytes", json!("%"), "/inputs/0/Pure/bytes"),
            ("/inputs/0", json!({"Pure": {}, "Object": {}}), "/inputs/0"),
            ("/inputs/1/Object", json!({"Magic": {}}), "/inputs/1/Object/Magic"),
            (
                "/inputs/1/Object/ImmOrOwnedObject/digest",
                json!("1"),
                "/inputs/1/Object/ImmOrOwnedObject/digest",
            ),
            (
                "/commands/0/SplitCoins/amounts/0",
                json!({"Input": 65_536}),
                "/commands/0/SplitCoins/amounts/0/Input",
            ),
            (
                "/commands/1/MergeCoins/sources/0",
                json!({"NestedResult": [1]}),
                "/commands/1/MergeCoins/sources/0/NestedResult",
            ),
            (
                "/commands/2/MoveCall/typeArguments/0",
                json!("vector<"),
                "/commands/2/MoveCall/typeArguments/0",
            ),
            ("/gasData/price", json!("07"), "/gasData/price"),
            ("/gasData/budget", json!(-1), "/gasData/budget"),
            ("/expiration", json!({"ValidDuring": {}}), "/expiration/ValidDuring"),
        ] {
            assert_eq!(with(path, new), place);
        }
        for text in ["", "{", "AAAA"] {
            assert_eq!(bytes(text, OWN).unwrap_err().problem, "is neither base64 nor JSON", "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[{}\\[\\]\",:a-zA-Z0-9 ]{0,80}", place in 0_usize..8, number in any::<i64>()) {
            let _ = bytes(&text, OWN);
            let mut value = library("resolved");
            value["commands"][place] = json!({"SplitCoins": {"coin": {"Result": number}, "amounts": [text]}});
            let _ = bytes(&value.to_string(), OWN);
        }
    }
}
