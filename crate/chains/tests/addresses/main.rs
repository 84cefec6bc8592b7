//! Addresses of every kind: public ones of each form, and what must be refused with which error. Addresses that are not
//! taken from a chain's own specification encode the beginning of sha256("hash") by another implementation.

#[path = "../common/mod.rs"]
mod common;
mod utxo;

use countersign_chains::Chain;
use countersign_chains::address::{AddressError, normalise};

/// Every text is accepted and comes out as it went in.
fn keeps(chain: Chain, texts: &[&str]) {
    for text in texts {
        becomes(chain, &[(text, text)]);
    }
}

/// Every text is accepted and comes out in the spelling beside it.
fn becomes(chain: Chain, pairs: &[(&str, &str)]) {
    for (text, canonical) in pairs {
        assert_eq!(normalise(chain, text).as_deref(), Ok(*canonical), "{chain} {text}");
        assert_eq!(normalise(chain, canonical).as_deref(), Ok(*canonical), "{chain} {canonical}");
    }
}

/// Every text is refused with the code beside it.
fn refuses(chain: Chain, pairs: &[(&str, &str)]) {
    for (text, code) in pairs {
        let result = normalise(chain, text);
        assert_eq!(result.as_ref().map_err(AddressError::code), Err(*code), "{chain} {text} {result:?}");
    }
}

