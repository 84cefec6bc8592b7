//! The names of fields and transactions, as numbers: data of the ledger's `definitions.json`.
//!
//! Only what the transactions below consist of. What is not here could not be explained, so it is
//! refused.

/// How the values of a field are written, by the ledger's number of the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// 16 bits.
    UInt16 = 1,
    /// 32 bits.
    UInt32 = 2,
    /// 16 bytes.
    Hash128 = 4,
    /// 32 bytes.
    Hash256 = 5,
    /// Drops, or an amount of an issued currency.
    Amount = 6,
    /// Bytes.
    Blob = 7,
    /// 20 bytes.
    Account = 8,
    /// Fields inside a field.
    Object = 14,
    /// Objects, each under its own field.
    Array = 15,
    /// 8 bits.
    UInt8 = 16,
    /// Ways through the ledger's order books.
    Paths = 18,
    /// Hashes of 32 bytes.
    Hashes = 19,
    /// XRP, or a currency and its issuer.
    Issue = 24,
}

/// A field.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// How its value is written.
    pub(super) kind: Kind,
    /// Its number among the fields of its kind.
    pub(super) number: u8,
    /// Its name.
    pub(super) name: &'static str,
}

impl Kind {
    pub(super) const fn code(self) -> u8 {
        self as u8
    }
}

impl Field {
    /// Fields are written in this order.
    pub(super) const fn order(&self) -> (u8, u8) {
        (self.kind.code(), self.number)
    }
}

/// The field of a name.
pub(super) fn named(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}

/// The field of a pair of numbers.
pub(super) fn numbered(kind: u8, number: u8) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.order() == (kind, number))
}

/// The number of a transaction's type.
pub(super) fn type_code(name: &str) -> Option<u16> {
    TYPES.iter().find(|(_, known)| *known == name).map(|(code, _)| *code)
}

/// The name of a transaction's type.
pub(super) fn type_name(code: u16) -> Option<&'static str> {
    TYPES.iter().find(|(known, _)| *known == code).map(|(_, name)| *name)
}

const fn field(kind: Kind, number: u8, name: &'static str) -> Field {
    Field { kind, number, name }
}

