//! A world to judge in, told in one line per case.

mod bounds;
mod cases;
mod definitions;
mod hints;
mod hosts;
mod limits;
mod loosen;
mod properties;
mod records;
mod rules;
mod trial;

use super::{
    Conclusion, Consent, DefinitionStanding, History, Input, KnownContact, Outbound, Payee, PolicyError,
    Signing, addresses, conclude,
};
use crate::address::check_here;
use crate::tool::shape::Shape;
use crate::tool::{About, Category, Consequence, DEFAULT_TIMEOUT, Definition};
use chains::address::spelled;
use serde_json::{Map, Value};
use wire::api::{Millis, SkipApproval, Source};
use wire::bundle::{Contradiction, Decoded, Step, TransactionRole, TxDetails};
use wire::explain::{
    Asset, Effect, Explanation, Party, PartyRole, Quantity, Source as KnownFrom, TokenContract,
};
use wire::node::NetworkFacts;
use wire::policy::{Limit, ListedAddress, Policy, Severity, ToolDecision, ToolRule, Verdict, Who};
use wire::trial::TrialRun;
use wire::vault::{PublicKeys, Vault, VaultAccount, VaultKind};

const NOW: Millis = 1_800_000_000_000;
const MINUTE: Millis = 60_000;
const DAY: Millis = 24 * 60 * MINUTE;

const OWN: &str = "0x1111111111111111111111111111111111111111";
const OWN_BTC: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
const OWN_COSMOS: &str = "cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwjg";
/// A contact that the user saved.
const ALICE: &str = "0xaaaa22222222222222222222222222222222bbbb";
/// Begins and ends as Alice does.
const MALLORY: &str = "0xaaaa33333333333333333333333333333333bbbb";
const STRANGER: &str = "0x4444444444444444444444444444444444444444";
const ROUTER: &str = "0x5555555555555555555555555555555555555555";
const USDC: &str = "0x6666666666666666666666666666666666666666";
const ORIGIN: &str = "https://example.org";

/// A name, what is different from the start, and the whole verdict.
type Case = (&'static str, fn(&mut World), &'static str);

const ASK: &str = "ask: info signing";

