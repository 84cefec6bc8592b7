//! Bundles under incidents, and a model of what must hold at the end: every transaction is mined at most once, has
//! one set of bytes, the steps are in order, and one result agrees with the chains.

use super::scenario::Scenario;
use super::{Plan, Rng, Sim};
use crate::audit;
use crate::chain::{Chains, Fault, FaultKind, Ledger};
use crate::evm::{Evm, PAYEE, approve_and_swap, bundle};
use crate::world::{address_of, turn, when_said};
use agent_backend::{At, Kind, ReceivedResult, Script};
use runtime::store::Table;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Who is paid by a step, by its place: somebody else in each.
const PAYEES: [&str; 4] = [
    PAYEE,
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

/// The chains of bundles, and the first nonce on each.
const CHAINS: [&str; 2] = ["Ethereum", "Arbitrum"];
const FIRST: u64 = 7;

/// A step of a bundle.
#[derive(Debug, Clone)]
struct Step {
    id: String,
    chain: &'static str,
    /// The nonces of its transactions.
    nonces: Vec<u64>,
    wait: bool,
    asked: Value,
    /// Who is paid; nobody by an approval and a swap.
    payee: Option<&'static str>,
}

/// A bundle, its chains, and the faults of their nodes.
#[derive(Clone)]
pub struct Case {
    steps: Vec<Step>,
    chains: Chains,
    /// Nodes fail, or are so slow that a deadline may pass.
    faulty: bool,
    /// The nodes that the user chose: beside the honest one of each chain one that always lies.
    endpoints: Value,
    /// Number of acknowledgements that the backend loses.
    lost: u32,
}

/// A finished run.
#[derive(Debug)]
pub struct Outcome {
    /// Points passed.
    pub points: u64,
    /// Workers started.
    pub workers: u64,
    /// The statuses of the rows.
    pub statuses: Vec<String>,
    /// Violations of the model.
    pub violations: Vec<String>,
}

impl Case {
    /// A bundle of steps: each with its chain, whether it has two transactions, and whether its receipt is waited
    /// for.
    fn new(steps: &[(&'static str, bool, bool)]) -> Self {
        let chains = Chains::new();
        chains.each(|ledger| (ledger.first_nonce, ledger.accept_stubs) = (FIRST, true));
        let mut next: BTreeMap<&str, u64> = BTreeMap::new();
        let from = address_of(0, "Ethereum");
        let mut made = Vec::new();
        for (place, (chain, double, wait)) in steps.iter().copied().enumerate() {
            let nonce = next.entry(chain).or_insert(FIRST);
            let (id, sequence) = (format!("s{place}"), u32::try_from(place).unwrap_or_default());
            let nonces: Vec<u64> = (*nonce..).take(1 + usize::from(double)).collect();
            let mut asked = match double {
                true => approve_and_swap(&id, sequence, &from, i64::try_from(*nonce).unwrap_or_default()),
                false => {
                    let pay = Evm::pays(PAYEES[place], 1_000).nonce(*nonce);
                    if chain == "Arbitrum" { pay.on_arbitrum() } else { pay }.step(&id, sequence)
                }
            };
            asked["wait_for_receipt"] = json!(wait);
            *nonce += nonces.len() as u64;
            let payee = (!double).then(|| PAYEES[place]);
            made.push(Step { id, chain, nonces, wait, asked, payee });
        }
        Self { steps: made, chains, faulty: false, endpoints: json!({}), lost: 0 }
    }

    /// Three steps with four transactions on two chains, without faults: an approval and a swap, one without
    /// `wait_for_receipt`, and one with it.
    pub fn undisturbed() -> Self {
        let case =
            Self::new(&[("Ethereum", true, true), ("Arbitrum", false, false), ("Ethereum", false, true)]);
        case.chains.each(|ledger| ledger.delay = 300);
        case
    }

    /// A random bundle.
    pub fn random(rng: &Rng) -> Self {
        let steps: Vec<_> = (0..1 + rng.below(4))
            .map(|_| {
                let chain = CHAINS[rng.below(2) as usize];
                (chain, chain == "Ethereum" && rng.below(3) == 0, rng.below(3) > 0)
            })
            .collect();
        let mut case = Self::new(&steps);
        for name in CHAINS {
            let mut ledger = case.chains.on(name);
            ledger.delay = [0, 300, 4_000, 40_000, 400_000][(rng.below(9) / 2) as usize];
            case.faulty |= ledger.delay > 4_000;
            if rng.below(6) == 0 {
                ledger.reverts.insert(FIRST + rng.below(4));
            }
        }
        for _ in 0..rng.below(6).saturating_sub(2) {
            case.chains.fault(fault(rng));
            case.faulty = true;
        }
        case.lost = u32::from(rng.below(4) == 0);
        case
    }

    /// A random bundle; each chain has an honest node and, before or behind it, one that lies about one or two things all
    /// the time.
    pub fn with_liars(rng: &Rng) -> Self {
        let mut case = Self::random(rng);
        case.faulty = true;
        for name in CHAINS {
            let [honest, liar] = ["honest", "liar"].map(|node| format!("https://{node}.example/{name}"));
            [&honest, &liar].into_iter().for_each(|node| case.chains.add_node(name, node));
            for _ in 0..1 + rng.below(2) {
                case.chains.fault(lie(rng).of(&liar));
            }
            case.endpoints[name] = match rng.below(2) {
                0 => json!({"url": liar, "others": [honest]}),
                _ => json!({"url": honest, "others": [liar]}),
            };
        }
        case
    }

    fn has_liars(&self) -> bool {
        self.endpoints != json!({})
    }

    /// Runs it to its end, and checks the result against the model.
    pub fn play(&self, plan: &Plan) -> Outcome {
        let steps: Vec<&Value> = self.steps.iter().map(|step| &step.asked).collect();
        let turns = vec![turn(when_said("contacts"), json!([bundle("a1", json!(steps))]))];
        let lost = agent_backend::Fault::new(Kind::Cut(At::BeforeHeaders)).on_results().times(self.lost);
        let scenario = Scenario {
            script: Script { name: String::new(), turns },
            faults: if self.lost > 0 { vec![lost] } else { Vec::new() },
            decisions: BTreeMap::new(),
            signs: true,
            endpoints: self.endpoints.clone(),
        };
        let (sim, record) = scenario.run(plan, self.chains.clone(), false);
        let mut model = Model { case: self, violations: sim.failures() };
        model.violations.extend(record.violations.iter().map(|violation| format!("violation: {violation}")));
        model.check_chains();
        let statuses = model.check_results(&record.results);
        model.check_records(&sim);
        Outcome { points: sim.points(), workers: sim.workers(), statuses, violations: model.violations }
    }
}

/// A temporary fault of nodes.
fn fault(rng: &Rng) -> Fault {
    let methods = [
        "eth_chainId",
        "eth_getTransactionCount",
        "eth_sendRawTransaction",
        "eth_sendRawTransaction",
        "eth_getTransactionReceipt",
        "eth_getTransactionByHash",
    ];
    let kind = match rng.below(9) {
        0 => FaultKind::Down,
        1 => FaultKind::Silent,
        2 => FaultKind::Slow(rng.below(15_000)),
        3 => FaultKind::Status(500),
        4 => FaultKind::RetryAfter(rng.below(60)),
        5 => FaultKind::Garbage,
        6 => FaultKind::Error(-32_603, "Internal error"),
        _ => FaultKind::LostAnswer,
    };
    Fault::on(methods[rng.below(6) as usize], kind).times(1 + rng.below(4) as u32)
}

/// What a node says that would end a step, and is not so.
fn lie(rng: &Rng) -> Fault {
    let receipt = |status| FaultKind::Result(json!({"status": status, "blockNumber": "0x65"}));
    let (method, kind) = match rng.below(7) {
        0 | 1 => ("eth_getTransactionReceipt", receipt("0x1")),
        2 => ("eth_getTransactionReceipt", receipt("0x0")),
        3 => ("eth_getTransactionCount", FaultKind::Result(json!("0x63"))),
        4 => ("eth_getTransactionCount", FaultKind::Result(json!("0x0"))),
        5 => ("eth_chainId", FaultKind::Result(json!("0x5"))),
        _ => (
            "eth_sendRawTransaction",
            FaultKind::Error(-32_000, "insufficient funds for gas * price + value"),
        ),
    };
    Fault::on(method, kind).times(u32::MAX)
}

/// The invariants at the end.
struct Model<'a> {
    case: &'a Case,
    violations: Vec<String>,
}

/// A transaction of a bundle as its chain knows it.
#[derive(Debug, Default)]
struct OnChain {
    /// The distinct bytes that were sent.
    raw: BTreeSet<String>,
    hash: String,
    /// Position of the first arrival.
    sent: Option<usize>,
    /// Position of its block, and whether it succeeded.
    mined: Option<(usize, bool)>,
}

impl OnChain {
    fn of(ledger: &Ledger, nonce: u64) -> Self {
        let mut transaction = Self::default();
        for sent in &ledger.sent {
            let Some(signed) = sent.signed.as_ref().filter(|signed| signed.nonce == nonce) else { continue };
            transaction.raw.insert(sent.raw.clone());
            transaction.hash = signed.hash.clone();
            transaction.sent = transaction.sent.or(Some(sent.place));
        }
        let mined = ledger.mined().iter().find(|mined| mined.signed.nonce == nonce);
        transaction.mined = mined.map(|mined| (mined.place, mined.worked));
        transaction
    }
}

impl Model<'_> {
    fn expect(&mut self, holds: bool, words: impl FnOnce() -> String) {
        if !holds {
            self.violations.push(words());
        }
    }

    fn on_chain(&self, step: &Step) -> Vec<OnChain> {
        let ledger = self.case.chains.on(step.chain);
        step.nonces.iter().map(|nonce| OnChain::of(&ledger, *nonce)).collect()
    }

    /// One set of bytes for each transaction, mined at most once, and never sent before the one that it waits for.
    fn check_chains(&mut self) {
        for name in CHAINS {
            let ledger = self.case.chains.on(name).clone();
            for sent in &ledger.sent {
                let refused = sent.refused.as_deref().unwrap_or("already known");
                let repeat = refused == "already known" || refused.starts_with("nonce too low");
                self.expect(repeat, || format!("{name} was sent what it refuses: {sent:?}"));
            }
            let nonces = ledger.nonces();
            let ours: Vec<u64> = (FIRST..).take(nonces.len()).collect();
            self.expect(nonces == ours, || format!("{name} has {nonces:?}"));
        }
        let mut before: Option<(OnChain, bool)> = None;
        for step in self.case.steps.clone() {
            let on_chain = self.on_chain(&step);
            let last = on_chain.len() - 1;
            for (index, transaction) in on_chain.into_iter().enumerate() {
                self.expect(transaction.raw.len() < 2, || {
                    format!("{}: {} different bytes", step.id, transaction.raw.len())
                });
                if let (Some(sent), Some((earlier, waits))) = (transaction.sent, &before) {
                    let ahead = if *waits {
                        earlier.mined.is_some_and(|(mined, worked)| worked && mined <= sent)
                    } else {
                        earlier.sent.is_some_and(|earlier| earlier < sent)
                    };
                    self.expect(ahead, || format!("{} {index} went ahead of {earlier:?}", step.id));
                }
                before = Some((transaction, step.wait || index < last));
            }
        }
    }

    /// One result, and after it only late results of timed-out steps; the rows agree with the chains.
    fn check_results(&mut self, results: &[ReceivedResult]) -> Vec<String> {
        let is_late =
            |result: &&ReceivedResult| result.data.as_ref().is_some_and(|data| data["late"] == true);
        let own: BTreeMap<&str, &ReceivedResult> = results
            .iter()
            .filter(|result| !is_late(result))
            .map(|result| (result.key.as_str(), result))
            .collect();
        let late: BTreeMap<&str, &ReceivedResult> =
            results.iter().filter(is_late).map(|result| (result.key.as_str(), result)).collect();
        let [(_, result)] = Vec::from_iter(own.clone())[..] else {
            self.violations.push(format!("not one result: {own:?}"));
            return Vec::new();
        };
        let rows = result.data.as_ref().and_then(|data| data["transactions"].as_array()).cloned();
        let rows = rows.unwrap_or_default();
        let statuses: Vec<String> =
            rows.iter().map(|row| row["status"].as_str().unwrap_or_default().to_owned()).collect();
        let ids: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
        let expected: Vec<&str> =
            self.case.steps.iter().map(|step| step.id.as_str()).take(ids.len()).collect();
        self.expect(ids == expected, || format!("rows of {ids:?}"));
        let ran = |status: &String| status == "confirmed" || status == "pending";
        let all = rows.len() == self.case.steps.len() && statuses.iter().all(ran);
        self.expect(result.success == all, || {
            format!("success {} of {statuses:?}: {:?}", result.success, result.error)
        });
        let stopped =
            statuses.iter().position(|status| !ran(status)).is_none_or(|place| place + 1 == rows.len());
        self.expect(stopped, || format!("went on after {statuses:?}"));
        self.expect(all || !statuses.iter().all(ran), || {
            format!("ended for no reason: {statuses:?} {result:?}")
        });
        for (place, step) in self.case.steps.clone().iter().enumerate() {
            match rows.get(place) {
                Some(row) => self.check_row(step, row),
                None => {
                    let sent = self.on_chain(step).iter().any(|transaction| transaction.sent.is_some());
                    self.expect(!sent, || format!("{} was sent and is not in the result", step.id));
                }
            }
        }
        let unknown = statuses.iter().filter(|status| *status == "timeout").count();
        self.expect(late.len() <= unknown, || format!("late: {late:?}"));
        statuses
    }

    fn check_row(&mut self, step: &Step, row: &Value) {
        let on_chain = self.on_chain(step);
        // The transaction that the row names: the last that was signed.
        let of_hash = on_chain.iter().rfind(|transaction| row["tx_hash"] == transaction.hash.as_str());
        let worked = |transaction: &OnChain| transaction.mined.is_some_and(|(_, worked)| worked);
        let reverted =
            of_hash.is_some_and(|transaction| transaction.mined.is_some_and(|(_, worked)| !worked));
        let error = row["error"].as_str().unwrap_or_default();
        let unchecked = error.starts_with("node_unreachable: ")
            || (self.case.has_liars() && error.starts_with("nodes_disagree: "));
        let holds = match row["status"].as_str().unwrap_or_default() {
            "confirmed" => on_chain.iter().all(worked),
            "pending" => !step.wait && on_chain.iter().all(|transaction| transaction.sent.is_some()),
            "failed" if unchecked => {
                self.case.faulty && on_chain.last().is_some_and(|last| last.sent.is_none())
            }
            "failed" => reverted && row["error"] == "transaction_failed: reverted",
            // Unknown, but there are bytes.
            "timeout" => self.case.faulty && row["tx_hash"].is_string(),
            _ => false,
        };
        self.expect(holds, || format!("{row} of {on_chain:?}"));
    }

    /// No account is claimed, no vault unlocked, nothing queued or watched; and the records agree with the chains.
    fn check_records(&mut self, sim: &Sim) {
        let tables =
            [Table::Accounts, Table::Watched, Table::Unlocks, Table::Pending, Table::Outbox].into_iter();
        let left: Vec<_> = tables.flat_map(|table| sim.rows(table)).collect();
        self.expect(left.is_empty(), || format!("left over: {left:?}"));
        self.violations.extend(audit::check(&sim.rows(Table::Audit)).err());
        let calls: Vec<String> = sim.rows(Table::Calls).into_iter().map(|row| row.key).collect();
        self.violations.extend(audit::ends(&sim.rows(Table::Audit), calls.iter()).err());
        let mut paid = BTreeSet::new();
        for row in sim.rows(Table::Transmissions) {
            let kept: Value = serde_json::from_str(&row.text).unwrap_or_default();
            let place = row.key.rsplit('/').nth(1).and_then(|step| step.parse::<usize>().ok());
            let index = row.key.rsplit('/').next().and_then(|index| index.parse::<usize>().ok());
            let step = place.and_then(|place| self.case.steps.get(place)).cloned();
            let (Some(step), Some(index)) = (step, index) else {
                self.violations.push(format!("unknown transmission: {row:?}"));
                continue;
            };
            let transaction = self.on_chain(&step).into_iter().nth(index).unwrap_or_default();
            let signed = kept["signed"]["bytes"].as_str().map(|bytes| format!("0x{bytes}"));
            let same = transaction.raw.iter().all(|raw| signed.as_ref() == Some(raw));
            self.expect(same, || format!("{} keeps other bytes than it sent", row.key));
            let expected = transaction.mined.map(|(_, worked)| if worked { "confirmed" } else { "failed" });
            // Where a node contradicts the truth for good, the outcome stays unknown.
            let open = self.case.has_liars() && (kept["status"] == "timeout" || kept["status"] == "pending");
            let known = open || expected.is_none_or(|expected| kept["status"] == expected);
            self.expect(known, || format!("{}: {} of {transaction:?}", row.key, kept["status"]));
            if kept["status"] == "confirmed" {
                paid.extend(step.payee.map(|payee| format!("{}/{payee}", step.chain)));
            }
        }
        // Whoever a confirmed transaction pays is known, and nobody else.
        let rows = sim.rows(Table::Payees).into_iter();
        let known: BTreeSet<String> =
            rows.filter_map(|row| Some(row.key.split_once('/')?.1.to_owned())).collect();
        self.expect(known == paid, || format!("known: {known:?}, paid: {paid:?}"));
    }
}
