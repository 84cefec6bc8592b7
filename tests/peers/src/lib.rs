//! Our signed bytes before peers that others wrote: nodes, virtual machines, ledger rules and, where none of them runs
//! without a network, verifying libraries. Each must accept our bytes with the right effect and refuse them with one bit
//! changed.
//!
//! `cargo xtask test peers` installs them and runs everything. A kind of chain has its tests in `tests/` and, where its
//! peer is JavaScript, a script of the same name, which opens with what the peer checks and what it does not. Those that
//! suites run against as well are in `crate/nodes/scripts`.
//!
//! Here is what the tests share: a key, an account, and a script that is asked one JSON line at a time.

use chains::signing::Image;
use chains::transaction::{Account, Signed};
use chains::{Chain, Transaction, derive};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use vault::LocalKey;
use zeroize::Zeroizing;

/// A script beside this crate that stands before a peer: a line of JSON in, a line of JSON out.
pub struct Peer {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts `node <script>`; it must answer a first line when the peer is ready.
    pub fn start(script: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut child = Command::new("node")
            .arg(folder.join(script))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node is installed");
        let questions = child.stdin.take().expect("piped");
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        let mut peer = Self { child, questions, answers };
        let ready = peer.read();
        assert_eq!(ready.get("ready"), Some(&Value::Bool(true)), "{script} is not ready: {ready}");
        peer
    }

    /// Asks and waits for the answer.
    pub fn ask(&mut self, question: &Value) -> Value {
        writeln!(self.questions, "{question}").expect("the peer runs");
        self.read()
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the peer answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line:?}"))
    }
}

/// Closing its input ends a script; one that does not listen is ended.
impl Drop for Peer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A key of the chain's scheme, made from one byte: the same in every run.
pub fn key(chain: Chain, seed: u8) -> LocalKey {
    let secret = Zeroizing::new([seed; 32]);
    match chain.algorithm() {
        chains::Algorithm::Eddsa => LocalKey::ed25519(&secret),
        _ => LocalKey::secp256k1(&secret).expect("a small number is a key"),
    }
}

/// The account of a key, without a vault around it.
pub fn account(chain: Chain, key: &LocalKey) -> Account {
    derive::account(chain, key.public()).expect("an account")
}

/// Signs every image of a transaction with the key.
pub fn sign(transaction: &Transaction, key: &LocalKey) -> Signed {
    let sign = |image: &Image| key.sign(image).expect("the chain's scheme");
    let signatures: Vec<_> = transaction.images().iter().map(sign).collect();
    transaction.compile(&signatures).expect("our own signatures")
}
