//! Messages and typed data, also malformed.

use super::is;
use crate::clicks::{Click, Shows};

const TYPED: &str = "eth_signTypedData_v4";
const SIGN_IN: &str = "personal_sign (EIP-4361)";

pub(super) fn clicks(address: &str) -> Vec<Click<'static>> {
    [messages(), typed(address), sign_ins(), malformed()].into_iter().flatten().collect()
}

/// The page shows a signature in the end.
fn signed(
    name: &'static str,
    method: &'static str,
    press: &'static [&str],
    at: &'static str,
) -> Click<'static> {
    Click::new(name, method, press, (at, Shows::Begins("0x"))).output().approved(1)
}

/// The page shows the wallet's sentence, without a prompt.
fn refused(
    name: &'static str,
    method: &'static str,
    press: &'static [&str],
    at: &'static str,
) -> Click<'static> {
    Click::new(name, method, press, (at, Shows::Begins("Error"))).output().refused("−32602")
}

fn messages() -> Vec<Click<'static>> {
    vec![
        signed("message", "personal_sign", &["#personalSign"], "#personalSignResult"),
        refused(
            "recovery by the wallet",
            "personal_ecRecover",
            &["#personalSignVerify"],
            "#personalSignVerifyECRecoverResult",
        )
        .refused("4200"),
        Click::new("raw hash", "eth_sign", &["#ethSign"], ("#ethSign", Shows::Begins("Error")))
            .refused("4200"),
        refused(
            "typed data, first version",
            "eth_signTypedData",
            &["#signTypedData"],
            "#signTypedDataResult",
        )
        .refused("4200"),
        refused(
            "typed data, third version",
            "eth_signTypedData_v3",
            &["#signTypedDataV3"],
            "#signTypedDataV3Result",
        )
        .refused("4200"),
    ]
}

fn typed(address: &str) -> Vec<Click<'static>> {
    const VARIANT: &str = "#signPermitVariantResult";
    vec![
        signed("typed data", TYPED, &["#signTypedDataV4"], "#signTypedDataV4Result"),
        Click::new(
            "typed data verified by eth-sig-util",
            TYPED,
            &["#signTypedDataV4Verify"],
            ("#signTypedDataV4VerifyResult", is(address)),
        ),
        signed("permit", TYPED, &["#signPermit"], "#signPermitResult"),
        Click::new(
            "permit verified",
            TYPED,
            &["#signPermitVerify"],
            ("#signPermitVerifyResult", is(address)),
        ),
        signed("Permit2, one token", TYPED, &["#signPermitSingle"], VARIANT),
        signed("Permit2, several tokens", TYPED, &["#signPermitBatch"], VARIANT),
        signed("Seaport, several orders", TYPED, &["#signSeaportBulkOrder"], VARIANT),
        signed("Blur order", TYPED, &["#signBlurOrder"], VARIANT),
    ]
}

fn sign_ins() -> Vec<Click<'static>> {
    const RESULT: &str = "#siweResult";
    vec![
        signed("sign-in", SIGN_IN, &["#siwe"], RESULT),
        signed("sign-in with resources", SIGN_IN, &["#siweResources"], RESULT),
        refused("sign-in for another domain", SIGN_IN, &["#siweBadDomain"], RESULT),
        refused("sign-in of another account", SIGN_IN, &["#siweBadAccount"], RESULT),
        signed("text that is no sign-in", SIGN_IN, &["#siweMalformed"], RESULT),
    ]
}

fn malformed() -> Vec<Click<'static>> {
    const RESULT: &str = "#signMalformedResult";
    vec![
        refused("typed data of an invalid type", TYPED, &["#signInvalidType"], RESULT),
        refused("typed data without a domain", TYPED, &["#signEmptyDomain"], RESULT),
        signed("typed data with a field of no type", TYPED, &["#signExtraDataNotTyped"], RESULT),
        refused("typed data of a type that is not there", TYPED, &["#signInvalidPrimaryType"], RESULT),
        refused("typed data of no type", TYPED, &["#signNoPrimaryTypeDefined"], RESULT),
        refused(
            "typed data of a contract that is none",
            TYPED,
            &["#signInvalidVerifyingContractType"],
            RESULT,
        ),
    ]
}