/// D7: one case is accepted and stored in checksum form, a wrong mixture is refused.
#[test]
fn evm() {
    let given = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    for chain in [Chain::Ethereum, Chain::Bsc, Chain::Zksync] {
        keeps(chain, &[given, "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"]);
        keeps(
            chain,
            &["0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"],
        );
        keeps(
            chain,
            &["0x52908400098527886E0F7030069857D2E4169EE7", "0xde709f2102306220921060314715629080e2fb77"],
        );
        becomes(
            chain,
            &[
                ("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", given),
                ("0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", given),
                ("0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", given),
                (" 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n", given),
            ],
        );
        refuses(
            chain,
            &[
                ("0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "checksum"),
                ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", "checksum"),
                ("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "prefix"),
                ("0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "prefix"),
                ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", "length"),
                ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0", "length"),
                ("0x", "length"),
                ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg", "alphabet"),
                ("0x5aAeb6053F3E94C9b9A09f336694 35E7Ef1BeAed", "alphabet"),
                ("vitalik.eth", "prefix"),
            ],
        );
    }
}

#[test]
fn cosmos() {
    keeps(Chain::Cosmos, &["cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwjg"]);
    keeps(Chain::Cosmos, &["cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2z6p9e3ayw379uc9wx4edqw0drqz"]);
    keeps(Chain::Osmosis, &["osmo14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9sq2r9g9"]);
    keeps(Chain::ThorChain, &["thor16p9e3ayw379uc9wx4edvq5yqrntdel2zmnc48h"]);
    keeps(Chain::MayaChain, &["maya16p9e3ayw379uc9wx4edvq5yqrntdel2zmyxe38"]);
    keeps(Chain::Terra, &["terra16p9e3ayw379uc9wx4edvq5yqrntdel2zmsmwsg"]);
    keeps(Chain::TerraClassic, &["terra16p9e3ayw379uc9wx4edvq5yqrntdel2zmsmwsg"]);
    let capitals = "COSMOS16P9E3AYW379UC9WX4EDVQ5YQRNTDEL2ZA5PWJG";
    becomes(Chain::Cosmos, &[(capitals, "cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwjg")]);
    refuses(
        Chain::Cosmos,
        &[
            ("cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwjh", "checksum"),
            ("cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2zgg3zh2", "encoding"),
            ("cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2z6p9e3aqf0jvc2", "length"),
            ("cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwJg", "mixed_case"),
            ("cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwbg", "alphabet"),
            ("cosmosvaloper16p9e3ayw379uc9wx4edvq5yqrntdel2zcq4m7m", "prefix"),
            ("thor16p9e3ayw379uc9wx4edvq5yqrntdel2zmnc48h", "prefix"),
            ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "alphabet"),
            ("Cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwjg", "mixed_case"),
            ("cosmos", "prefix"),
            ("cosmos1", "length"),
        ],
    );
    refuses(Chain::MayaChain, &[("thor16p9e3ayw379uc9wx4edvq5yqrntdel2zmnc48h", "prefix")]);
}

#[test]
fn qbtc() {
    keeps(Chain::Qbtc, &["qbtc16p9e3ayw379uc9wx4edvq5yqrntdel2zqnqtau"]);
    refuses(
        Chain::Qbtc,
        &[
            ("qbtc16p9e3ayw379uc9wx4edvq5yqrntdel2zqnqtav", "checksum"),
            ("qbtc16p9e3ayw379uc9wx4edvq5yqrntdel2z40s8c7", "encoding"),
            ("cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwjg", "prefix"),
        ],
    );
}

#[test]
fn solana() {
    keeps(
        Chain::Solana,
        &["EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "11111111111111111111111111111111"],
    );
    refuses(
        Chain::Solana,
        &[
            ("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTD", "length"),
            ("1111111111111111111111111111111", "length"),
            ("111111111111111111111111111111111", "length"),
            ("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1l", "alphabet"),
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "length"),
        ],
    );
}

#[test]
fn sui() {
    let lower = "0xfbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5a";
    let mixed = "0xFBFF98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5A";
    becomes(Chain::Sui, &[(lower, lower), (mixed, lower)]);
    refuses(
        Chain::Sui,
        &[
            ("fbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5a", "prefix"),
            ("0xfbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5", "length"),
            ("0xfbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5z", "alphabet"),
            ("0x2", "length"),
            ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "length"),
        ],
    );
}

/// One key under three networks, and prefixes of one and two bytes.
#[test]
fn polkadot_and_bittensor() {
    let (polkadot, generic) = (
        "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5",
        "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY",
    );
    keeps(Chain::Polkadot, &[polkadot, "15i7RCLCHJMRxNA3Y1JLCnDBTpu5EAGj7fgm1veKvVC833GG"]);
    keeps(Chain::Bittensor, &[generic, "5GmpGs58RX5xWq9XaNFL4dP2cCuRXrib3AxGrdeyNQAbrqsi"]);
    refuses(
        Chain::Polkadot,
        &[
            (generic, "ss58_prefix"),
            ("HNZata7iMYWmk5RvZRTiAsSDhV8366zq2YGb3tLH5Upf74F", "ss58_prefix"),
            ("15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp6", "checksum"),
            ("15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp0", "alphabet"),
            ("1yXxACJjUbV6wmsXA3czjAbGLG29AZP", "length"),
            ("1", "length"),
        ],
    );
    refuses(Chain::Bittensor, &[("Zp5rZEQZcA8jYhsjPe7KKuGMZe2DByVDagXLrjgGecZfqXAj3", "malformed")]);
    let found = |text| normalise(Chain::Bittensor, text).unwrap_err();
    let other = |found| AddressError::Ss58Prefix { expected: 42, found };
    assert_eq!(found(polkadot), other(0));
    assert_eq!(found("cEaHKBGuHHnAvcXLYujxma4osdDZDFXnSGsMiz3naYWtPnJ2v"), other(64));
    assert_eq!(found("VdvEdtbW6Q25XeQtXRxEgTCuF5P9Xmh2LsipCZpQusHYQVFaV"), other(1284));
    assert_eq!(found("yNa3BB8W8WaPVem3PdT5cDLW4gAcCcNTjyrCyMEq2esufk1Lq"), other(16383));
}

/// The examples of TON's own documentation, and one hash with every tag.
#[test]
fn ton() {
    let bounceable = "EQD7_5j0jo-LzBXGrlrAUIAc1tz9QtBLmPSOj4vMFcauWmbV";
    let raw = "0:fbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5a";
    keeps(Chain::Ton, &["EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF"]);
    keeps(Chain::Ton, &["UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"]);
    keeps(Chain::Ton, &["Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF", raw]);
    keeps(Chain::Ton, &["-1:3333333333333333333333333333333333333333333333333333333333333333"]);
    becomes(
        Chain::Ton,
        &[
            (bounceable, bounceable),
            ("EQD7/5j0jo+LzBXGrlrAUIAc1tz9QtBLmPSOj4vMFcauWmbV", bounceable),
            ("0:FBFF98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5a", raw),
        ],
    );
    refuses(
        Chain::Ton,
        &[
            ("kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP", "network"),
            ("0QD7_5j0jo-LzBXGrlrAUIAc1tz9QtBLmPSOj4vMFcauWoCa", "network"),
            ("EQD7_5j0jo-LzBXGrlrAUIAc1tz9QtBLmPSOj4vMFcauWmbW", "checksum"),
            ("EQD7/5j0jo-LzBXGrlrAUIAc1tz9QtBLmPSOj4vMFcauWmbV", "alphabet"),
            ("EQD7_5j0jo-LzBXGrlrAUIAc1tz9QtBLmPSOj4vMFcauWmb=", "alphabet"),
            ("EQD7_5j0jo-LzBXGrlrAUIAc1tz9QtBLmPSOj4vMFcauWmb", "length"),
            ("EQX7_5j0jo-LzBXGrlrAUIAc1tz9QtBLmPSOj4vMFcauWvw7", "workchain"),
            ("IgD7_5j0jo-LzBXGrlrAUIAc1tz9QtBLmPSOj4vMFcauWicQ", "prefix"),
            ("5:fbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5a", "workchain"),
            ("00:fbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5a", "malformed"),
            (":fbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5a", "malformed"),
            ("0:fbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae", "length"),
            ("0:fbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5g", "alphabet"),
        ],
    );
}

#[test]
fn ripple() {
    keeps(Chain::Ripple, &["rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "rrrrrrrrrrrrrrrrrrrrrhoLvTp"]);
    keeps(Chain::Ripple, &["rKz4fWLd6Kgx31jSBs9SfUWAuMwJDzAPiE"]);
    refuses(
        Chain::Ripple,
        &[
            ("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTj", "checksum"),
            ("rHb9CJAWyB4rj91VRWn96DkukG4bwdty0h", "alphabet"),
            ("XVLhHMPHU98es4dbozjVtdWzVrDjtV18pX8yuPT7y4xaEHi", "unsupported"),
            ("TVE26TYGhfLC7tQDno7G8dGtxSkYQn49b3qD26PK7FcGSKE", "network"),
            ("snbcS6KutyQbM7KMuEo6h99BiYaTq", "prefix"),
            ("rpSFUB5VexyVLMkvJfJ7DFMqBLszpovZ5aoo", "length"),
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "checksum"),
        ],
    );
}

#[test]
fn tron() {
    keeps(Chain::Tron, &["TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TUxa7ZiMr3ouJ3o4mJo9dMD5p8ucUZ68Mn"]);
    refuses(
        Chain::Tron,
        &[
            ("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u", "checksum"),
            ("27i4set2jJBq8zE3J6ASRhG4pc4PDvjqJbH", "prefix"),
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "prefix"),
            ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "alphabet"),
        ],
    );
}

