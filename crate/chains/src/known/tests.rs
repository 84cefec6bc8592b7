//! The table is checked for what a mistyped or copied row would break.

use super::evm::pools::POOLS;
use super::evm::{bytes, groups};
use super::ibc::CHANNELS;
use super::other::CONTRACTS;
use super::solana::PROGRAMS;
use super::*;

/// The sources whose addresses are written in EIP-55's spelling.
const SOURCES: [&str; 5] = [
    include_str!("evm/bridges.rs"),
    include_str!("evm/lending.rs"),
    include_str!("evm/pools.rs"),
    include_str!("evm/swaps.rs"),
    include_str!("evm/wrapped.rs"),
];

/// Every row of an EVM chain: where, which address, what.
fn rows() -> Vec<(Chain, [u8; 20], Protocol)> {
    let places = groups().flat_map(|group| {
        group.places.iter().flat_map(|place| {
            let chains = Chain::ALL.iter().filter(|chain| place.chains.has(**chain));
            chains.map(|chain| (*chain, place.address, group.protocol))
        })
    });
    let pools = POOLS
        .iter()
        .flat_map(|group| group.pools.iter().map(|pool| (pool.chain, pool.address, group.protocol)));
    places.chain(pools).collect()
}

#[test]
fn addresses_are_written_with_their_checksum() {
    let written: Vec<&str> = SOURCES
        .iter()
        .flat_map(|source| source.split('"'))
        .filter(|text| text.starts_with("0x") && text.len() == 42)
        .collect();
    assert!(written.len() > 100, "the sources are read");
    for text in written {
        assert_eq!(address::normalise(Chain::Ethereum, text).as_deref(), Ok(text));
    }
}

#[test]
fn an_address_is_one_contract_of_its_chain_and_is_found() {
    let rows = rows();
    for (chain, address, protocol) in &rows {
        let same = rows.iter().filter(|(on, other, _)| on == chain && other == address).count();
        let found = evm(*chain, address).map(|known| known.protocol);
        assert_eq!((same, found), (1, Some(*protocol)), "{} on {chain}", address::evm::encode(address));
    }
}

#[test]
fn every_protocol_has_a_row() {
    let rows = rows();
    for protocol in Protocol::ALL {
        let evm = rows.iter().any(|(.., one)| one == protocol);
        let solana = PROGRAMS.iter().any(|(.., one)| one == protocol);
        let other = CONTRACTS.iter().any(|(.., one)| one == protocol);
        assert!(evm || solana || other, "{protocol:?}");
    }
}

#[test]
fn every_evm_chain_has_one_wrapped_coin() {
    for &chain in Chain::ALL {
        let wrapped =
            rows().iter().filter(|(on, _, one)| *on == chain && *one == Protocol::WrappedCoin).count();
        assert_eq!(wrapped, usize::from(chain.kind() == Kind::Evm), "{chain}");
        assert_eq!(wrapped_coin(chain).is_some(), wrapped == 1, "{chain}");
    }
}

#[test]
fn a_pool_says_what_it_takes_and_other_contracts_take_nothing_of_their_own() {
    let usdc = bytes("0xaf88d065e77c8cC2239327C5EDb3A432268e5831");
    let pool = bytes("0xe8CDF27AcD73a434D661C84887215F7598e7d0d3");
    assert_eq!(pool_token(Chain::Arbitrum, &pool), Some(BridgedAsset::Token(usdc)));
    assert_eq!(
        pool_token(Chain::Optimism, &pool),
        Some(BridgedAsset::Native),
        "the same address, another pool"
    );
    assert_eq!(pool_token(Chain::Base, &pool), None);
    let moves = [Protocol::StargatePool, Protocol::StargateOft, Protocol::LayerZeroOft];
    for (chain, address, protocol) in rows() {
        assert_eq!(
            pool_token(chain, &address).is_some(),
            moves.contains(&protocol),
            "{protocol:?} on {chain}"
        );
    }
}

#[test]
fn a_contract_is_known_only_on_the_chains_that_have_it() {
    let diamond = KnownContract { name: "LI.FI", protocol: Protocol::LiFiDiamond };
    let text = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
    assert_eq!(evm(Chain::Ethereum, &bytes(text)), Some(diamond));
    assert_eq!(named(Chain::Sei, text), Some(diamond));
    assert_eq!(named(Chain::Zksync, text), None, "zkSync has another");
    assert_eq!(named(Chain::Bitcoin, text), None);
    assert_eq!(named(Chain::Ethereum, "0x1231"), None);
}

#[test]
fn programs_packages_and_contracts_are_found_by_their_text() {
    let protocol = |chain, text| named(chain, text).map(|known| known.protocol);
    assert_eq!(
        protocol(Chain::Solana, "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4"),
        Some(Protocol::Jupiter)
    );
    assert_eq!(protocol(Chain::Solana, "11111111111111111111111111111112"), None);
    for (chain, text, name, protocol) in CONTRACTS {
        assert_eq!(address::normalise(*chain, text).as_deref(), Ok(*text));
        assert_eq!(named(*chain, text), Some(KnownContract { name, protocol: *protocol }));
    }
}

#[test]
fn a_program_is_listed_once() {
    for (id, name, _) in PROGRAMS {
        assert_eq!(PROGRAMS.iter().filter(|(other, ..)| other == id).count(), 1, "{name}");
    }
}

#[test]
fn bridges_number_every_chain_once() {
    for numbers in [bridge::LAYERZERO, bridge::CCTP] {
        for (number, chain) in numbers {
            assert_eq!(numbers.iter().filter(|(one, _)| one == number).count(), 1, "{number}");
            assert_eq!(numbers.iter().filter(|(_, one)| one == chain).count(), 1, "{chain}");
        }
    }
    assert_eq!(layerzero_chain(30_184), Some(Chain::Base));
    assert_eq!(layerzero_chain(40_245), None, "a test network");
    assert_eq!(cctp_domain_chain(5), Some(Chain::Solana));
    assert_eq!(cctp_domain_chain(10), None, "Unichain is not supported here");
}

/// Each channel is of one pair of chains, and there is one channel between two.
#[test]
fn channels_of_ibc() {
    for ((one, there), (other, back)) in CHANNELS {
        assert_eq!(ibc_channel(*one, &format!("channel-{there}")), Some(*other));
        assert_eq!(ibc_channel(*other, &format!("channel-{back}")), Some(*one));
        assert_ne!(one, other);
    }
    let ends = || CHANNELS.iter().flat_map(|(one, other)| [one, other]);
    for end in ends() {
        assert_eq!(ends().filter(|other| *other == end).count(), 1, "{end:?}");
    }
    for unknown in ["channel-9999", "channel-0141", "channel-", "141", ""] {
        assert_eq!(ibc_channel(Chain::Cosmos, unknown), None, "{unknown}");
    }
}
