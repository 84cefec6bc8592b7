//! MetaMask's dapp for multichain sessions, by postMessage: CAIP-25, 27, 285, 312.

use crate::Court;
use crate::clicks::{Click, Shows, click};
use crate::report::Report;
use anyhow::Result;
use webdriver::Site;

pub(crate) const NAME: &str = "@metamask/test-dapp-multichain 0.17.0";

pub(crate) async fn judge(court: &Court, report: &mut Report) -> Result<()> {
    let folder = court.package("@metamask/test-dapp-multichain/build");
    let site = Site::serve_below("/test-dapp-multichain/", folder).await?;
    let dapp = court.wallet.open_dapp(&site.url("/test-dapp-multichain/")).await?;
    for one in clicks(court.wallet.address()) {
        click(court, &dapp, NAME, one, report).await;
    }
    Ok(dapp.close().await?)
}

fn clicks(address: &str) -> [Click<'static>; 8] {
    let has = |text: &str| Shows::Has(text.to_owned());
    let session = "#session-method-result-0";
    [
        Click::new(
            "no session at first",
            "wallet_getSession",
            &["#auto-connect-postmessage-button", "#get-session-btn"],
            (session, has("sessionScopes")),
        ),
        Click::new(
            "session over Ethereum and Arbitrum",
            "wallet_createSession",
            &["#network-checkbox-eip155-1", "#network-checkbox-eip155-42161", "#create-session-btn"],
            ("[data-testid=connected-chains-list]", has("eip155:1\n")),
        )
        .approved(1),
        Click::new(
            "the session's account",
            "wallet_createSession",
            &[],
            ("[data-testid=connected-accounts-list]", has(address)),
        ),
        Click::new("session read", "wallet_getSession", &["#get-session-btn"], (session, has("eip155:1"))),
        Click::new(
            "read in a scope",
            "wallet_invokeMethod eth_blockNumber",
            &["!#direct-invoke-eip155-1-eth_blockNumber"],
            ("#invoke-method-eip155-1-eth_blockNumber-result-0", has("0x")),
        ),
        Click::new(
            "message in a scope",
            "wallet_invokeMethod personal_sign",
            &["!#direct-invoke-eip155-1-personal_sign"],
            ("#invoke-method-eip155-1-personal_sign-result-0", has("0x")),
        )
        .approved(1),
        Click::new(
            "transaction in a scope",
            "wallet_invokeMethod eth_sendTransaction",
            &["!#direct-invoke-eip155-1-eth_sendTransaction"],
            ("#invoke-method-eip155-1-eth_sendTransaction-result-0", has("0x")),
        )
        .mines(1),
        Click::new(
            "session revoked",
            "wallet_revokeSession",
            &["#revoke-session-btn"],
            (session, has("true")),
        ),
    ]
}
