//! Writes the transactions that the wallet filled in as the bytes that are signed.

use crate::error::AnswerError;
use chains::encoding::hex;
use chains::{Chain, unsigned_evm};
use wire::evm::EvmTransaction;
use wire::signer::{BuiltTransaction, Reply};

/// The unsigned bytes of transactions of an EVM chain.
pub(crate) fn evm(chain: &str, transactions: &[EvmTransaction]) -> Result<Reply, AnswerError> {
    let known = Chain::parse(chain).ok_or_else(|| AnswerError::UnknownChain { chain: chain.to_owned() })?;
    let build = |transaction| {
        let (bytes, tx_type) = unsigned_evm(known, transaction)?;
        Ok(BuiltTransaction { bytes: hex(&bytes), tx_type: tx_type.to_owned() })
    };
    let transactions = transactions.iter().map(build).collect::<Result<_, AnswerError>>()?;
    Ok(Reply::Built { transactions })
}
