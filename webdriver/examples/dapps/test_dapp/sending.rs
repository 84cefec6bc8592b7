//! Transactions, also malformed and failing, and contracts.

use super::{has, is};
use crate::clicks::{Click, Shows};

const SEND: &str = "eth_sendTransaction";

pub(super) fn clicks(address: &str) -> Vec<Click<'static>> {
    malformed().into_iter().chain(payments(address)).chain(contracts()).collect()
}

fn malformed() -> Vec<Click<'static>> {
    let refused = |name, press| {
        let at = "#sendMalformedResult";
        Click::new(name, SEND, press, (at, Shows::Begins("Error"))).output().refused("−32602")
    };
    vec![
        refused("transaction with an invalid value", &["#sendWithInvalidValue"]),
        refused("transaction of an unknown type", &["#sendWithInvalidTxType"]),
        refused("transaction with an invalid gas limit", &["#sendWithInvalidGasLimit"]),
        refused("transaction with an invalid fee", &["#sendWithInvalidMaxFeePerGas"]),
        refused("transaction with an invalid recipient", &["#sendWithInvalidRecipient"]),
    ]
}

/// The page shows nothing of these: they are counted on the chain.
fn payments(address: &str) -> Vec<Click<'static>> {
    let sent = |name, press| Click::new(name, SEND, press, ("#accounts", is(address)));
    vec![
        sent("legacy transaction", &["#sendButton"]).mines(1),
        sent("EIP-1559 transaction", &["#sendEIP1559Button"]).mines(1),
        sent("EIP-1559 transaction without gas", &["#sendEIP1559WithoutGasButton"]).mines(1),
        sent("ten transactions at once", &["#sendEIP1559Batch"]).mines(10),
    ]
}

fn contracts() -> Vec<Click<'static>> {
    let done = |name, press, at, shows| Click::new(name, SEND, press, (at, has(shows))).output().mines(1);
    let (status, failing, multisig) =
        ("#contractStatus", "#failingContractStatus", "#multisigContractStatus");
    vec![
        done("contract deployed", &["#deployButton"], status, "Deployed"),
        done("contract called with value", &["#depositButton"], status, "Deposit completed"),
        done("value withdrawn", &["#withdrawButton"], status, "Withdrawn"),
        done("failing contract deployed", &["#deployFailingButton"], failing, "Deployed"),
        done("call that reverts", &["#sendFailingButton"], failing, "completed as expected"),
        done("multisig deployed", &["#deployMultisigButton"], multisig, "Deployed"),
        done("payment to a multisig", &["#sendMultisigButton"], multisig, "completed as expected"),
    ]
}
