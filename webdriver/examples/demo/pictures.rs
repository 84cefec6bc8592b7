//! Pictures of the demo.

use anyhow::{Context, Result};
use serde_json::json;
use std::path::{Path, PathBuf};
use webdriver::Page;

/// The width of a browser's side panel, and the minimum height of a picture.
const SIZE: (u64, u64) = (420, 720);

/// How much of a page is in its picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The part that is visible without scrolling.
    Top,
    /// The whole scrollable height.
    Whole,
}

/// Takes pictures, or skips them: a user's page is not resized.
pub(crate) struct Camera {
    folder: Option<PathBuf>,
    pub(crate) taken: Vec<String>,
}

impl Camera {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, taken: Vec::new() }
    }

    /// A picture of the page in `light` or `dark`.
    pub(crate) async fn take(&mut self, page: &Page, name: &str, scheme: &str, extent: Extent) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let path = folder.join(format!("{name}.png"));
        colours(page, scheme).await?;
        picture(page, &path, extent).await?;
        colours(page, "").await?;
        self.taken.push(path.display().to_string());
        Ok(())
    }
}

/// At twice the pixel density.
async fn picture(page: &Page, to: &Path, extent: Extent) -> Result<()> {
    let (width, mut height) = SIZE;
    page.cdp("Emulation.setScrollbarsHidden", json!({"hidden": true})).await?;
    for _ in 0..2 {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 2, "mobile": false});
        page.cdp("Emulation.setDeviceMetricsOverride", size).await?;
        let more = page.run(OVERFLOW, vec![]).await?.as_u64().unwrap_or_default();
        height += if extent == Extent::Whole { more } else { 0 };
    }
    page.screenshot(to).await.with_context(|| format!("could not write {}", to.display()))?;
    page.cdp("Emulation.clearDeviceMetricsOverride", json!({})).await?;
    page.cdp("Emulation.setScrollbarsHidden", json!({"hidden": false})).await?;
    Ok(())
}

/// After two frames, without the cursor: how many pixels do not fit into the scrollable area.
const OVERFLOW: &str = r#"
    document.activeElement?.blur();
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const scrolls = (element) => element.checkVisibility() && getComputedStyle(element).overflowY === "auto";
    const areas = [...document.querySelectorAll("main, main *")].filter(scrolls);
    // An element at an edge must not scroll.
    for (const area of areas) area.dispatchEvent(new Event("scroll"));
    return Math.max(0, ...areas.map((area) => area.scrollHeight - area.clientHeight));
"#;

/// Shows the page in `light` or `dark`, or in the user's own scheme.
async fn colours(page: &Page, scheme: &str) -> Result<()> {
    let feature = json!({"name": "prefers-color-scheme", "value": scheme});
    page.cdp("Emulation.setEmulatedMedia", json!({"features": [feature]})).await?;
    Ok(())
}
