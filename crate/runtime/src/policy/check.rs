//! What is taken as the user's own rules: chains that are known, addresses and amounts in one spelling, names that
//! are told apart, and not more of anything than a person can look after.

use super::bounds;
use crate::address::{AddressError, Checked};
use crate::connection::is_origin;
use chains::{Chain, Kind, amount};
use derive::Code;
use wire::policy::{Limit, ListedAddress, Policy, ToolDecision, ToolRule, Who};
use wire::sorted::SortedSet;

const MAX_LIMITS: usize = 100;
const MAX_LISTED: usize = 1000;
const MAX_TOOLS: usize = 500;

/// The longest name of a limit, a tool or a token, in bytes.
const MAX_NAME: usize = 128;

/// Why rules were refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum PolicyError {
    /// A list is too long.
    #[error("has more than {most} entries")]
    #[code("too_many_rules")]
    TooMany {
        /// Where.
        path: String,
        /// How many are taken.
        most: usize,
    },
    /// Empty, too long, or with characters that cannot be seen.
    #[error("must be a visible text of at most {MAX_NAME} bytes")]
    #[code("invalid_name")]
    Name {
        /// Where.
        path: String,
    },
    /// Two limits have the same id, or two rules are about the same tool and sender.
    #[error("is there twice")]
    #[code("duplicate_rule")]
    Duplicate {
        /// Where the second is.
        path: String,
    },
    /// The chain is not known here.
    #[error("is not the name of a supported chain")]
    UnknownChain {
        /// Where.
        path: String,
    },
    /// Not an address of its chain.
    #[error("{error}")]
    #[code("invalid_address")]
    Address {
        /// Where.
        path: String,
        /// What is wrong with it.
        error: AddressError,
    },
    /// Not an amount.
    #[error("must be decimal digits in the smallest unit")]
    #[code("invalid_amount")]
    Amount {
        /// Where.
        path: String,
    },
    /// A limit without an amount would seem to hold, and would not.
    #[error("must have perTransaction or perDay")]
    EmptyLimit {
        /// Where.
        path: String,
    },
    /// Not a bound on an argument.
    #[error("{}", bounds::RULE)]
    #[code("invalid_bound")]
    Bound {
        /// Where.
        path: String,
    },
    /// Not the origin of a web page.
    #[error("must be an origin such as https://example.org")]
    #[code("invalid_origin")]
    Origin {
        /// Where.
        path: String,
    },
}

impl PolicyError {
    /// Where in the policy, as a JSON pointer.
    pub fn path(&self) -> &str {
        match self {
            Self::TooMany { path, .. }
            | Self::Name { path }
            | Self::Duplicate { path }
            | Self::UnknownChain { path }
            | Self::Address { path, .. }
            | Self::Amount { path }
            | Self::EmptyLimit { path }
            | Self::Bound { path }
            | Self::Origin { path } => path,
        }
    }
}

/// Every address in the rules, for the signer to check.
pub(crate) fn addresses(policy: &Policy) -> impl Iterator<Item = (Chain, &str)> {
    let tokens = policy.limits.iter().filter_map(|limit| Some((&limit.chain, limit.token.as_ref()?)));
    let listed = [&policy.recipients, &policy.contracts].into_iter().flatten().flatten();
    let addresses = tokens.chain(listed.map(|entry| (&entry.chain, &entry.address)));
    addresses.filter_map(|(chain, address)| Some((Chain::parse(chain)?, address.as_str())))
}

/// The rules in canonical spelling. What was checked once is checked again to the same.
pub(crate) fn check(policy: Policy, checked: &Checked) -> Result<Policy, PolicyError> {
    Ok(Policy {
        kill_switch: policy.kill_switch,
        limits: limits(policy.limits, checked)?,
        recipients: policy.recipients.map(|listed| list("/recipients", listed, checked)).transpose()?,
        contracts: policy.contracts.map(|listed| list("/contracts", listed, checked)).transpose()?,
        tools: tools(policy.tools)?,
    })
}

