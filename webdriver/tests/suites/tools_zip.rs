//! A bundle leaves one browser as a file and arrives in another.

use crate::world::tools::{ToolWorld, picture, weather};
use crate::world::{DEMO, World};
use serde_json::json;
use webdriver::{TIMEOUT, until};

/// T002-75, T002-82: a bundle is saved as a file from the page. Another browser imports it: its tools are switched off, and no host
/// is allowed. The same file again is refused with the reason, and changes nothing; so is a file that is no archive.
#[tokio::test]
async fn bundle_moves_to_another_browser() {
    let it = ToolWorld::start().await;
    let tool = weather(&it.server);
    let made = it.put(&tool).await;
    let page = it.browser.open(&it.browser.extension_url("tools.html")).await.unwrap();
    page.click("bundle-export").await.unwrap();
    page.element("bundle-exported").await.unwrap();
    let file = until("the file", TIMEOUT, async || {
        let files = std::fs::read_dir(it.browser.downloads()).ok()?.flatten();
        files.map(|file| file.path()).find(|path| path.extension().is_some_and(|end| end == "zip"))
    })
    .await
    .unwrap();
    assert!(std::fs::read(&file).unwrap().starts_with(b"PK\x03\x04"));

    let other = World::new(DEMO).await;
    let page = other.browser.open(&other.browser.extension_url("tools.html")).await.unwrap();
    page.element("tool-new").await.unwrap();
    page.choose_file("bundle-import-file", &file).await.unwrap();
    page.element("bundle-imported").await.unwrap();
    let tools = other.get("/tools/search?q=get-weather&includeDisabled=true").await["tools"].clone();
    let [imported] = tools.as_array().unwrap().as_slice() else { panic!("{tools}") };
    assert_eq!((&imported["isEnabled"], &imported["impl"]), (&json!(false), &made["impl"]));
    assert_ne!(imported["id"], made["id"]);
    assert_eq!(other.get("/api/settings").await["allowedHosts"], json!([]));
    picture(&page, "imported").await;

    page.choose_file("bundle-import-file", &file).await.unwrap();
    until("the refusal", TIMEOUT, async || {
        let said = page.run("return document.querySelector('.tools-home > .notice-slot').innerText", vec![]);
        said.await.ok()?.as_str()?.contains("get-weather_v1").then_some(())
    })
    .await
    .unwrap();
    let broken = tempfile::Builder::new().suffix(".zip").tempfile().unwrap();
    std::fs::write(broken.path(), "not an archive").unwrap();
    page.choose_file("bundle-import-file", broken.path()).await.unwrap();
    until("the refusal", TIMEOUT, async || {
        let said = page.run("return document.querySelector('.tools-home > .notice-slot').innerText", vec![]);
        let said = said.await.ok()?;
        (!said.as_str()?.is_empty() && !said.as_str()?.contains("get-weather_v1")).then_some(())
    })
    .await
    .unwrap();
    assert_eq!(other.get("/tools/search?q=get-weather&includeDisabled=true").await["tools"], tools);
}