/// The examples of CIP-19, and what they must not be.
#[test]
fn cardano_shelley() {
    let enterprise = "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8";
    let base = "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x";
    keeps(
        Chain::Cardano,
        &[
            base,
            "addr1z8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gten0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgs9yc0hh",
            "addr1gx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrzqf96k",
            enterprise,
            "addr1w8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcyjy7wx",
            "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw",
            "stake178phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcccycj5",
        ],
    );
    becomes(Chain::Cardano, &[(&enterprise.to_uppercase(), enterprise), (&base.to_uppercase(), base)]);
    refuses(
        Chain::Cardano,
        &[
            ("addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl9", "checksum"),
            ("addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz", "network"),
            ("addr1vrgyhx85368chnq4c6h94szssqwddh8agtgyhx85368chnqdttzgt", "network"),
            ("addr1v8gyhx85368chnq4c6h94szssqwddh8agtgyhx85368chnqc9tldw", "encoding"),
            ("addr1v8gyhx85368chnq4c6h94szssqwddh8agtgyhx85368chnqq4nphp5", "length"),
            ("addr1g8gyhx85368chnq4c6h94szssqwddh8agtgyhx85368chnyp0upqqgqnp3", "length"),
            ("addr1u8gyhx85368chnq4c6h94szssqwddh8agtgyhx85368chnqhtdn5v", "prefix"),
            ("stake1v8gyhx85368chnq4c6h94szssqwddh8agtgyhx85368chnqtpd4g7", "prefix"),
            ("cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwjg", "alphabet"),
        ],
    );
}

#[test]
fn cardano_byron() {
    keeps(
        Chain::Cardano,
        &[
            "Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi",
            "Ae2tdPwUPEZHbDZyZyEWoboQHE5swDuCL7Sd6BhfsceBwRkUYQ2VCTwDtHs",
            "DdzFFzCqrht72nDUUW5L7FCUHNRyhq5w6wFdhDDLmFXD1LeMtnZHz3JVgpDod6QhxQSJXWd6eUiBLPLn9unCFk6czMM8uYskEGEe4B1j",
        ],
    );
    refuses(
        Chain::Cardano,
        &[
            ("Ae2tdPwUPEZHbDZyZyEWoboQHE5swDuCL7Sd6BhfsceBwRkUYQ2VCTwDtHt", "checksum"),
            ("2cWKMJemoBakc3Eqpz4GRJBAMcTug9yRMqFsUxetpULTGHqmonFfmEeYmuGDboHtHfVPD", "network"),
            ("Ae2tdPwUPEZHbDZyZyEWoboQHE5swDuCL7Sd6BhfsceBwRkUYQ2ZgPvxYg1", "malformed"),
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "malformed"),
        ],
    );
}

#[test]
fn nothing_and_too_much_are_refused_on_every_chain() {
    for &chain in Chain::ALL {
        refuses(chain, &[("", "empty"), (" \t\n", "empty"), (&"1".repeat(201), "too_long")]);
        assert!(normalise(chain, &"1".repeat(200)).is_err(), "{chain}");
    }
}

/// Addresses derived by another implementation are canonical as they stand.
#[test]
fn derived_addresses_are_canonical() {
    let Some(vaults) = common::vectors("derived-addresses.json") else {
        return;
    };
    let entries = vaults.as_array().unwrap().iter().flat_map(|vault| vault["chains"].as_array().unwrap());
    for entry in entries {
        let chain = Chain::parse(entry["chain"].as_str().unwrap()).unwrap();
        keeps(chain, &[entry["address"].as_str().unwrap()]);
    }
}
