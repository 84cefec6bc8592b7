//! The pages in the language of the browser.

use serde_json::{Value, json};
use webdriver::{Browser, Options, Page, TIMEOUT, until};

/// The texts of a page that English and German do not share: how many are German, and each that is English.
const TEXTS: &str = r#"
    const load = async (language) => (await fetch(`/_locales/${language}/messages.json`)).json();
    const [english, german] = await Promise.all([load("en"), load("de")]);
    const differ = Object.keys(english).filter((key) => english[key].message !== german[key].message);
    const of = (messages) => new Set(differ.map((key) => messages[key].message.trim()));
    const [inEnglish, inGerman] = [of(english), of(german)];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const shown = [document.title];
    while (walker.nextNode()) shown.push(walker.currentNode.data.trim());
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
        for (const element of document.querySelectorAll(`[${name}]`)) shown.push(element.getAttribute(name));
    }
    return {
        language: document.documentElement.lang,
        german: shown.filter((text) => inGerman.has(text)).length,
        english: shown.filter((text) => inEnglish.has(text) && !inGerman.has(text)),
    };
"#;

/// Waits for a page with German texts; none of its texts may be English.
async fn is_german(page: &Page, name: &str) {
    let seen: Value = until(&format!("German texts on {name}"), TIMEOUT, async || {
        let seen = page.run(TEXTS, vec![]).await.ok()?;
        (seen["german"].as_u64()? > 3).then_some(seen)
    })
    .await
    .unwrap();
    assert_eq!((&seen["language"], &seen["english"]), (&json!("de"), &json!([])), "{name}");
    if let Some(folder) = std::env::var_os("COUNTERSIGN_PICTURES") {
        page.screenshot(&std::path::Path::new(&folder).join(format!("german-{name}.png"))).await.unwrap();
    }
}

/// T002-86: a browser in German shows every page in German, and no text in English.
#[tokio::test]
async fn german_browser_shows_german() {
    let options =
        Options { language: Some("de".to_owned()), window: (420, 640), ..Options::from_env().unwrap() };
    let browser = Browser::launch(options).await.unwrap();
    let popup = browser.popup().await.unwrap();
    for place in ["agent", "wallet", "contacts", "activity", "tools", "settings"] {
        popup.go(place).await.unwrap();
        is_german(&popup, place).await;
    }
    for page in ["onboarding", "approve", "tools"] {
        let opened = browser.open(&browser.extension_url(&format!("{page}.html"))).await.unwrap();
        is_german(&opened, &format!("{page}.html")).await;
    }
    let manifest = popup.run("return chrome.runtime.getManifest().description", vec![]).await.unwrap();
    assert_eq!(manifest, "Ein Agent schlägt vor. Sie zeichnen gegen.");
    // Spaces around a text are kept: sentences stand beside each other.
    let spaced = popup.run("return chrome.i18n.getMessage('agent_nothing_before')", vec![]).await.unwrap();
    assert_eq!(spaced, " Nichts geschieht, bevor Sie es genehmigen.");
}
