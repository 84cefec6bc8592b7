//! One field: its format and parameters applied to a value.

use crate::error::{Degraded, RenderError};
use crate::format;
use crate::path::Path;
use crate::render::{Container, Renderer, Subject, parsed};
use crate::value::{self, Value};
use chains::Amount;
use serde_json::{Map, Value as Json};
use wire::descriptor::{NameSource, Origin, Rendering};

/// What a field shows.
pub(crate) enum Shown {
    Text { value: String, origin: Option<Origin> },
    Call(Box<Rendering>),
}

impl Shown {
    pub(crate) const fn text(value: String) -> Self {
        Self::Text { value, origin: None }
    }
}

/// The field that a value is shown by.
struct Field<'s, 'd> {
    subject: &'s Subject<'d>,
    params: Option<&'s Map<String, Json>>,
    group: &'s Path,
    places: &'s [usize],
}

impl Field<'_, '_> {
    fn param(&self, name: &str) -> Option<&Json> {
        self.params?.get(name)
    }
}

impl Renderer<'_> {
    /// Shows a value as a field wants it.
    pub(crate) fn shown(
        &mut self,
        subject: &Subject<'_>,
        value: &Value,
        spec: &Map<String, Json>,
        group: &Path,
        places: &[usize],
    ) -> Result<Shown, RenderError> {
        let params = spec.get("params").and_then(Json::as_object);
        if let Some(encryption) = spec.get("encryption") {
            self.degrade(Degraded::EncryptedValue);
            let label = encryption.get("fallbackLabel").and_then(Json::as_str).unwrap_or("[Encrypted]");
            return Ok(Shown::text(label.to_owned()));
        }
        let field = Field { subject, params, group, places };
        let format = spec.get("format").and_then(Json::as_str).unwrap_or("raw");
        let chain_id = subject.container.chain_id;
        let shown = match format {
            "raw" => None,
            "amount" => value.number().and_then(|amount| self.native_amount(amount, chain_id)),
            "tokenAmount" => self.token_amount(value, &field),
            "nftName" => self.nft(value, &field),
            "date" => self.date(value, &field),
            "duration" => value.number().and_then(format::duration).map(|value| number_shown(value, None)),
            "unit" => self.unit(value, &field),
            "enum" => self.enumeration(value, &field),
            "chainId" => value.number().map(format::chain).map(Shown::text),
            "addressName" => self.address_name(value, &field),
            "tokenTicker" => self.ticker(value, &field),
            "interoperableAddressName" => {
                value.bytes().and_then(|bytes| format::interoperable(&bytes)).map(Shown::text)
            }
            "calldata" => return self.calldata(value, &field),
            other => {
                let problem = format!("there is no format {other}");
                return Err(RenderError::InvalidDescriptor { problem });
            }
        };
        if shown.is_none() && format != "raw" {
            self.degrade(Degraded::UnfitFormat);
        }
        Ok(shown.unwrap_or_else(|| raw(value)))
    }

    /// The value of a parameter that is a constant under `name`, or a path under `name` and `Path`.
    fn argument(&mut self, field: &Field<'_, '_>, name: &str) -> Option<Value> {
        if let Some(path) = field.param(&format!("{name}Path")).and_then(Json::as_str) {
            let path = parsed(path).ok()?;
            let root = Path { root: crate::path::Root::Data, segments: Vec::new() };
            let inside = path.clone().within(field.group);
            let found = self.resolve(field.subject, &inside, field.places);
            // Registries also write paths from the top inside of groups.
            let found = match found {
                Some(found) => found,
                None => self.resolve(field.subject, &path.within(&root), field.places)?,
            };
            return found.into_iter().next().map(|found| found.value);
        }
        let constant = field.param(name)?.clone();
        match self.constant(field.subject, &constant, field.group, field.places)? {
            Json::String(text) => Some(Value::Text(text)),
            Json::Number(number) => value::parse_number(&number.to_string()).map(Value::Number),
            _ => None,
        }
    }

    /// Texts of a parameter that is one or a list of them.
    fn texts(&mut self, field: &Field<'_, '_>, name: &str) -> Vec<String> {
        let constant = match field.param(name) {
            Some(param) => self.constant(field.subject, &param.clone(), field.group, field.places),
            None => None,
        };
        let list = match constant {
            Some(Json::Array(list)) => list,
            Some(one) => vec![one],
            None => Vec::new(),
        };
        let resolved = |json: &Json| {
            let found = self.constant(field.subject, json, field.group, field.places)?;
            found.as_str().map(str::to_owned)
        };
        list.iter().filter_map(resolved).collect()
    }

    fn chain_of(&mut self, field: &Field<'_, '_>) -> u64 {
        let given = self.argument(field, "chainId").and_then(|value| value.number());
        given.and_then(|id| u64::try_from(id).ok()).unwrap_or(field.subject.container.chain_id)
    }

    fn native_amount(&mut self, amount: Amount, chain_id: u64) -> Option<Shown> {
        let origin = Origin::Number { units: amount.to_string(), token: None, amount: true };
        let value = match format::native(chain_id) {
            Some((ticker, decimals)) => format!("{} {ticker}", format::decimal(amount, decimals)),
            None => {
                self.degrade(Degraded::UnknownCoin);
                amount.to_string()
            }
        };
        Some(Shown::Text { value, origin: Some(origin) })
    }

    fn token_amount(&mut self, value: &Value, field: &Field<'_, '_>) -> Option<Shown> {
        let amount = value.number()?;
        let token = self.argument(field, "token").and_then(|token| token.address());
        let chain_id = self.chain_of(field);
        let natives = self.texts(field, "nativeCurrencyAddress");
        let is_native =
            token.is_some_and(|token| natives.iter().any(|text| value::address(text) == Some(token)));
        let coin = match (is_native, token) {
            (true, _) => format::native(chain_id).map(|(ticker, decimals)| (ticker.to_owned(), decimals)),
            (false, Some(token)) => {
                self.token(chain_id, &token).map(|(ticker, decimals)| (ticker.to_owned(), decimals))
            }
            (false, None) => None,
        };
        let threshold = self.argument(field, "threshold").and_then(|value| value.number());
        let text = match &coin {
            // Of a token that is not known every digit is shown.
            None => amount.to_string(),
            Some((ticker, _)) if threshold.is_some_and(|threshold| amount >= threshold) => {
                let message = self.argument(field, "message");
                format!("{} {ticker}", message.map_or_else(|| "Unlimited".to_owned(), |text| text.raw()))
            }
            Some((ticker, decimals)) => format!("{} {ticker}", format::decimal(amount, *decimals)),
        };
        if coin.is_none() {
            self.degrade(if is_native { Degraded::UnknownCoin } else { Degraded::UnknownToken });
        }
        let token = token.filter(|_| !is_native).map(|token| value::plain_address(&token));
        let origin = Origin::Number { units: amount.to_string(), token, amount: true };
        Some(Shown::Text { value: text, origin: Some(origin) })
    }

    fn nft(&mut self, value: &Value, field: &Field<'_, '_>) -> Option<Shown> {
        let id = value.number()?;
        let collection = self.argument(field, "collection").and_then(|collection| collection.address());
        let chain_id = field.subject.container.chain_id;
        let name = collection.and_then(|address| self.name(chain_id, &address, &[NameSource::Collection]));
        Some(match name {
            Some(name) => number_shown(format!("{name} #{id}"), Some(id)),
            None => {
                self.degrade(Degraded::UnknownCollection);
                number_shown(id.to_string(), Some(id))
            }
        })
    }

    fn date(&mut self, value: &Value, field: &Field<'_, '_>) -> Option<Shown> {
        let number = value.number()?;
        if field.param("encoding").and_then(Json::as_str) == Some("blockheight") {
            self.degrade(Degraded::UnknownBlockTime);
            return Some(number_shown(number.to_string(), Some(number)));
        }
        Some(number_shown(format::date(number)?, Some(number)))
    }

    fn unit(&mut self, value: &Value, field: &Field<'_, '_>) -> Option<Shown> {
        let amount = value.number()?;
        let base = self.argument(field, "base").map_or_else(String::new, |base| base.raw());
        let decimals = match self.argument(field, "decimals") {
            Some(decimals) => u8::try_from(decimals.number()?).ok()?,
            None => 0,
        };
        let prefix = field.param("prefix").and_then(Json::as_bool).unwrap_or(false);
        let plain = matches!(base.as_str(), "" | "%" | "bps" | "s" | "h" | "d" | "m" | "min");
        let origin = Origin::Number { units: amount.to_string(), token: None, amount: !plain };
        Some(Shown::Text { value: format::unit(amount, decimals, &base, prefix), origin: Some(origin) })
    }

    fn enumeration(&mut self, value: &Value, field: &Field<'_, '_>) -> Option<Shown> {
        let reference = Path::parse(field.param("$ref")?.as_str()?)?;
        let names = field.subject.descriptor.at(&reference).and_then(Json::as_object);
        // Bytes of a slice are named by the number that they are, too, and truth in any case.
        let keys = [Some(value.raw()), value.number().map(|number| number.to_string())];
        let is = |name: &&String| keys.iter().flatten().any(|key| key.eq_ignore_ascii_case(name));
        let name =
            names.and_then(|names| names.iter().find(|(key, _)| is(key))).and_then(|(_, name)| name.as_str());
        if name.is_none() {
            self.degrade(Degraded::UnknownEnumValue);
        }
        Some(name.map_or_else(|| raw(value), |name| number_shown(name.to_owned(), value.number())))
    }

    fn address_name(&mut self, value: &Value, field: &Field<'_, '_>) -> Option<Shown> {
        let address = value.address()?;
        let senders = self.texts(field, "senderAddress");
        if senders.iter().any(|sender| value::address(sender) == Some(address)) {
            return Some(address_shown("Sender".to_owned(), &address));
        }
        let sources = match self.texts(field, "sources").as_slice() {
            [] => vec![NameSource::Local, NameSource::Ens],
            names => names.iter().filter_map(|name| name_source(name)).collect(),
        };
        let chain_id = field.subject.container.chain_id;
        let name = self.name(chain_id, &address, &sources);
        let name = name.map_or_else(|| value::checksummed(&address), str::to_owned);
        Some(address_shown(name, &address))
    }

    fn ticker(&mut self, value: &Value, field: &Field<'_, '_>) -> Option<Shown> {
        let address = value.address()?;
        let chain_id = self.chain_of(field);
        let ticker = self.token(chain_id, &address).map(|(ticker, _)| ticker.to_owned());
        if ticker.is_none() {
            self.degrade(Degraded::UnknownToken);
        }
        Some(address_shown(ticker.unwrap_or_else(|| value::checksummed(&address)), &address))
    }

    fn calldata(&mut self, value: &Value, field: &Field<'_, '_>) -> Result<Shown, RenderError> {
        let Value::Bytes(bytes) = value else {
            self.degrade(Degraded::UnfitFormat);
            return Ok(raw(value));
        };
        let callee = self.argument(field, "callee").and_then(|callee| callee.address());
        let mut data = bytes.clone();
        if let Some(selector) = self.argument(field, "selector") {
            let selector = match &selector {
                Value::Text(text) => chains::encoding::from_hex("selector", text).ok(),
                other => other.bytes(),
            };
            if let Some(selector) = selector.filter(|selector| selector.len() == 4) {
                data.splice(0..0, selector);
            }
        }
        let container = Container {
            from: self
                .argument(field, "spender")
                .and_then(|spender| spender.address())
                .or(field.subject.container.from),
            to: callee,
            value: self.argument(field, "amount").and_then(|amount| amount.number()).unwrap_or(Amount::ZERO),
            chain_id: self.chain_of(field),
        };
        if bytes.is_empty() {
            return Ok(raw(value));
        }
        let nested = self.nested(&container, &data, field.subject.depth + 1)?;
        Ok(nested.map_or_else(|| raw(value), |rendering| Shown::Call(Box::new(rendering))))
    }
}

fn name_source(name: &str) -> Option<NameSource> {
    match name {
        "local" => Some(NameSource::Local),
        "ens" => Some(NameSource::Ens),
        _ => None,
    }
}

/// A value as it is.
fn raw(value: &Value) -> Shown {
    let origin = match value {
        Value::Address(address) => Some(Origin::Address { address: value::plain_address(address) }),
        Value::Number(number) => {
            Some(Origin::Number { units: number.to_string(), token: None, amount: false })
        }
        _ => None,
    };
    Shown::Text { value: value.raw(), origin }
}

fn address_shown(value: String, address: &[u8; 20]) -> Shown {
    Shown::Text { value, origin: Some(Origin::Address { address: value::plain_address(address) }) }
}

fn number_shown(value: String, number: Option<Amount>) -> Shown {
    let origin =
        number.map(|number| Origin::Number { units: number.to_string(), token: None, amount: false });
    Shown::Text { value, origin }
}
