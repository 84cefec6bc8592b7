//! MetaMask's test dapp: EIP-1193, 6963, 2255, 747, 712, personal_sign, sign-in with Ethereum, 5792.

use crate::Court;
use crate::clicks::{Click, Shows, click};
use crate::report::Report;
use crate::user::Does::Approves;
use anyhow::Result;
use serde_json::json;
use webdriver::Site;

pub(crate) const NAME: &str = "@metamask/test-dapp 9.9.0";

/// The dapp takes only a provider that says that it is MetaMask, and writes a field into it. So it is given a copy of ours, which
/// is frozen, with that word added.
const AS_METAMASK: &str = "
    addEventListener('eip6963:announceProvider', (event) => {
        const { info, provider } = event.detail;
        if (provider.isMetaMask) return;
        event.stopImmediatePropagation();
        const detail = { info, provider: { ...provider, isMetaMask: true } };
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    }, true);";

pub(crate) async fn judge(court: &Court, report: &mut Report) -> Result<()> {
    let site = Site::serve(court.package("@metamask/test-dapp/dist")).await?;
    let dapp = court.wallet.open("about:blank").await?;
    dapp.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": AS_METAMASK })).await?;
    dapp.goto(&site.url("/")).await?;
    dapp.press("#provider button").await?;
    let address = court.wallet.address().to_owned();
    let ours = || Shows::Is(address.clone());
    let simple = |name, method, press, at, shows| Click {
        name,
        method,
        result: "answered",
        press,
        user: &[],
        at,
        shows,
        mines: 0,
    };
    let clicks = [
        simple(
            "provider found and used",
            "eth_chainId, net_version",
            &[],
            "#chainId",
            Shows::Is("0x1".to_owned()),
        ),
        Click {
            user: &[Approves],
            ..simple("connection", "eth_requestAccounts", &["#connectButton"], "#accounts", ours())
        },
        simple("accounts", "eth_accounts", &["#getAccounts"], "#getAccountsResult", ours()),
        simple(
            "permissions",
            "wallet_getPermissions",
            &["#getPermissions"],
            "#permissionsResult",
            Shows::Has("eth_accounts".to_owned()),
        ),
        Click {
            user: &[Approves],
            ..simple(
                "message",
                "personal_sign",
                &["#personalSign"],
                "#personalSignResult",
                Shows::Begins("0x"),
            )
        },
        Click {
            user: &[Approves],
            ..simple(
                "typed data",
                "eth_signTypedData_v4",
                &["#signTypedDataV4"],
                "#signTypedDataV4Result",
                Shows::Begins("0x"),
            )
        },
        simple(
            "typed data verified by eth-sig-util",
            "eth_signTypedData_v4",
            &["#signTypedDataV4Verify"],
            "#signTypedDataV4VerifyResult",
            ours(),
        ),
        Click {
            user: &[Approves],
            ..simple(
                "permit",
                "eth_signTypedData_v4",
                &["#signPermit"],
                "#signPermitResult",
                Shows::Begins("0x"),
            )
        },
        simple(
            "permit verified",
            "eth_signTypedData_v4",
            &["#signPermitVerify"],
            "#signPermitVerifyResult",
            ours(),
        ),
        Click {
            user: &[Approves],
            ..simple("sign-in", "personal_sign (EIP-4361)", &["#siwe"], "#siweResult", Shows::Begins("0x"))
        },
        Click {
            result: "refused",
            ..simple(
                "sign-in for another domain",
                "personal_sign (EIP-4361)",
                &["#siweBadDomain"],
                "#siweResult",
                Shows::Begins("Error"),
            )
        },
        Click {
            result: "refused",
            ..simple(
                "typed data of an invalid type",
                "eth_signTypedData_v4",
                &["#signInvalidType"],
                "#signMalformedResult",
                Shows::Begins("Error"),
            )
        },
        Click {
            result: "4200",
            ..simple("raw hash", "eth_sign", &["#ethSign"], "#ethSign", Shows::Begins("Error"))
        },
        Click {
            result: "−32602",
            ..simple(
                "transaction with an invalid value",
                "eth_sendTransaction",
                &["#sendWithInvalidValue"],
                "#sendMalformedResult",
                Shows::Begins("Error"),
            )
        },
        Click {
            user: &[Approves],
            mines: 1,
            ..simple("legacy transaction", "eth_sendTransaction", &["#sendButton"], "#accounts", ours())
        },
        Click {
            user: &[Approves],
            mines: 1,
            ..simple(
                "EIP-1559 transaction",
                "eth_sendTransaction",
                &["#sendEIP1559Button"],
                "#accounts",
                ours(),
            )
        },
        Click {
            user: &[Approves],
            mines: 1,
            ..simple(
                "contract deployed",
                "eth_sendTransaction",
                &["#deployButton"],
                "#contractStatus",
                Shows::Is("Deployed".to_owned()),
            )
        },
        Click {
            user: &[Approves],
            mines: 1,
            ..simple(
                "contract called with value",
                "eth_sendTransaction",
                &["#depositButton"],
                "#contractStatus",
                Shows::Is("Deposit completed".to_owned()),
            )
        },
        // The page wants them as one, which the wallet does for one call alone.
        Click {
            result: "5760",
            ..simple(
                "calls as one",
                "wallet_sendCalls",
                &["#eip5792SendCallsButton"],
                "#eip5792SendCallsError",
                Shows::Has("several calls as one".to_owned()),
            )
        },
        Click {
            result: "5700",
            ..simple(
                "calls that need assets",
                "wallet_sendCalls",
                &["#eip5792SendCallsRequiredAssetsButton"],
                "#eip5792SendCallsError",
                Shows::Has("auxiliaryFunds".to_owned()),
            )
        },
        simple(
            "capabilities",
            "wallet_getCapabilities",
            &["#eip5792GetCapabilitiesButton"],
            "#eip5792GetCapabilitiesResult",
            Shows::Has("0x1".to_owned()),
        ),
        simple(
            "revocation",
            "wallet_revokePermissions",
            &["#revokeAccountsPermission"],
            "#accounts",
            Shows::Is(String::new()),
        ),
    ];
    for one in clicks {
        click(court, &dapp, NAME, one, report).await;
    }
    Ok(dapp.close().await?)
}
