//! The table is checked for what a mistyped or copied row would break.

use super::evm::{GROUPS, bytes};
use super::*;

#[test]
fn permit2_is_known_where_it_is_deployed() {
    let permit2 = KnownContract { name: "Permit2", protocol: Protocol::Permit2 };
    let text = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
    assert_eq!(evm(Chain::Ethereum, &bytes(text)), Some(permit2));
    assert_eq!(named(Chain::Base, text), Some(permit2));
    assert_eq!(named(Chain::Bitcoin, text), None);
    assert!(!GROUPS.is_empty());
}
