//! The policy as the core asks it, for a user of several years.

use chains::address::spelled;
use runtime::bundle::SIGN_TRANSACTION_BUNDLE;
use runtime::policy::{DefinitionStanding, History, Input, KnownContact, Signing, conclude};
use serde_json::Map;
use wasm_bindgen::prelude::*;
use wire::api::{Millis, SkipApproval, Source};
use wire::bundle::{Decoded, Step, TransactionRole, TxDetails};
use wire::explain::{Asset, Effect, Explanation, Party, PartyRole, Quantity, TokenContract};
use wire::node::NetworkFacts;
use wire::policy::{Limit, Policy, Verdict, Who};
use wire::vault::{PublicKeys, Vault, VaultAccount, VaultKind};

const NOW: Millis = 1_800_000_000_000;
const CHAINS: [&str; 5] = ["Ethereum", "Arbitrum", "Base", "Polygon", "Optimism"];
const HOME: &str = "Ethereum";

// The first numbers are for those that the bundle is about, so that no two addresses are the same.
const OWN: u32 = 1;
const ROUTER: u32 = 2;
const TOKENS: u32 = 1_000;
const PAYEES: u32 = 10_000;
const CONTACTS: u32 = 100_000;

/// A bundle of three steps, and all that is known when it is judged.
#[wasm_bindgen]
pub struct Judge {
    vault: Vault,
    steps: Vec<Step>,
    rules: Policy,
    history: History,
    source: Source,
}

#[wasm_bindgen]
impl Judge {
    /// A payment to a contact, an allowance and a swap, with so many limits that all hold for them, and so many
    /// addresses to look through.
    #[wasm_bindgen(constructor)]
    pub fn new(limits: u32, payees: u32, contacts: u32) -> Self {
        let contact = |number| KnownContact {
            chain: chain(number),
            address: address(CONTACTS + number),
            title: format!("Contact {number}"),
            confirmed: true,
            replaces: None,
        };
        Self {
            vault: vault(),
            steps: steps(),
            rules: Policy { limits: (0..limits).map(limit).collect(), ..Policy::default() },
            history: History {
                payees: (0..payees).map(|number| (chain(number), address(PAYEES + number))).collect(),
                contacts: (0..contacts).map(contact).collect(),
                ..History::default()
            },
            source: Source::Agent { conversation_id: "bench".to_owned() },
        }
    }

    /// How many steps are judged.
    #[wasm_bindgen(getter)]
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Judges; how many reasons it gave.
    pub fn judge(&self) -> usize {
        self.evaluate().reasons().len()
    }

    /// Judges, and writes the verdict out as JSON.
    pub fn verdict(&self) -> Result<String, JsError> {
        Ok(serde_json::to_string(&self.evaluate())?)
    }

    fn evaluate(&self) -> Verdict {
        let signing = Signing {
            vault: &self.vault,
            steps: &self.steps,
            trial: &[],
            digest: "",
            skip_approval: false,
            notices: &[],
            setting: SkipApproval::Confirmed,
        };
        conclude(&Input {
            tool: &SIGN_TRANSACTION_BUNDLE,
            auto_execute: None,
            source: &self.source,
            arguments: &Map::new(),
            signing: Some(signing),
            outbound: &[],
            definition: DefinitionStanding::default(),
            rules: &self.rules,
            history: &self.history,
            now: NOW,
        })
        .verdict
    }
}

fn chain(number: u32) -> String {
    CHAINS.iter().cycle().nth(number as usize % CHAINS.len()).copied().unwrap_or(HOME).to_owned()
}

/// Numbers far apart, so that no address looks like another.
fn address(number: u32) -> String {
    let far = u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    format!("0x{far:032x}{:08x}", number.wrapping_mul(0x9e37_79b9))
}

fn vault() -> Vault {
    let account = |chain: &str| VaultAccount {
        chain: chain.to_owned(),
        public_key: String::new(),
        address: address(OWN),
    };
    Vault {
        name: "Main".to_owned(),
        kind: VaultKind::Local,
        keys: PublicKeys::default(),
        accounts: CHAINS.map(account).into(),
        sealed: None,
        created_at: 0,
    }
}

/// The first is of the coin, the others each of a token, half of them for the agent alone.
fn limit(number: u32) -> Limit {
    Limit {
        id: format!("limit {number}"),
        who: if number.is_multiple_of(2) { Who::Anybody } else { Who::Agent },
        chain: HOME.to_owned(),
        token: number.checked_sub(1).map(|number| address(TOKENS + number)),
        per_transaction: Some("1000000".to_owned()),
        per_day: Some("10000000".to_owned()),
    }
}

fn steps() -> Vec<Step> {
    let amount = || Quantity { units: "1000".to_owned(), shown: "some".to_owned() };
    let token = || Asset::Token {
        id: address(TOKENS),
        ticker: None,
        source: None,
        contract: TokenContract::Known,
        agent_ticker: None,
    };
    let pay = Effect::Transfer {
        asset: Asset::Native { ticker: "ETH".to_owned() },
        to: address(CONTACTS),
        amount: amount(),
    };
    let approve =
        Effect::Approve { asset: token(), spender: address(ROUTER), amount: amount(), unlimited: false };
    let swap = Effect::Swap {
        provider: Some("a router".to_owned()),
        router: address(ROUTER),
        sell: token(),
        amount: amount(),
        buy: None,
        bought: None,
        minimum_out: Some("1".to_owned()),
        minimum_shown: None,
        recipient: Some(address(OWN)),
    };
    let party = |number, role| Party { address: address(number), role, name: None, standing: None };
    let parties = [
        vec![party(CONTACTS, PartyRole::Recipient)],
        vec![party(ROUTER, PartyRole::Spender)],
        vec![party(OWN, PartyRole::Recipient), party(ROUTER, PartyRole::Router)],
    ];
    let roles = [TransactionRole::Transfer, TransactionRole::Approval, TransactionRole::Transfer];
    let steps = roles.into_iter().zip([pay, approve, swap]).zip(parties);
    (1..)
        .zip(steps)
        .map(|(sequence, ((role, effect), parties))| step(sequence, role, effect, parties))
        .collect()
}

fn step(sequence: u32, role: TransactionRole, effect: Effect, parties: Vec<Party>) -> Step {
    let explanation = Explanation {
        chain: HOME.to_owned(),
        from: address(OWN),
        target: None,
        effects: vec![effect],
        parties,
        memo: None,
        fee: None,
        fee_unknown: false,
        gas_limit: None,
        nonce: None,
    };
    let decoded = Decoded {
        role,
        addresses: spelled(&explanation),
        explanation,
        claims: Vec::new(),
        contradictions: Vec::new(),
        unverified: Vec::new(),
        digest: String::new(),
        description: None,
        call: None,
    };
    Step {
        id: format!("step {sequence}"),
        sequence,
        chain: HOME.to_owned(),
        action: String::new(),
        details: TxDetails::default(),
        findings: Vec::new(),
        transactions: vec![decoded],
        wait_for_receipt: false,
        receipt_timeout_seconds: None,
        network_facts: NetworkFacts::default(),
    }
}
