//! A transaction on its way: decoded, to be signed, signed. Each kind of chain brings its own `Unsigned`.

use crate::evm::Fields;
use crate::explain::Explanation;
use crate::facts::{Facts, Wanted};
use crate::rpc::{Request, Response, Trial};
use crate::signing::{Image, PublicKey, Signature, SignatureError, Verified};
use crate::{Chain, TransactionError};
use std::cell::OnceCell;
use std::fmt;
use wire::node::Checked;
use wire::trial::NoTrialReason;

/// An account that this vault signs for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The chain.
    pub chain: Chain,
    /// The key that signs.
    pub key: PublicKey,
    /// The address of the key, in canonical spelling.
    pub address: String,
}

/// What a payload leaves open and only the network knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NetworkFacts {
    /// The consensus branch of the next Zcash block, as the four bytes that enter the signature hash.
    pub zcash_branch: Option<[u8; 4]>,
}

/// Which transaction of a step it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Lets a contract take tokens, before the transaction that calls it.
    Approval,
    /// What the step is for.
    Main,
}

/// A transaction with nothing open but its signatures.
#[derive(Debug)]
pub struct Transaction {
    account: Account,
    role: Role,
    unsigned: Box<dyn Unsigned>,
    /// Kept apart from what is signed: no explanation is made from them.
    claims: Vec<Claim>,
    /// Hashed once: consent, signing and the check of the signatures all need them.
    images: OnceCell<Vec<Image>>,
}

/// What a payload says of a transaction and no signature covers. It is shown as the sender's word, and nothing else can
/// be done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What it is about, in words for people.
    about: &'static str,
    /// In the sender's words.
    text: String,
}

impl Claim {
    /// A claim about something.
    pub(crate) fn new(about: &'static str, text: impl Into<String>) -> Self {
        Self { about, text: text.into() }
    }

    /// As pages see it.
    pub fn to_wire(&self) -> wire::explain::Claim {
        wire::explain::Claim { about: self.about.to_owned(), text: self.text.clone() }
    }
}

/// Bytes for the network, and the name under which the network will know them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// What is broadcast.
    pub bytes: Vec<u8>,
    /// Sui sends its signature beside the bytes.
    pub detached: Option<Vec<u8>>,
    /// The transaction id as the chain's explorers spell it.
    pub id: String,
}

/// What each kind of chain knows how to do.
pub(crate) trait Unsigned: fmt::Debug {
    /// What must be signed, in this order.
    fn images(&self) -> Vec<Image>;

    /// The signed bytes. The signatures are checked and as many as the images.
    fn assemble(&self, account: &Account, signatures: &[Verified]) -> Signed;

    /// What the transaction does, read from what is signed and from what nodes said.
    fn explain(&self, account: &Account, facts: Facts<'_>) -> Explanation;

    /// What the explanation needs from nodes, besides the names of tokens.
    fn wanted(&self, _account: &Account) -> Vec<Wanted> {
        Vec::new()
    }

    /// Refuses what lacks a fact that an approval needs, and what a fact contradicts. Hashing needs neither.
    fn check_facts(&self, _account: &Account, _facts: Facts<'_>) -> Result<(), TransactionError> {
        Ok(())
    }

    /// The account that the bytes name as the one that signs and pays; the signer's own where they name none.
    fn payer(&self, account: &Account) -> String {
        account.address.clone()
    }

    /// What a node is asked before this is signed; nothing where a node knows nothing that matters.
    fn check(&self, _account: &Account, _ahead: u32) -> Vec<Request> {
        Vec::new()
    }

    /// What its answers mean.
    fn read_check(&self, _account: &Account, _ahead: u32, _answers: &[Response]) -> Checked {
        Checked::Sendable { findings: Vec::new() }
    }

    /// What a node is asked so that it runs this as a trial, and `later` on top of it where the chain's nodes can; nothing
    /// where they run nothing.
    fn trial(&self, _account: &Account, _later: &[Transaction]) -> Vec<Request> {
        Vec::new()
    }

    /// What its answers mean.
    fn read_trial(&self, _account: &Account, _later: &[Transaction], _answers: &[Response]) -> Trial {
        Trial::NotRun(NoTrialReason::ChainHasNone)
    }

    /// The fields of an EVM transaction, whose nodes run several in one trial.
    fn evm_fields(&self) -> Option<&Fields> {
        None
    }
}

impl Transaction {
    pub(crate) fn new(account: &Account, role: Role, unsigned: impl Unsigned + 'static) -> Self {
        let (claims, images) = (Vec::new(), OnceCell::new());
        Self { account: account.clone(), role, unsigned: Box::new(unsigned), claims, images }
    }

    /// The account that signs.
    pub const fn account(&self) -> &Account {
        &self.account
    }