#[rustfmt::skip]
static FIELDS: &[Field] = &[
    field(Kind::UInt16, 2, "TransactionType"), field(Kind::UInt16, 3, "SignerWeight"),
    field(Kind::UInt16, 4, "TransferFee"), field(Kind::UInt16, 5, "TradingFee"),
    field(Kind::UInt32, 1, "NetworkID"), field(Kind::UInt32, 2, "Flags"),
    field(Kind::UInt32, 3, "SourceTag"), field(Kind::UInt32, 4, "Sequence"),
    field(Kind::UInt32, 10, "Expiration"), field(Kind::UInt32, 11, "TransferRate"),
    field(Kind::UInt32, 12, "WalletSize"), field(Kind::UInt32, 14, "DestinationTag"),
    field(Kind::UInt32, 20, "QualityIn"), field(Kind::UInt32, 21, "QualityOut"),
    field(Kind::UInt32, 25, "OfferSequence"), field(Kind::UInt32, 27, "LastLedgerSequence"),
    field(Kind::UInt32, 29, "OperationLimit"), field(Kind::UInt32, 33, "SetFlag"),
    field(Kind::UInt32, 34, "ClearFlag"), field(Kind::UInt32, 35, "SignerQuorum"),
    field(Kind::UInt32, 36, "CancelAfter"), field(Kind::UInt32, 37, "FinishAfter"),
    field(Kind::UInt32, 39, "SettleDelay"), field(Kind::UInt32, 40, "TicketCount"),
    field(Kind::UInt32, 41, "TicketSequence"), field(Kind::UInt32, 42, "NFTokenTaxon"),
    field(Kind::Hash128, 1, "EmailHash"), field(Kind::Hash256, 5, "PreviousTxnID"),
    field(Kind::Hash256, 7, "WalletLocator"), field(Kind::Hash256, 9, "AccountTxnID"),
    field(Kind::Hash256, 10, "NFTokenID"), field(Kind::Hash256, 17, "InvoiceID"),
    field(Kind::Hash256, 22, "Channel"), field(Kind::Hash256, 24, "CheckID"),
    field(Kind::Hash256, 28, "NFTokenBuyOffer"), field(Kind::Hash256, 29, "NFTokenSellOffer"),
    field(Kind::Hash256, 34, "DomainID"), field(Kind::Amount, 1, "Amount"),
    field(Kind::Amount, 2, "Balance"), field(Kind::Amount, 3, "LimitAmount"),
    field(Kind::Amount, 4, "TakerPays"), field(Kind::Amount, 5, "TakerGets"), field(Kind::Amount, 8, "Fee"),
    field(Kind::Amount, 9, "SendMax"), field(Kind::Amount, 10, "DeliverMin"),
    field(Kind::Amount, 11, "Amount2"), field(Kind::Amount, 12, "BidMin"),
    field(Kind::Amount, 13, "BidMax"), field(Kind::Amount, 19, "NFTokenBrokerFee"),
    field(Kind::Amount, 25, "LPTokenOut"), field(Kind::Amount, 26, "LPTokenIn"),
    field(Kind::Amount, 27, "EPrice"), field(Kind::Blob, 1, "PublicKey"),
    field(Kind::Blob, 2, "MessageKey"), field(Kind::Blob, 3, "SigningPubKey"),
    field(Kind::Blob, 4, "TxnSignature"), field(Kind::Blob, 5, "URI"), field(Kind::Blob, 7, "Domain"),
    field(Kind::Blob, 12, "MemoType"), field(Kind::Blob, 13, "MemoData"),
    field(Kind::Blob, 14, "MemoFormat"), field(Kind::Blob, 16, "Fulfillment"),
    field(Kind::Blob, 17, "Condition"), field(Kind::Blob, 31, "CredentialType"),
    field(Kind::Account, 1, "Account"), field(Kind::Account, 2, "Owner"),
    field(Kind::Account, 3, "Destination"), field(Kind::Account, 4, "Issuer"),
    field(Kind::Account, 5, "Authorize"), field(Kind::Account, 6, "Unauthorize"),
    field(Kind::Account, 8, "RegularKey"), field(Kind::Account, 9, "NFTokenMinter"),
    field(Kind::Account, 11, "Holder"), field(Kind::Object, 10, "Memo"),
    field(Kind::Object, 11, "SignerEntry"), field(Kind::Object, 27, "AuthAccount"),
    field(Kind::Object, 33, "Credential"), field(Kind::Array, 4, "SignerEntries"),
    field(Kind::Array, 9, "Memos"), field(Kind::Array, 25, "AuthAccounts"),
    field(Kind::Array, 26, "AuthorizeCredentials"), field(Kind::Array, 27, "UnauthorizeCredentials"),
    field(Kind::UInt8, 16, "TickSize"), field(Kind::Paths, 1, "Paths"),
    field(Kind::Hashes, 4, "NFTokenOffers"), field(Kind::Hashes, 5, "CredentialIDs"),
    field(Kind::Issue, 3, "Asset"), field(Kind::Issue, 4, "Asset2"),
];

#[rustfmt::skip]
static TYPES: &[(u16, &str)] = &[
    (0, "Payment"), (1, "EscrowCreate"), (2, "EscrowFinish"), (3, "AccountSet"), (4, "EscrowCancel"),
    (5, "SetRegularKey"), (7, "OfferCreate"), (8, "OfferCancel"), (10, "TicketCreate"),
    (12, "SignerListSet"), (13, "PaymentChannelCreate"), (14, "PaymentChannelFund"),
    (15, "PaymentChannelClaim"), (16, "CheckCreate"), (17, "CheckCash"), (18, "CheckCancel"),
    (19, "DepositPreauth"), (20, "TrustSet"), (21, "AccountDelete"), (25, "NFTokenMint"),
    (26, "NFTokenBurn"), (27, "NFTokenCreateOffer"), (28, "NFTokenCancelOffer"), (29, "NFTokenAcceptOffer"),
    (30, "Clawback"), (31, "AMMClawback"), (35, "AMMCreate"), (36, "AMMDeposit"), (37, "AMMWithdraw"),
    (38, "AMMVote"), (39, "AMMBid"), (40, "AMMDelete"), (61, "NFTokenModify"),
];
