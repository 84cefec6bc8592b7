//! MetaMask's dapp for multichain sessions, by postMessage: CAIP-25, 27, 285, 312.

use crate::Court;
use crate::clicks::{Click, Shows, click};
use crate::report::Report;
use crate::user::Does::Approves;
use anyhow::Result;
use webdriver::Site;

pub(crate) const NAME: &str = "@metamask/test-dapp-multichain 0.17.0";

pub(crate) async fn judge(court: &Court, report: &mut Report) -> Result<()> {
    let folder = court.package("@metamask/test-dapp-multichain/build");
    let site = Site::serve_below("/test-dapp-multichain/", folder).await?;
    let dapp = court.wallet.open_dapp(&site.url("/test-dapp-multichain/")).await?;
    let address = court.wallet.address().to_owned();
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
    let has = |text: &str| Shows::Has(text.to_owned());
    let clicks = [
        simple(
            "no session at first",
            "wallet_getSession",
            &["#auto-connect-postmessage-button", "#get-session-btn"],
            "#session-method-result-0",
            has("sessionScopes"),
        ),
        Click {
            user: &[Approves],
            ..simple(
                "session over Ethereum and Arbitrum",
                "wallet_createSession",
                &["#network-checkbox-eip155-1", "#network-checkbox-eip155-42161", "#create-session-btn"],
                "[data-testid=connected-chains-list]",
                has("eip155:1\n"),
            )
        },
        simple(
            "the session's account",
            "wallet_createSession",
            &[],
            "[data-testid=connected-accounts-list]",
            has(&address),
        ),
        simple(
            "session read",
            "wallet_getSession",
            &["#get-session-btn"],
            "#session-method-result-0",
            has("eip155:1"),
        ),
        simple(
            "read in a scope",
            "wallet_invokeMethod eth_blockNumber",
            &["!#direct-invoke-eip155-1-eth_blockNumber"],
            "#invoke-method-eip155-1-eth_blockNumber-result-0",
            has("0x"),
        ),
        Click {
            user: &[Approves],
            ..simple(
                "message in a scope",
                "wallet_invokeMethod personal_sign",
                &["!#direct-invoke-eip155-1-personal_sign"],
                "#invoke-method-eip155-1-personal_sign-result-0",
                has("0x"),
            )
        },
        Click {
            user: &[Approves],
            mines: 1,
            ..simple(
                "transaction in a scope",
                "wallet_invokeMethod eth_sendTransaction",
                &["!#direct-invoke-eip155-1-eth_sendTransaction"],
                "#invoke-method-eip155-1-eth_sendTransaction-result-0",
                has("0x"),
            )
        },
        simple(
            "session revoked",
            "wallet_revokeSession",
            &["#revoke-session-btn"],
            "#session-method-result-0",
            has("true"),
        ),
    ];
    for one in clicks {
        click(court, &dapp, NAME, one, report).await;
    }
    Ok(dapp.close().await?)
}
