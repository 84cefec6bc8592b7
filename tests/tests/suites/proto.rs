//! The `.proto` files compile, and decode known bytes to known messages.
#![allow(clippy::unwrap_used, reason = "what a test arranges may fail the test")]

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prost_reflect::prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, Value};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Compiled once; the compiler reports errors in a file.
static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto");
    let mut compiler = protox::Compiler::new([folder]).unwrap();
    compiler.open_files(["keysign.proto", "vault.proto", "keygen.proto"]).unwrap();
    compiler.descriptor_pool()
});

/// A message as text, and its bytes on the wire, written by hand: `tag` `length` content.
const CASES: &[(&str, &str, &str)] = &[
    (
        // Presence: an empty memo is written. Field numbers beyond 15 have two-byte tags.
        "vultisig.keysign.v1.KeysignPayload",
        r#"coin { chain: "Base" decimals: 18 is_native_token: true } to_address: "0x1" to_amount: "5"
           ethereum_specific { max_fee_per_gas_wei: "9" nonce: 7 gas_limit: "21000" }
           memo: "" lib_type: "DKLS" skip_broadcast: false is_qbtc_claim: true"#,
        "0a0a 0a0442617365 2812 3801  1203307831  1a0135  2a0c 0a0139 1807 22053231303030 \
         aa0100  8a0204444b4c53  900200  e00201",
    ),
    (
        // The dapp's Sui transaction is 45, behind is_qbtc_claim; suiche is Sui.
        "vultisig.keysign.v1.KeysignPayload",
        r#"suiche_specific { gas_budget: "3" } sign_sui { unsigned_tx_msg: "AA==" }
           dapp_metadata { url: "https://a.example" }"#,
        "5a03 1a0133  ea0206 0a0441413d3d  920313 121168747470733a2f2f612e6578616d706c65",
    ),
    (
        // A boolean program id, and absent accounts.
        "vultisig.keysign.v1.SolanaSpecific",
        r#"recent_block_hash: "h" program_id: true compute_limit: "1""#,
        "0a0168 2801 320131",
    ),
    (
        // The key is field 4, the payload field 5; field 3 is unused.
        "vultisig.keysign.v1.KeysignMessage",
        r#"session_id: "s" encryption_key_hex: "00" keysign_payload { sign_ton { ton_messages { to: "t" } } }
           custom_payload_id: """#,
        "0a0173 22023030 2a08 d20205 1203 0a0174 4a00",
    ),
    (
        // A default that is written differs from one that is absent.
        "vultisig.keysign.v1.BitcoinInput",
        r#"hash: "ab" amount: -1 sighash_type: 0 sequence: 4294967295"#,
        "0a026162 18ffffffffffffffffff01 3000 48ffffffff0f",
    ),
    (
        "vultisig.vault.v1.Vault",
        r#"name: "v" signers: ["a", "b"] created_at { seconds: 1 } key_shares { public_key: "k" keyshare: "x" }
           lib_type: LIB_TYPE_KEYIMPORT chain_public_keys { public_key: "k" chain: "Ton" is_eddsa: true }"#,
        "0a0176 220161 220162 2a02 0801 3a06 0a016b 120178 5002 5a0a 0a016b 1203546f6e 1801",
    ),
    (
        "vultisig.vault.v1.VaultContainer",
        r#"version: 1 vault: "AA==" is_encrypted: true"#,
        "0801 120441413d3d 1801",
    ),
    ("vultisig.keygen.v1.ReshareMessage", r#"old_parties: "a" lib_type: LIB_TYPE_DKLS"#, "2a0161 a00101"),
];

#[test]
fn text_and_bytes_are_the_same_message() {
    for (name, text, bytes) in CASES {
        let descriptor = POOL.get_message_by_name(name).unwrap();
        let written = DynamicMessage::parse_text_format(descriptor, text).unwrap();
        assert_eq!(hex(&written.encode_to_vec()), bytes.replace(' ', ""), "{text}");
        let read = decode(name, &written.encode_to_vec());
        assert_eq!(read, written);
        assert_eq!(unknown_fields(&read), 0, "{text}");
    }
}

/// A field that the file does not define is detected at any depth.
#[test]
fn unknown_fields_are_detected_at_any_depth() {
    // Field 16 of the payload's coin.
    assert_eq!(unknown_fields(&decode("vultisig.keysign.v1.KeysignPayload", &[0x0a, 3, 0x80, 1, 1])), 1);
}

/// Payloads of other wallets: every field is defined, and encoding them again gives the same bytes.
#[test]
fn payloads_of_other_wallets_round_trip() {
    let folder = std::env::var_os("COUNTERSIGN_VECTORS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/vectors"), PathBuf::from);
    let file = folder.join("keysign-payload-base64.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("skipped: not found: {}", file.display());
        return;
    };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    for case in &cases {
        let bytes = BASE64_STANDARD.decode(case["keysign_payload_base64"].as_str().unwrap()).unwrap();
        let payload = decode("vultisig.keysign.v1.KeysignPayload", &bytes);
        assert_eq!(unknown_fields(&payload), 0, "{}: {payload:?}", case["name"]);
        let coin = payload.get_field_by_name("coin").unwrap().into_owned();
        let chain = coin.as_message().unwrap().get_field_by_name("chain").unwrap().into_owned();
        assert_eq!(chain.as_str(), case["chain"].as_str(), "{}", case["name"]);
        assert_eq!(hex(&payload.encode_to_vec()), hex(&bytes), "{}", case["name"]);
    }
    eprintln!("{} payloads", cases.len());
}

fn decode(name: &str, bytes: &[u8]) -> DynamicMessage {
    DynamicMessage::decode(POOL.get_message_by_name(name).unwrap(), bytes).unwrap()
}

fn unknown_fields(message: &DynamicMessage) -> usize {
    let inside = |value: &Value| match value {
        Value::Message(inner) => unknown_fields(inner),
        Value::List(values) => values.iter().filter_map(Value::as_message).map(unknown_fields).sum(),
        _ => 0,
    };
    message.unknown_fields().count() + message.fields().map(|(_, value)| inside(value)).sum::<usize>()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
