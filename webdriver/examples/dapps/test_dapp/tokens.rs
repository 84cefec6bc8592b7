//! Tokens of ERC-20, ERC-721 and ERC-1155.

use super::{has, is};
use crate::clicks::{Click, Shows};

const SEND: &str = "eth_sendTransaction";

pub(super) fn clicks(address: &str) -> Vec<Click<'static>> {
    let mut clicks = fungible(address);
    let status = |name, press, at, shows| Click::new(name, SEND, press, (at, has(shows))).output().mines(1);
    let (nfts, multi) = ("#nftsStatus", "#erc1155Status");
    clicks.extend([
        status("ERC-721 deployed", &["#deployNFTsButton"], nfts, "Deployed"),
        status("ERC-721 minted", &["#mintButton"], nfts, "Mint completed"),
        status("ERC-721 approved", &["#approveButton"], nfts, "Approve completed"),
        status("ERC-721 approved for all", &["#setApprovalForAllButton"], nfts, "For All completed"),
        status("ERC-721 approval revoked", &["#revokeButton"], nfts, "Revoke completed"),
        status("ERC-721 transferred", &["#transferFromButton"], nfts, "Transfer From completed"),
        permit(),
        status("ERC-1155 deployed", &["#deployERC1155Button"], multi, "Deployed"),
        status("ERC-1155 minted", &["#batchMintButton"], multi, "Batch Minting completed"),
        status("ERC-1155 transferred", &["#batchTransferFromButton"], multi, "Transfer From completed"),
        status("ERC-1155 approved for all", &["#setApprovalForAllERC1155Button"], multi, "For All completed"),
        status("ERC-1155 approval revoked", &["#revokeERC1155Button"], multi, "Revoke completed"),
    ]);
    clicks
}

/// The page shows nothing of calls to its token: they are counted on the chain.
fn fungible(address: &str) -> Vec<Click<'static>> {
    let called = |name, press| Click::new(name, SEND, press, ("#accounts", is(address))).mines(1);
    vec![
        Click::new("ERC-20 deployed", SEND, &["#createToken"], ("#erc20TokenAddresses", Shows::Begins("0x")))
            .output()
            .mines(1),
        called("ERC-20 transferred", &["#transferTokens"]),
        called("ERC-20 approved", &["#approveTokens"]),
        called("ERC-20 approved without gas", &["#approveTokensWithoutGas"]),
        called("ERC-20 allowance increased", &["#increaseTokenAllowance"]),
    ]
}

/// The capital letters of the page's spender are not its checksum (EIP-55).
fn permit() -> Click<'static> {
    Click::new(
        "ERC-721 permit for a mistyped spender",
        "eth_signTypedData_v4",
        &["#sign721Permit"],
        ("#sign721PermitResult", Shows::Begins("Error")),
    )
    .output()
    .refused("−32602")
}