fn run(start: fn() -> World, cases: &[Case]) {
    let mut failed = Vec::new();
    for (name, arrange, expected) in cases {
        let mut world = start();
        arrange(&mut world);
        let told = world.told();
        if told != *expected {
            failed.push(format!("{name}\n  expected {expected}\n  told     {told}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[derive(Debug, Clone)]
struct World {
    tool: Definition,
    auto_execute: Option<bool>,
    source: Source,
    vault: Vault,
    /// Nothing is signed where there are none.
    steps: Option<Vec<Step>>,
    trial: Vec<TrialRun>,
    digest: String,
    skip_approval: bool,
    setting: SkipApproval,
    rules: Policy,
    history: History,
    arguments: Map<String, Value>,
    definition: DefinitionStanding,
    outbound: Vec<Outbound>,
}

impl World {
    /// The agent asks for a payment of 1000 to a contact.
    fn signing() -> Self {
        Self { steps: Some(vec![step(1, &[transfer(ALICE, 1000)])]), ..Self::calling(Category::SideEffect) }
    }

    /// The agent calls a tool that signs nothing, with no hint.
    fn calling(category: Category) -> Self {
        let account = |chain: &str, address: &str| VaultAccount {
            chain: chain.to_owned(),
            public_key: String::new(),
            address: address.to_owned(),
        };
        let accounts = [("Ethereum", OWN), ("Base", OWN), ("Bitcoin", OWN_BTC), ("Cosmos", OWN_COSMOS)]
            .map(|(chain, address)| account(chain, address));
        let contact = KnownContact { confirmed: true, ..contact("Alice", ALICE) };
        Self {
            tool: Definition::built_in(About {
                name: "tool",
                description: "",
                category,
                consequence: Consequence::Low,
                requires_confirmation: false,
                timeout: DEFAULT_TIMEOUT,
                tags: &[],
                arguments: &Shape { fields: &[] },
            }),
            auto_execute: None,
            source: agent(),
            vault: Vault {
                name: "Main".to_owned(),
                kind: VaultKind::Local,
                keys: PublicKeys::default(),
                accounts: accounts.into(),
                sealed: None,
                created_at: 0,
            },
            steps: None,
            trial: Vec::new(),
            digest: "d1".to_owned(),
            skip_approval: false,
            setting: SkipApproval::Confirmed,
            rules: Policy::default(),
            history: History {
                contacts: vec![contact],
                connected: [ORIGIN.to_owned()].into_iter().collect(),
                ..History::default()
            },
            arguments: Map::new(),
            definition: DefinitionStanding::Own,
            outbound: Vec::new(),
        }
    }

    fn input(&self) -> Input<'_> {
        let signing = self.steps.as_ref().map(|steps| Signing {
            notices: &[],
            vault: &self.vault,
            steps,
            trial: &self.trial,
            digest: &self.digest,
            skip_approval: self.skip_approval,
            setting: self.setting,
        });
        Input {
            tool: &self.tool,
            auto_execute: self.auto_execute,
            source: &self.source,
            arguments: &self.arguments,
            signing,
            outbound: &self.outbound,
            definition: self.definition,
            rules: &self.rules,
            history: &self.history,
            now: NOW,
        }
    }

    fn conclude(&self) -> Conclusion {
        let mut world = self.clone();
        for decoded in world.steps.iter_mut().flatten().flat_map(|step| &mut step.transactions) {
            let found = &mut decoded.explanation;
            found.parties.extend(found.effects.iter().flat_map(parties));
            decoded.addresses = spelled(&decoded.explanation);
        }
        conclude(&world.input())
    }

    fn verdict(&self) -> Verdict {
        self.conclude().verdict
    }

    /// The verdict with every finding, in one line.
    fn told(&self) -> String {
        let verdict = self.verdict();
        let name = match &verdict {
            Verdict::Allow => return "allow".to_owned(),
            Verdict::Ask { .. } => "ask",
            Verdict::Block { .. } => "block",
        };
        let findings = verdict.reasons().iter().map(|reason| {
            assert!(reason.message.ends_with('.'), "a whole sentence: {}", reason.message);
            let place = reason.sequence.map(|sequence| format!("@{sequence}")).unwrap_or_default();
            format!("{} {}{place}", word(&reason.severity), word(&reason.code))
        });
        format!("{name}: {}", findings.collect::<Vec<_>>().join(", "))
    }

    fn pays(&mut self, effects: &[Effect]) {
        self.steps = Some(vec![step(1, effects)]);
    }

    fn first(&mut self) -> &mut Decoded {
        &mut self.steps.as_mut().unwrap()[0].transactions[0]
    }
}

/// Checks rules, with addresses as the signer would check them.
fn check(rules: Policy) -> Result<Policy, PolicyError> {
    let checked = check_here(addresses(&rules));
    super::check(rules, &checked)
}

fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

fn agent() -> Source {
    Source::Agent { conversation_id: "c".to_owned() }
}

fn dapp() -> Source {
    Source::Dapp { origin: ORIGIN.to_owned() }
}

fn contact(title: &str, address: &str) -> KnownContact {
    KnownContact {
        chain: "Ethereum".to_owned(),
        address: address.to_owned(),
        title: title.to_owned(),
        confirmed: false,
        replaces: None,
    }
}

fn consent(age: Millis) -> Vec<Consent> {
    vec![Consent { digest: "d1".to_owned(), at: NOW - age }]
}

fn step(sequence: u32, effects: &[Effect]) -> Step {
    on("Ethereum", OWN, sequence, effects)
}

fn on(chain: &str, from: &str, sequence: u32, effects: &[Effect]) -> Step {
    let explanation = Explanation {
        chain: chain.to_owned(),
        from: from.to_owned(),
        target: None,
        effects: effects.to_vec(),
        parties: Vec::new(),
        memo: None,
        fee: None,
        fee_unknown: false,
        gas_limit: None,
        nonce: None,
    };
    let decoded = Decoded {
        role: TransactionRole::Transfer,
        explanation,
        claims: Vec::new(),
        contradictions: Vec::new(),
        unverified: Vec::new(),
        digest: String::new(),
        addresses: Vec::new(),
        description: None,
        call: None,
    };
    Step {
        id: format!("s{sequence}"),
        sequence,
        chain: chain.to_owned(),
        action: String::new(),
        details: TxDetails::default(),
        findings: Vec::new(),
        transactions: vec![decoded],
        wait_for_receipt: false,
        receipt_timeout_seconds: None,
        network_facts: NetworkFacts::default(),
    }
}

fn units(units: impl ToString) -> Quantity {
    Quantity { units: units.to_string(), shown: "some".to_owned() }
}

fn native() -> Asset {
    Asset::Native { ticker: "ETH".to_owned() }
}

fn token() -> Asset {
    of_contract(TokenContract::Known)
}

fn of_contract(contract: TokenContract) -> Asset {
    Asset::Token { id: USDC.to_owned(), ticker: None, source: None, contract, agent_ticker: None }
}

/// The parties of an effect, as the signer would name them. The router is a contract of our table.
fn parties(effect: &Effect) -> Vec<Party> {
    let party = |address: &str, role| Party {
        address: address.to_owned(),
        role,
        name: (address == ROUTER).then(|| "Router".to_owned()),
        standing: None,
    };
    match effect {
        Effect::Transfer { to, .. } | Effect::TransferFrom { to, .. } => {
            vec![party(to, PartyRole::Recipient)]
        }
        Effect::Approve { spender, .. } => vec![party(spender, PartyRole::Spender)],
        Effect::ApproveAll { operator, approved: true, .. } => vec![party(operator, PartyRole::Spender)],
        Effect::Swap { router, recipient, .. } => {
            let recipient = recipient.iter().map(|to| party(to, PartyRole::Recipient));
            recipient.chain([party(router, PartyRole::Router)]).collect()
        }
        Effect::Call { contract, .. } | Effect::UnknownCall { contract, .. } => {
            vec![party(contract, PartyRole::Contract)]
        }
        _ => Vec::new(),
    }
}

fn transfer(to: &str, amount: u64) -> Effect {
    Effect::Transfer { asset: native(), to: to.to_owned(), amount: units(amount) }
}

fn send_token(to: &str, amount: u64) -> Effect {
    Effect::Transfer { asset: token(), to: to.to_owned(), amount: units(amount) }
}

fn approve(amount: u64, unlimited: bool) -> Effect {
    Effect::Approve { asset: token(), spender: ROUTER.to_owned(), amount: units(amount), unlimited }
}

fn swap(sell: Asset, amount: u64, recipient: Option<&str>) -> Effect {
    Effect::Swap {
        provider: Some("P".to_owned()),
        router: ROUTER.to_owned(),
        sell,
        amount: units(amount),
        buy: None,
        bought: None,
        minimum_out: Some("1".to_owned()),
        minimum_shown: None,
        recipient: recipient.map(str::to_owned),
    }
}

/// Coins for a token whose name is known from here.
fn buying(known_from: Option<KnownFrom>) -> Effect {
    let mut swap = swap(native(), 1, None);
    if let (Effect::Swap { bought, .. }, Asset::Token { id, ticker, contract, agent_ticker, .. }) =
        (&mut swap, token())
    {
        *bought = Some(Asset::Token { id, ticker, source: known_from, contract, agent_ticker });
    }
    swap
}

fn call(value: u64) -> Effect {
    Effect::Call {
        contract: ROUTER.to_owned(),
        value: units(value),
        signature: "f()".to_owned(),
        arguments: Vec::new(),
    }
}

fn unknown_call(contract: &str, value: u64) -> Effect {
    Effect::UnknownCall { contract: contract.to_owned(), value: units(value), selector: None, bytes: 4 }
}

fn other(name: &str) -> Effect {
    Effect::Other { name: name.to_owned(), fields: Vec::new() }
}

fn note(name: &str) -> Effect {
    Effect::Note { name: name.to_owned(), fields: Vec::new() }
}

fn contradiction() -> Contradiction {
    Contradiction { field: "to".to_owned(), claimed: ALICE.to_owned(), actual: STRANGER.to_owned() }
}

fn limit(who: Who, token: Option<&str>, per_transaction: Option<u64>, per_day: Option<u64>) -> Limit {
    Limit {
        id: "l1".to_owned(),
        who,
        chain: "Ethereum".to_owned(),
        token: token.map(str::to_owned),
        per_transaction: per_transaction.map(|amount| amount.to_string()),
        per_day: per_day.map(|amount| amount.to_string()),
    }
}

fn listed(addresses: &[(&str, &str)]) -> Option<Vec<ListedAddress>> {
    let entry = |(chain, address): &(&str, &str)| ListedAddress {
        chain: (*chain).to_owned(),
        address: (*address).to_owned(),
    };
    Some(addresses.iter().map(entry).collect())
}

fn rule(who: Who, decision: ToolDecision) -> ToolRule {
    ToolRule { tool: "tool".to_owned(), who, decision }
}

const fn allow(per_day: u32, until: Option<Millis>) -> ToolDecision {
    ToolDecision::Allow { per_day, until, arguments: Vec::new() }
}
