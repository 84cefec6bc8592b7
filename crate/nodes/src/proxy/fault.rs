//! Faults and when they apply.

use super::Call;
use serde_json::Value;
use std::time::Duration;

/// A fault of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// The connection is dropped; the node never gets the request.
    Refuse,
    /// The node handles the request; its answer is lost with the connection.
    LoseAnswer,
    /// A status with a `Retry-After` in seconds; the node is not asked.
    Status(u16, Option<u64>),
    /// A body with status 200: garbage, or a node's error. The node is not asked.
    Body(String),
    /// A JSON-RPC answer with a text of this many bytes; the node is not asked.
    Huge(usize),
    /// The node is asked after a delay.
    Delay(Duration),
    /// A result: another chain's id, a receipt of a failure. For a request without a method it is the whole body. The
    /// node is not asked.
    Answer(Value),
}

/// The faults to come.
#[derive(Debug, Default)]
pub(super) struct Script(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    name: String,
    fault: Fault,
    /// How many more; unlimited if absent.
    left: Option<usize>,
}

impl Script {
    pub(super) fn add(&mut self, name: &str, fault: Fault, times: Option<usize>) {
        self.0.push(Entry { name: name.to_owned(), fault, left: times });
    }

    /// Takes the fault of a request.
    pub(super) fn take(&mut self, call: &Call) -> Option<Fault> {
        self.0.retain(|entry| entry.left != Some(0));
        let entry = self.0.iter_mut().find(|entry| call.is(&entry.name))?;
        entry.left = entry.left.map(|left| left - 1);
        Some(entry.fault.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_a_name_come_in_order() {
        let call = Call::new("POST", "/", br#"{"method":"eth_call"}"#);
        let other = Call::new("POST", "/", br#"{"method":"eth_chainId"}"#);
        let mut script = Script::default();
        script.add("eth_call", Fault::Refuse, Some(2));
        script.add("eth_call", Fault::LoseAnswer, None);
        assert_eq!(script.take(&other), None);
        let taken = [(); 4].map(|()| script.take(&call));
        let [refuse, lose] = [Fault::Refuse, Fault::LoseAnswer].map(Some);
        assert_eq!(taken, [refuse.clone(), refuse, lose.clone(), lose]);
    }
}
