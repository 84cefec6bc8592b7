//! Who is on the other side: addresses in whichever spelling, and what is known of them.
//!
//! Addresses are compared within a realm ([`Chain::realm`]). One that is none of the step's chain (a swap pays out
//! elsewhere, a transfer leaves over IBC) is held against every realm.

use super::{Input, KnownContact};
use chains::{Chain, Kind};
use wire::bundle::Decoded;

/// How many characters people look at, at either end of an address.
const LOOKED_AT: usize = 4;

/// An address as it stands in a transaction.
#[derive(Debug, Clone)]
pub(super) struct Party<'a> {
    /// As it stands there.
    pub(super) text: &'a str,
    home: Chain,
    spellings: Vec<(Chain, &'a str)>,
}

impl<'a> Party<'a> {
    /// An address of a transaction on `chain`, as the signer spelled it.
    pub(super) fn new(chain: Chain, text: &'a str, transaction: &'a Decoded) -> Self {
        let spelled = transaction.addresses.iter().find(|address| address.text == text);
        let spellings = spelled.into_iter().flat_map(|address| &address.spellings);
        let spellings =
            spellings.filter_map(|found| Some((Chain::parse(&found.chain)?, found.address.as_str())));
        Self { text, home: chain.realm(), spellings: spellings.collect() }
    }

    /// In canonical spelling; as it stands where it is no address of the chain (a validator, an account elsewhere).
    pub(super) fn spelling(&self) -> &str {
        let own = self.spellings.iter().find(|(realm, _)| *realm == self.home);
        own.map_or(self.text, |(_, text)| text)
    }

    /// Whether it is this address.
    pub(super) fn is(&self, chain: Chain, address: &str) -> bool {
        self.is_in(chain.realm(), address)
    }

    fn is_in(&self, realm: Chain, address: &str) -> bool {
        let same = |text: &str| match realm.kind() {
            // The case of a digit is a checksum, no part of the address.
            Kind::Evm => text.eq_ignore_ascii_case(address),
            _ => text == address,
        };
        (realm == self.home && self.text == address)
            || self.spellings.iter().any(|(place, text)| *place == realm && same(text))
    }

    fn looks_like(&self, realm: Chain, address: &str) -> bool {
        let seen = significant(realm, address);
        self.spellings.iter().any(|(place, text)| *place == realm && alike(significant(realm, text), seen))
    }
}

/// An address without what all addresses of its chain begin with.
fn significant(chain: Chain, address: &str) -> &str {
    let rest = match (chain.kind(), chain.bech32_hrp()) {
        (Kind::Evm | Kind::Sui, _) => address.get(2..),
        (Kind::Ton, _) => match address.split_once(':') {
            Some((_, hash)) => Some(hash),
            // The tag and the workchain.
            None => address.get(3..),
        },
        (_, Some(hrp)) => address.strip_prefix(hrp).and_then(|rest| rest.strip_prefix('1')),
        _ => None,
    };
    rest.unwrap_or(address)
}

/// Whether two addresses begin and end alike to a reader who skips the middle.
fn alike(one: &str, other: &str) -> bool {
    let near = |part: fn(&str) -> Option<&str>| {
        part(one).zip(part(other)).is_some_and(|(one, other)| one.eq_ignore_ascii_case(other))
    };
    near(head) && near(tail)
}

fn head(text: &str) -> Option<&str> {
    text.get(..LOOKED_AT)
}

fn tail(text: &str) -> Option<&str> {
    text.get(text.len().checked_sub(LOOKED_AT)?..)
}

/// Every address that the user has to do with.
pub(super) struct Known<'a>(Vec<Entry<'a>>);

struct Entry<'a> {
    realm: Chain,
    address: &'a str,
    tie: Tie<'a>,
}

enum Tie<'a> {
    Own,
    Contact(&'a KnownContact),
    Payee,
}

/// What is known of a party.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Relation<'a> {
    /// One of the user's own accounts.
    pub(super) own: bool,
    /// A contact that the user saved or confirmed.
    pub(super) contact: Option<&'a KnownContact>,
    /// A contact that the agent saved and the user has not confirmed.
    pub(super) agent_contact: Option<&'a KnownContact>,
    /// A payment to it was confirmed before.
    pub(super) paid_before: bool,
    /// A known address that it could be mistaken for.
    pub(super) alike: Option<&'a str>,
}

impl<'a> Known<'a> {
    /// A record whose chain is not known here never matches: what it would vouch for is warned of.
    pub(super) fn new(input: &'a Input<'a>) -> Self {
        let Some(signing) = &input.signing else { return Self(Vec::new()) };
        let history = input.history;
        let accounts = signing.vault.accounts.iter().map(|account| (&account.chain, &account.address));
        let own = history.own.iter().map(|(chain, address)| (chain, address)).chain(accounts);
        let own = own.map(|(chain, address)| (chain, address, Tie::Own));
        let contacts =
            history.contacts.iter().map(|contact| (&contact.chain, &contact.address, Tie::Contact(contact)));
        let payees = history.payees.iter().map(|(chain, address)| (chain, address, Tie::Payee));
        // Looked up once for each chain, of which there are few.
        let mut realms: Vec<(&str, Option<Chain>)> = Vec::new();
        let entries = own.chain(contacts).chain(payees).filter_map(|(chain, address, tie)| {
            let known = realms.iter().find(|(name, _)| name == chain).map(|(_, realm)| *realm);
            let realm = known.unwrap_or_else(|| {
                let realm = Chain::parse(chain).map(Chain::realm);
                realms.push((chain, realm));
                realm
            });
            Some(Entry { realm: realm?, address, tie })
        });
        Self(entries.collect())
    }

    /// What is known of a party.
    pub(super) fn relation(&self, party: &Party<'_>) -> Relation<'a> {
        let mut relation = Relation::default();
        for entry in &self.0 {
            if !party.is_in(entry.realm, entry.address) {
                if relation.alike.is_none() && party.looks_like(entry.realm, entry.address) {
                    relation.alike = Some(entry.address);
                }
                continue;
            }
            match entry.tie {
                Tie::Own => relation.own = true,
                Tie::Contact(contact) if contact.confirmed => {
                    relation.contact = relation.contact.or(Some(contact));
                }
                // Saved under several names, the one that takes the place of another address is told of.
                Tie::Contact(contact) => {
                    let known = relation.agent_contact;
                    if known.is_none_or(|known| known.replaces.is_none() && contact.replaces.is_some()) {
                        relation.agent_contact = Some(contact);
                    }
                }
                Tie::Payee => relation.paid_before = true,
            }
        }
        // Saved by the user: that the agent saved it again takes nothing away.
        relation.agent_contact = relation.agent_contact.filter(|_| relation.contact.is_none());
        relation
    }
}