fn limits(limits: Vec<Limit>, checked: &Checked) -> Result<Vec<Limit>, PolicyError> {
    let mut ids = SortedSet::default();
    each("/limits", MAX_LIMITS, limits, |path, limit: Limit| {
        let at = |field: &str| format!("{path}/{field}");
        let chain = chain(at("chain"), &limit.chain)?;
        let limit = Limit {
            id: name(at("id"), limit.id)?,
            who: who(at("who/origin"), limit.who)?,
            chain: chain.name().to_owned(),
            token: limit.token.map(|token| self::token(at("token"), chain, token, checked)).transpose()?,
            per_transaction: limit
                .per_transaction
                .map(|most| digits(at("perTransaction"), &most))
                .transpose()?,
            per_day: limit.per_day.map(|most| digits(at("perDay"), &most)).transpose()?,
        };
        if limit.per_transaction.is_none() && limit.per_day.is_none() {
            return Err(PolicyError::EmptyLimit { path });
        }
        if !ids.insert(limit.id.clone()) {
            return Err(PolicyError::Duplicate { path: at("id") });
        }
        Ok(limit)
    })
}

/// The same address twice is once.
fn list(
    path: &str,
    listed: Vec<ListedAddress>,
    checked: &Checked,
) -> Result<Vec<ListedAddress>, PolicyError> {
    let mut seen = SortedSet::default();
    let mut listed = each(path, MAX_LISTED, listed, |path, entry: ListedAddress| {
        let chain = chain(format!("{path}/chain"), &entry.chain)?;
        let address = canonical(format!("{path}/address"), chain, &entry.address, checked)?;
        Ok(ListedAddress { chain: chain.name().to_owned(), address })
    })?;
    listed.retain(|entry| seen.insert((entry.chain.clone(), entry.address.clone())));
    Ok(listed)
}

fn tools(rules: Vec<ToolRule>) -> Result<Vec<ToolRule>, PolicyError> {
    let mut seen: Vec<(String, Who)> = Vec::new();
    each("/tools", MAX_TOOLS, rules, |path, rule: ToolRule| {
        let tool = name(format!("{path}/tool"), rule.tool)?;
        let about = (tool.clone(), who(format!("{path}/who/origin"), rule.who)?);
        if seen.contains(&about) {
            return Err(PolicyError::Duplicate { path });
        }
        seen.push(about.clone());
        if let ToolDecision::Allow { arguments, .. } = &rule.decision
            && let Some(place) = bounds::unusable(arguments)
        {
            return Err(PolicyError::Bound { path: format!("{path}/decision/arguments{place}") });
        }
        Ok(ToolRule { tool, who: about.1, decision: rule.decision })
    })
}

fn each<T>(
    path: &str,
    most: usize,
    entries: Vec<T>,
    mut read: impl FnMut(String, T) -> Result<T, PolicyError>,
) -> Result<Vec<T>, PolicyError> {
    if entries.len() > most {
        return Err(PolicyError::TooMany { path: path.to_owned(), most });
    }
    entries.into_iter().enumerate().map(|(index, entry)| read(format!("{path}/{index}"), entry)).collect()
}

fn name(path: String, text: String) -> Result<String, PolicyError> {
    let visible = !text.is_empty() && text.trim() == text && !text.chars().any(char::is_control);
    if visible && text.len() <= MAX_NAME { Ok(text) } else { Err(PolicyError::Name { path }) }
}

fn who(path: String, who: Who) -> Result<Who, PolicyError> {
    match &who {
        Who::Dapp { origin } if !is_origin(origin) => Err(PolicyError::Origin { path }),
        _ => Ok(who),
    }
}

fn chain(path: String, name: &str) -> Result<Chain, PolicyError> {
    Chain::parse(name).ok_or(PolicyError::UnknownChain { path })
}

fn canonical(path: String, chain: Chain, text: &str, checked: &Checked) -> Result<String, PolicyError> {
    checked.canonical(chain, text).map_err(|error| PolicyError::Address { path, error })
}

/// A token is its contract where tokens are contracts; elsewhere the chain's name of it.
fn token(path: String, chain: Chain, text: String, checked: &Checked) -> Result<String, PolicyError> {
    match chain.kind() {
        Kind::Evm | Kind::Solana => canonical(path, chain, &text, checked),
        _ => checked.canonical(chain, &text).or_else(|_| name(path, text)),
    }
}

fn digits(path: String, text: &str) -> Result<String, PolicyError> {
    let amount = amount::parse("amount", text).map_err(|_| PolicyError::Amount { path })?;
    Ok(amount.to_string())
}
