//! MetaMask's dapp for Solana, over the wallet standard.

use crate::Court;
use crate::clicks::{Click, Shows, click};
use crate::report::Report;
use crate::user::Does::Approves;
use anyhow::Result;
use webdriver::Site;

pub(crate) const NAME: &str = "@metamask/test-dapp-solana 0.3.1";

pub(crate) async fn judge(court: &Court, report: &mut Report) -> Result<()> {
    let site = Site::serve(court.package("@metamask/test-dapp-solana/dist")).await?;
    let dapp = court.wallet.open_dapp(&site.url("/")).await?;
    let short = court.solana.get(..4).unwrap_or_default().to_owned();
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
            "listed among the wallets",
            "wallet-standard:register-wallet",
            &["[data-testid='testpage.header.connect']"],
            ".wallet-adapter-modal-list",
            Shows::Has("Countersign".to_owned()),
        ),
        Click {
            user: &[Approves],
            ..simple(
                "connection",
                "standard:connect",
                &[".wallet-adapter-modal-list button"],
                "[data-testid='testpage.header.account']",
                Shows::Has(short),
            )
        },
        Click {
            user: &[Approves],
            ..simple(
                "message",
                "solana:signMessage",
                &["[data-testid='testpage.signmessage.signmessage']"],
                "[data-testid='testpage.signmessage.signedmessage']",
                Shows::Long(60),
            )
        },
        simple(
            "disconnection",
            "standard:disconnect",
            &["[data-testid='testpage.header.disconnect']"],
            "[data-testid='testpage.header.connectionstatus']",
            Shows::Has("not connected".to_owned()),
        ),
    ];
    for one in clicks {
        click(court, &dapp, NAME, one, report).await;
    }
    Ok(dapp.close().await?)
}
