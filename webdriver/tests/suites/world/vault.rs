//! Vaults whose addresses other libraries derived, and the one that most suites sign with.

use super::World;
use serde_json::{Value, json};

/// The password of every vault of the suites.
pub(crate) const PASSWORD: &str = "correct horse battery staple";

/// A recovery phrase by its name in the vectors, with its keys and its account on every chain.
pub(crate) fn phrase(name: &str) -> Value {
    let phrases: Value =
        serde_json::from_str(include_str!("../../../../tests/vectors/vault/phrases.json")).unwrap();
    phrases.as_array().unwrap().iter().find(|phrase| phrase["name"] == name).unwrap().clone()
}

/// The address of a phrase of the vectors on a chain.
pub(crate) fn address(phrase: &Value, chain: &str) -> String {
    let accounts = phrase["chains"].as_array().unwrap();
    let account = accounts.iter().find(|account| account["chain"] == chain).unwrap();
    account["address"].as_str().unwrap().to_owned()
}

impl World {
    /// Imports a phrase of the vectors as a vault. Returns its id.
    pub(crate) async fn import_vault(&self, phrase: &Value) -> String {
        let body = json!({"kind": "local", "name": "Main", "password": PASSWORD,
            "mnemonic": phrase["words"], "passphrase": phrase["passphrase"]});
        let (status, vault) = self.api("POST", "/api/vaults", body).await;
        assert_eq!((status, &vault["id"]), (201, &phrase["ecdsa"]), "{vault}");
        vault["id"].as_str().unwrap().to_owned()
    }

    /// Until when the active vault is unlocked, as the worker reports.
    pub(crate) async fn unlocked_until(&self) -> Value {
        let vaults = self.get("/api/vaults").await;
        let active = vaults["vaults"].as_array().unwrap().iter().find(|vault| vault["active"] == true);
        active.unwrap()["unlockedUntil"].clone()
    }
}
