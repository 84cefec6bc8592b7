//! What one answer wants signed, in whichever form it says so.
//!
//! A backend that says it in two forms means one bundle. What counts is the first of these that the whole answer has,
//! and the others are void:
//!
//! | | |
//! |---|---|
//! | 1 | an action that brings its transactions: `sign_transaction_bundle`, or `sign_tx` with some |
//! | 2 | the field `transactions` |
//! | 3 | the field or event `tx_ready`; of several the last |
//!
//! 2 and 3 are a request of their own. Or, where the answer also has a `sign_tx` without a transaction, they are what it
//! asks for: one bundle, answered under that action's id.
//!
//! A `sign_tx` without a transaction in an answer that has neither asks for the `tx_ready` of the last earlier answer.
//! That was put to the user when it came, so it is not signed again: the `sign_tx` is answered with what became of
//! it. One for which nothing is left is refused as `nothing_to_sign`.
//!
//! An answer may name its fields after its actions. So a `sign_tx` without a transaction, and every action after it,
//! are held until the answer's end.

use super::AgentError;
use super::classify::{Asks, asks_for_signatures, bundle_of_transactions, signature_of_ready};
use crate::Core;
use crate::bundle;
use crate::call::CallRow;
use crate::store::StoreError;
use crate::tool::Output;
use serde_json::{Map, Value};
use wire::api::CallState;

/// What an answer said so far about signing.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// An action brings its transactions.
    brought: bool,
    /// The field `transactions`, as often as it came.
    transactions: Vec<Vec<Value>>,
    ready: Option<Value>,
    held: Vec<Value>,
}

/// What is to be journaled at an answer's end.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Settled {
    pub(super) elements: Vec<Value>,
    /// Which of the elements is the answer's `tx_ready`.
    pub(super) ready_at: Option<usize>,
}

impl Forms {
    /// Takes elements of `actions`; gives those that need not wait for the answer's end.
    pub(super) fn take_actions(&mut self, elements: Vec<Value>) -> Vec<Value> {
        let mut at_once = Vec::new();
        for element in elements {
            let asks = asks_for_signatures(&element);
            self.brought |= asks == Some(Asks::OfItsOwn);
            if self.held.is_empty() && asks != Some(Asks::OfTheAnswer) {
                at_once.push(element);
            } else {
                self.held.push(element);
            }
        }
        at_once
    }

    pub(super) fn take_transactions(&mut self, transactions: Vec<Value>) {
        self.transactions.push(transactions);
    }

    pub(super) fn take_ready(&mut self, ready: Value) {
        self.ready = Some(ready);
    }

    /// Whether anything waits for the end.
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.transactions.is_empty() && self.ready.is_none()
    }

    /// The answer is over. Where it is not `whole`, its fields are no requests of their own. `earlier` is the call of
    /// the last `tx_ready` before it.
    pub(super) fn settle(self, turn: &str, earlier: Option<&str>, whole: bool) -> Settled {
        // A second request for what another one took means nothing that came before.
        let earlier = earlier.filter(|_| self.transactions.is_empty() && self.ready.is_none());
        let mut fields = match (self.brought, self.transactions.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => self.ready.into_iter().map(Field::Ready).collect(),
            (false, false) => self.transactions.into_iter().map(Field::Transactions).collect(),
        }
        .into_iter();
        let mut settled = Settled::default();
        for element in self.held {
            if asks_for_signatures(&element) != Some(Asks::OfTheAnswer) {
                settled.elements.push(element);
                continue;
            }
            let field = fields.next();
            settled.note(field.as_ref());
            settled.elements.push(asking_for(element, field, earlier));
        }
        for field in fields.filter(|_| whole) {
            settled.note(Some(&field));
            settled.elements.push(match field {
                Field::Transactions(transactions) => bundle_of_transactions(turn, &transactions),
                Field::Ready(ready) => signature_of_ready(turn, &ready),
            });
        }
        settled
    }
}

/// An old field.
enum Field {
    Transactions(Vec<Value>),
    Ready(Value),
}

impl Settled {
    /// The next element is made of this field.
    fn note(&mut self, field: Option<&Field>) {
        if matches!(field, Some(Field::Ready(_))) {
            self.ready_at = Some(self.elements.len());
        }
    }
}

/// A `sign_tx` without a transaction, with the one that it means; its own wishes about the approval stay.
fn asking_for(mut element: Value, field: Option<Field>, earlier: Option<&str>) -> Value {
    let mut params = match field {
        Some(Field::Ready(ready)) => ready.as_object().cloned().unwrap_or_default(),
        Some(Field::Transactions(transactions)) => one("transactions", transactions.into()),
        None => one("tx_ready", earlier.into()),
    };
    if let Some(own) = element.get("params").and_then(Value::as_object) {
        for name in ["skip_approval", "bundle_label"] {
            params.extend(own.get(name).map(|wish| (name.to_owned(), wish.clone())));
        }
    }
    if let Some(fields) = element.as_object_mut() {
        fields.insert("params".to_owned(), Value::Object(params));
    }
    element
}

fn one(name: &str, value: Value) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert(name.to_owned(), value);
    fields
}

/// What a `sign_tx` without a transaction is answered: what became of the call that it names, which ran before it
/// in the same lane and was the same sender's. `None` for any other call.
pub(crate) async fn became_of_ready(core: &Core, call: &CallRow) -> Result<Option<Output>, StoreError> {
    let signs = call.tool.as_deref() == Some(&*bundle::SIGN_TRANSACTION_BUNDLE.name);
    if !call.legacy || !signs || call.params.contains_key("transactions") {
        return Ok(None);
    }
    let earlier = match call.params.get("tx_ready").and_then(Value::as_str) {
        Some(id) => core.journal.call(id).await?,
        None => None,
    };
    let same = |earlier: &CallRow| earlier.source == call.source && earlier.lane == call.lane;
    match earlier.map(|stored| *stored.record).filter(same).map(|earlier| earlier.state) {
        Some(CallState::Done { result, .. }) => Ok(Some(Output::of(result))),
        _ => Ok(Some(bundle::refused(AgentError::NothingToSign.into()))),
    }
}