    /// What it is for.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// What must be signed, in this order.
    pub fn images(&self) -> &[Image] {
        self.images.get_or_init(|| self.unsigned.images())
    }

    /// The account that the bytes name as the one that signs and pays; the signer's own where they name none.
    pub fn payer(&self) -> String {
        self.unsigned.payer(&self.account)
    }

    /// Checks the signatures, one for each image, and builds them in.
    pub fn compile(&self, signatures: &[Signature]) -> Result<Signed, SignatureError> {
        let images = self.images();
        if images.len() != signatures.len() {
            return Err(SignatureError::Count { expected: images.len(), found: signatures.len() });
        }
        if images.iter().any(|image| matches!(image, Image::MlDsa44(_))) {
            return Err(SignatureError::Scheme);
        }
        let check = |(index, (image, signature))| {
            self.account.key.verify(image, signature).ok_or(SignatureError::Invalid { index })
        };
        let verified: Vec<Verified> =
            images.iter().zip(signatures).enumerate().map(check).collect::<Result<_, _>>()?;
        Ok(self.unsigned.assemble(&self.account, &verified))
    }

    /// What it does, read from what is signed alone.
    pub fn explain(&self) -> Explanation {
        self.explain_with(Facts::default())
    }

    /// What it does, read from what is signed and from what nodes said.
    pub fn explain_with(&self, facts: Facts<'_>) -> Explanation {
        self.unsigned.explain(&self.account, facts)
    }

    /// What the explanation needs from nodes, besides the names of tokens.
    pub fn wanted(&self) -> Vec<Wanted> {
        self.unsigned.wanted(&self.account)
    }

    /// Refuses a transaction that may not be signed without what nodes say, or against it: one whose fee depends on values
    /// that no signature covers.
    pub fn check_facts(&self, facts: Facts<'_>) -> Result<(), TransactionError> {
        self.unsigned.check_facts(&self.account, facts)
    }

    /// What the payload says beside what is signed.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The same with what the payload says beside what is signed.
    pub(crate) fn with_claims(mut self, claims: Vec<Claim>) -> Self {
        self.claims = claims.into_iter().filter(|claim| !claim.text.is_empty()).collect();
        self
    }

    pub(crate) fn check(&self, ahead: u32) -> Vec<Request> {
        self.unsigned.check(&self.account, ahead)
    }

    pub(crate) fn read_check(&self, ahead: u32, answers: &[Response]) -> Checked {
        self.unsigned.read_check(&self.account, ahead, answers)
    }

    pub(crate) fn trial(&self, later: &[Self]) -> Vec<Request> {
        self.unsigned.trial(&self.account, later)
    }

    pub(crate) fn read_trial(&self, later: &[Self], answers: &[Response]) -> Trial {
        self.unsigned.read_trial(&self.account, later, answers)
    }

    pub(crate) fn evm_fields(&self) -> Option<&Fields> {
        self.unsigned.evm_fields()
    }

    /// The call of a contract that it is, on an EVM chain.
    pub fn contract_call(&self) -> Option<wire::descriptor::CallData> {
        self.evm_fields()?.contract_call(&self.account.address)
    }
}

impl Account {
    /// Whether `address` is this account, in any spelling that the chain allows.
    pub fn owns(&self, address: &str) -> bool {
        address == self.address || crate::address::spellings(self.chain, address).contains(&self.address)
    }

    /// Refuses an account that is not this one.
    pub(crate) fn check(&self, address: &str) -> Result<(), TransactionError> {
        if self.owns(address) {
            Ok(())
        } else {
            Err(TransactionError::NotOwned { address: address.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[derive(Debug)]
    struct Counting(Rc<Cell<usize>>);

    impl Unsigned for Counting {
        fn images(&self) -> Vec<Image> {
            self.0.set(self.0.get() + 1);
            vec![Image::Ecdsa([1; 32])]
        }

        fn assemble(&self, _: &Account, _: &[Verified]) -> Signed {
            Signed { bytes: Vec::new(), detached: None, id: String::new() }
        }

        fn explain(&self, _: &Account, _: Facts<'_>) -> Explanation {
            panic!("no explanation is needed to sign")
        }
    }

    /// Consent, signing and the check of the signatures hash a transaction once, and do not explain it.
    #[test]
    fn images_are_hashed_once() {
        let key = PublicKey::Secp256k1([2; 33]);
        let account = Account { chain: Chain::Ethereum, key, address: "0x".to_owned() };
        let hashed = Rc::new(Cell::new(0));
        let transaction = Transaction::new(&account, Role::Main, Counting(Rc::clone(&hashed)));
        assert_eq!(transaction.images().len(), 1);
        assert_eq!(transaction.payer(), account.address);
        assert!(transaction.compile(&[Signature([1; 64])]).is_err());
        assert_eq!((transaction.images().len(), hashed.get()), (1, 1));
    }
}
