//! EIP-5792.

use super::has;
use crate::clicks::Click;

pub(super) fn clicks() -> Vec<Click<'static>> {
    const ERROR: &str = "#eip5792SendCallsError";
    vec![
        // The page wants them as one, which the wallet does for one call alone.
        Click::new(
            "calls as one",
            "wallet_sendCalls",
            &["#eip5792SendCallsButton"],
            (ERROR, has("several calls as one")),
        )
        .output()
        .refused("5760"),
        Click::new(
            "calls that need assets",
            "wallet_sendCalls",
            &["#eip5792SendCallsRequiredAssetsButton"],
            (ERROR, has("auxiliaryFunds")),
        )
        .output()
        .refused("5700"),
        Click::new(
            "capabilities",
            "wallet_getCapabilities",
            &["#eip5792GetCapabilitiesButton"],
            ("#eip5792GetCapabilitiesResult", has("0x1")),
        )
        .output(),
    ]
}
