//! MetaMask's test dapp: EIP-1193, 6963, 2255, 747, 712, personal_sign, sign-in with Ethereum, transactions, tokens, 5792.

mod calls;
mod sending;
mod signing;
mod tokens;

use crate::Court;
use crate::clicks::{Click, Shows, click};
use crate::report::Report;
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
    let address = court.wallet.address();
    let clicks = connection(address)
        .into_iter()
        .chain(signing::clicks(address))
        .chain(sending::clicks(address))
        .chain(tokens::clicks(address))
        .chain(calls::clicks())
        .chain([revocation()]);
    for one in clicks {
        click(court, &dapp, NAME, one, report).await;
    }
    Ok(dapp.close().await?)
}

/// The element shows the account.
fn is(address: &str) -> Shows {
    Shows::Is(address.to_owned())
}

fn has(text: &str) -> Shows {
    Shows::Has(text.to_owned())
}

fn connection(address: &str) -> Vec<Click<'static>> {
    vec![
        Click::new("provider found and used", "eth_chainId, net_version", &[], ("#chainId", is("0x1"))),
        Click::new("connection", "eth_requestAccounts", &["#connectButton"], ("#accounts", is(address)))
            .approved(1),
        Click::new("accounts", "eth_accounts", &["#getAccounts"], ("#getAccountsResult", is(address))),
        Click::new(
            "permissions",
            "wallet_getPermissions",
            &["#getPermissions"],
            ("#permissionsResult", has("eth_accounts")),
        )
        .output(),
        Click::new(
            "permissions that are there already",
            "wallet_requestPermissions",
            &["#requestPermissions"],
            ("#permissionsResult", has("eth_accounts")),
        )
        .output(),
    ]
}

fn revocation() -> Click<'static> {
    Click::new(
        "revocation",
        "wallet_revokePermissions",
        &["#revokeAccountsPermission"],
        ("#accounts", is("")),
    )
}
