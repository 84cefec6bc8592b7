//! The user shows a page out at the worst moment: while it is answered, and while its transactions are on their way. The page
//! gets one answer, nothing that was sent is lost, and nothing more is signed.

use crate::dapp_hostile::{Arena, code};
use crate::world::PATIENCE;
use crate::world::bundle::transfer;
use serde_json::{Value, json};
use webdriver::{Popup, TIMEOUT, not_yet, until};

const ROUNDS: usize = 6;

fn connection(arena: &Arena) -> String {
    format!("/api/connections/{}", arena.site.origin().replace(':', "%3A").replace('/', "%2F"))
}

/// The only open prompt.
async fn prompt(arena: &Arena) -> Value {
    until("a prompt", TIMEOUT, async || {
        let prompts = arena.prompts().await;
        match prompts.as_slice() {
            [one] => Ok(one.clone()),
            others => Err(not_yet(others)),
        }
    })
    .await
    .unwrap()
}

async fn answer_ok(popup: &Popup, prompt: &Value) -> webdriver::Pending {
    let path = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
    let body = json!({ "approve": true, "digest": prompt["digest"] });
    popup.begin("POST", &path, Some(body)).await.unwrap()
}

/// An approval and the end of the connection at the same time, in both orders: either the page has the signature, or a code. It
/// gets one answer, and is not connected afterwards.
#[tokio::test]
async fn revocation_races_the_approval() {
    let arena = Arena::new().await;
    let popup = arena.wallet.browser().popup().await.unwrap();
    let page = arena.page().await;
    for round in 0..ROUNDS {
        let connecting = page.begin("eth_requestAccounts", Value::Null).await.unwrap();
        answer_ok(&popup, &prompt(&arena).await).await.wait().await.unwrap();
        connecting.wait().await.unwrap();
        let params = json!([format!("0x68656c6c6f{round:02x}"), arena.wallet.address()]);
        let signing = page.begin("personal_sign", params.clone()).await.unwrap();
        let asked = prompt(&arena).await;
        let (approval, revocation) = if round % 2 == 0 {
            let approval = answer_ok(&popup, &asked).await;
            (approval, popup.begin("DELETE", &connection(&arena), None).await.unwrap())
        } else {
            let revocation = popup.begin("DELETE", &connection(&arena), None).await.unwrap();
            (answer_ok(&popup, &asked).await, revocation)
        };
        assert_eq!(revocation.wait().await.unwrap().0, 200, "round {round}");
        approval.wait().await.unwrap();
        match signing.wait().await {
            Ok(signature) => assert_eq!(signature.as_str().map(str::len), Some(132), "round {round}"),
            Err(error) => {
                let code = error.rpc_code();
                assert!(code.is_some_and(|code| [4001, 4100].contains(&code)), "round {round}: {error:?}");
            }
        }
        assert_eq!(signing.answers().await.unwrap(), 1, "round {round}");
        assert_eq!(code(page.request("personal_sign", params).await), Some(4100), "round {round}");
        assert_eq!(arena.prompts().await, Vec::<Value>::new());
    }
    arena.is_well().await;
}

/// A bundle of two steps whose page is shown out while the first is on its way: the first is mined and recorded, the second is
/// never signed, and the page gets one answer.
#[tokio::test]
async fn running_bundle_of_a_revoked_page() {
    let arena = Arena::new().await;
    let page = arena.connected().await;
    let node = arena.wallet.node().unwrap();
    let me = arena.wallet.address().to_owned();
    node.set_automine(false).await.unwrap();
    let mut second = transfer(1, 1);
    (second["id"], second["sequence"]) = (json!("step-2"), json!(2));
    let bundle = json!([{ "bundle_label": "Two payments", "transactions": [transfer(1, 0), second] }]);
    let sending = page.begin("countersign_signTransactionBundle", bundle).await.unwrap();
    let asked = prompt(&arena).await;
    arena.wallet.approve().await.unwrap();
    let pending = async || {
        let count = node.rpc("eth_getTransactionCount", json!([me, "pending"])).await.unwrap();
        count.as_str().unwrap().to_owned()
    };
    until("the first transaction at the node", PATIENCE, async || (pending().await == "0x1").then_some(()))
        .await
        .unwrap();
    arena.wallet.revoke(&arena.site.origin()).await.unwrap();
    node.set_automine(true).await.unwrap();
    node.mine().await.unwrap();
    let ended = sending.wait().await.unwrap();
    assert_eq!(sending.answers().await.unwrap(), 1);
    assert_eq!(ended["bundle_success"], false, "{ended}");
    assert!(ended["error"].as_str().unwrap().starts_with("not_connected"), "{ended}");
    let rows = ended["transactions"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["status"]), (1, &json!("confirmed")), "{ended}");
    let path = format!("/api/bundles/{}", asked["callId"].as_str().unwrap());
    let record = until("the end of the bundle", PATIENCE, async || {
        let bundle = arena.wallet.api("GET", &path, Value::Null).await?;
        if bundle["state"] == "done" { Ok(bundle) } else { Err(not_yet(bundle)) }
    })
    .await
    .unwrap();
    assert_eq!((node.nonce(&me).await.unwrap(), pending().await), (1, "0x1".to_owned()), "{record}");
    assert_eq!(code(page.request("eth_blockNumber", Value::Null).await), Some(4100));
    arena.is_well().await;
}
