//! What the parameters of `sign_transaction_bundle` are, for those who write them (specification 000 §1.1).

use super::request::{LONGEST_WAIT, MAX_STEPS};
use crate::tool::shape::{Field, Kind, Shape};

/// What the parameters must be as a whole; the steps are read one by one, by [`super::request`].
pub(super) static ARGUMENTS: Shape = Shape {
    fields: &[
        Field::required(
            "transactions",
            STEPS,
            "In the order of their sequence; the first that fails ends the bundle.",
        ),
        Field::optional("skip_approval", Kind::Flag, "A wish: the user's settings decide."),
        Field::optional("bundle_label", Kind::Label, "A heading for the user."),
    ],
};

const STEPS: Kind =
    Kind::Entries { what: "step", most: Some((MAX_STEPS, "has more than 256 steps")), entry: &STEP };

static STEP: Shape = Shape {
    fields: &[
        Field::required("id", Kind::Text, "Its own among the steps."),
        Field::required("sequence", Kind::Whole(0, u32::MAX), "Its own among the steps: their order."),
        Field::required("chain", Kind::Text, "The chain's name."),
        Field::optional("action", Kind::Label, "What the step is called."),
        Field::required("signing_mode", Kind::OneOf(&["ecdsa_secp256k1", "eddsa_ed25519"]), ""),
        Field::optional("keysign_payload", Kind::Text, "Base64; this or unsigned_tx_hex."),
        Field::optional("unsigned_tx_hex", Kind::Text, "Hex; this or keysign_payload."),
        Field::optional("chain_context", Kind::Object(&CHAIN_CONTEXT), "Beside unsigned_tx_hex."),
        Field::optional("tx_details", Kind::Object(&TX_DETAILS), "Compared with what the bytes say."),
        Field::optional(
            "wait_for_receipt",
            Kind::Flag,
            "Whether the next step waits until this one is confirmed.",
        ),
        Field::optional("receipt_timeout_seconds", Kind::Whole(1, LONGEST_WAIT), ""),
    ],
};

static CHAIN_CONTEXT: Shape = Shape {
    fields: &[
        Field::optional("chain_id", Kind::Text, "Hex with 0x, on EVM chains."),
        Field::optional("tx_type", Kind::Text, "On EVM chains legacy, eip1559 or eip2930."),
        Field::optional("derive_path", Kind::Text, ""),
    ],
};

static TX_DETAILS: Shape = Shape {
    fields: &[
        Field::optional("description", Kind::Label, ""),
        Field::optional("from", Kind::Label, ""),
        Field::optional("to", Kind::Label, ""),
        Field::optional("value", Kind::Label, ""),
        Field::optional("token_symbol", Kind::Label, ""),
        Field::optional("amount_human", Kind::Label, ""),
        Field::optional("contract_name", Kind::Label, ""),
        Field::optional("gas_limit", Kind::Label, ""),
    ],
};
