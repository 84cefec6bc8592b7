//! MetaMask's dapp for Solana, over the wallet standard.

use crate::Court;
use crate::clicks::{Click, Shows, click};
use crate::report::Report;
use anyhow::Result;
use webdriver::Site;

pub(crate) const NAME: &str = "@metamask/test-dapp-solana 0.3.1";

pub(crate) async fn judge(court: &Court, report: &mut Report) -> Result<()> {
    let site = Site::serve(court.package("@metamask/test-dapp-solana/dist")).await?;
    let dapp = court.wallet.open_dapp(&site.url("/")).await?;
    for one in clicks(court.solana.get(..4).unwrap_or_default()) {
        click(court, &dapp, NAME, one, report).await;
    }
    Ok(dapp.close().await?)
}

/// `begin`: how the account begins.
fn clicks(begin: &str) -> [Click<'static>; 4] {
    let has = |text: &str| Shows::Has(text.to_owned());
    [
        Click::new(
            "listed among the wallets",
            "wallet-standard:register-wallet",
            &["[data-testid='testpage.header.connect']"],
            (".wallet-adapter-modal-list", has("Countersign")),
        ),
        Click::new(
            "connection",
            "standard:connect",
            &[".wallet-adapter-modal-list button"],
            ("[data-testid='testpage.header.account']", has(begin)),
        )
        .approved(1),
        Click::new(
            "message",
            "solana:signMessage",
            &["[data-testid='testpage.signmessage.signmessage']"],
            ("[data-testid='testpage.signmessage.signedmessage']", Shows::Long(60)),
        )
        .approved(1),
        Click::new(
            "disconnection",
            "standard:disconnect",
            &["[data-testid='testpage.header.disconnect']"],
            ("[data-testid='testpage.header.connectionstatus']", has("not connected")),
        ),
    ]
}
