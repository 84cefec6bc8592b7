//! Bitcoin and its likes: every form of address on each of the six chains.

use super::{becomes, keeps, refuses};
use countersign_chains::Chain;

#[test]
fn bitcoin() {
    let key = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
    let taproot = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0";
    let script = "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3";
    keeps(Chain::Bitcoin, &["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"]);
    keeps(Chain::Bitcoin, &[key, script, taproot]);
    becomes(Chain::Bitcoin, &[(&key.to_uppercase(), key), (&taproot.to_uppercase(), taproot)]);
    refuses(
        Chain::Bitcoin,
        &[
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", "checksum"),
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf0a", "alphabet"),
            ("mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", "network"),
            ("2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc", "network"),
            ("LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9", "prefix"),
            ("12SpCBiVexyVLMkvJ7JUDpMqBL3z2p1nfGre", "length"),
            ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp", "checksum"),
            ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdQ", "mixed_case"),
            ("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "network"),
            ("bcrt1q6p9e3ayw379uc9wx4edvq5yqrntdel2zrpam6l", "network"),
            ("ltc1q6p9e3ayw379uc9wx4edvq5yqrntdel2z0j9pw4", "prefix"),
        ],
    );
}

/// BIP-173 and BIP-350: version 0 is bech32, later versions are bech32m; lengths and padding are exact.
#[test]
fn segwit_versions() {
    refuses(
        Chain::Bitcoin,
        &[
            ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", "encoding"),
            ("BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL", "encoding"),
            ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", "encoding"),
            ("BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P", "length"),
            ("bc1p6p9e3ayw379uc9wx4edvq5yqrntdel2z4vcz7v", "length"),
            ("bc1z6p9e3ayw379uc9wx4edvq5yqrntdel2z6p9e3ayw379uc9wx4edqgmhld9", "witness_version"),
            ("bc1q6p9e3ayw379uc9wx4edvq5yqrntdel2z6p9e3ayw379uc9wx4edph86vxq", "malformed"),
        ],
    );
}

#[test]
fn litecoin() {
    keeps(Chain::Litecoin, &["LeDKNieTmyw1PgRbMB8jPDai7ZXaPwPnok", "MStXLwF3CLrm2YhmQ1oNMU8HNa3ToyWaa8"]);
    keeps(Chain::Litecoin, &["ltc1q6p9e3ayw379uc9wx4edvq5yqrntdel2z0j9pw4"]);
    keeps(Chain::Litecoin, &["ltc1q6p9e3ayw379uc9wx4edvq5yqrntdel2z6p9e3ayw379uc9wx4edqf4qfph"]);
    keeps(Chain::Litecoin, &["ltc1p6p9e3ayw379uc9wx4edvq5yqrntdel2z6p9e3ayw379uc9wx4edqrzqqet"]);
    let older = "3LgP33q5FE1LE3RsJ8p2Xpst3sT1kAYXXM";
    becomes(Chain::Litecoin, &[(older, "MStXLwF3CLrm2YhmQ1oNMU8HNa3ToyWaa8")]);
    let mweb = "ltcmweb1q6p9e3ayw379uc9wx4edvq5yqrntdel2z6p9e3ayw379uc9wx4edvq5yqrntdel2z6p9e3ayw379uc9wx4edvq5yq\
                rntdel2z6p9e3ayw3ua43jgc";
    refuses(
        Chain::Litecoin,
        &[
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "prefix"),
            ("LeDKNieTmyw1PgRbMB8jPDai7ZXaPwPnoj", "checksum"),
            ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "prefix"),
            (mweb, "unsupported"),
        ],
    );
}

#[test]
fn dogecoin_and_dash() {
    keeps(Chain::Dogecoin, &["DQ8TemHGzjbEfsv2ud8zexgYnUtbc77Hub", "ABRdmttyKHtE8QoLiGUSmxWFkSq3uJmuUF"]);
    keeps(Chain::Dash, &["XugCwkzXf2uYHpL22vTexjCjjgjzGArsMU", "7mQ1sF7F4D6yDoxpZkUXsCsXyRHPdpFtv7"]);
    refuses(
        Chain::Dogecoin,
        &[
            ("DQ8TemHGzjbEfsv2ud8zexgYnUtbc77Huc", "checksum"),
            ("noBXNn2Bvi3xYrVDwSnSuNGr2MGtahLY5E", "network"),
            ("XugCwkzXf2uYHpL22vTexjCjjgjzGArsMU", "prefix"),
            ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "prefix"),
        ],
    );
    refuses(
        Chain::Dash,
        &[
            ("XugCwkzXf2uYHpL22vTexjCjjgjzGArsMV", "checksum"),
            ("yfJoxi4y6aZcdZFZbmn3zkd61yEMmA8ZYG", "network"),
            ("DQ8TemHGzjbEfsv2ud8zexgYnUtbc77Hub", "prefix"),
        ],
    );
}

/// The cashaddr specification's own pairs of old and new spelling, and one hash in every form.
#[test]
fn bitcoin_cash() {
    let key = "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a";
    let script = "ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq";
    becomes(
        Chain::BitcoinCash,
        &[
            (key, key),
            ("bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", key),
            ("BITCOINCASH:QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A", key),
            ("QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A", key),
            ("1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu", key),
            ("bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq", script),
            ("3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC", script),
        ],
    );
    keeps(Chain::BitcoinCash, &["p0gyhx85368chnq4c6h94szssqwddh8agtgyhx85368chnq4c6h95xt9333lh"]);
    keeps(Chain::BitcoinCash, &["zrgyhx85368chnq4c6h94szssqwddh8agg9fvaqn05"]);
    keeps(Chain::BitcoinCash, &["rrgyhx85368chnq4c6h94szssqwddh8aggjv3j8s5f"]);
    refuses(
        Chain::BitcoinCash,
        &[
            ("qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6q", "checksum"),
            ("bitcoincash:Qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "mixed_case"),
            ("qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6b", "alphabet"),
            ("bchtest:qrgyhx85368chnq4c6h94szssqwddh8aggx3myvzhm", "network"),
            ("ecash:qrgyhx85368chnq4c6h94szssqwddh8aggmwtg40ks", "prefix"),
            ("qrgyhx85368chnq4c6h94szssqwddh8aggmwtg40ks", "checksum"),
            ("q0gyhx85368chnq4c6h94szssqwddh8agtgyhx85368chnq4c6h950kt9f98x", "length"),
            ("yrgyhx85368chnq4c6h94szssqwddh8aggvhskje8g", "prefix"),
            ("1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggv", "checksum"),
            ("bitcoincash:", "checksum"),
            ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "alphabet"),
        ],
    );
}

#[test]
fn zcash() {
    keeps(Chain::Zcash, &["t1cry7qkmfeUYjWnL7TxZF1csA1MP2b6ND2", "t3dYz3PFDDYnvpgUmEZd9fdyoJXe6a6wsuv"]);
    keeps(Chain::Zcash, &["t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd"]);
    let shielded = "zs1z7rejlpsa98s2rrrfkwmaxu53e4ue0ulcrw0h4x5g8jl04tak0d3mm47vdtahatqrlkngh9sly";
    refuses(
        Chain::Zcash,
        &[
            ("t1cry7qkmfeUYjWnL7TxZF1csA1MP2b6ND3", "checksum"),
            ("tmUhiSgFB4Jz3skymnCGJ6gHckzSCU3XivU", "network"),
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "prefix"),
            (shielded, "unsupported"),
        ],
    );
}
