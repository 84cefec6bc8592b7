//! A mouse press at a chosen moment: two pages can be pressed at once, which the driver cannot do.

use crate::{Browser, DevTools, Error, Page, Target};
use serde_json::{Value, json};

/// The centre of an enabled element, and a DevTools connection to it.
pub struct Aim {
    devtools: DevTools,
    session: String,
    point: Value,
}

impl Browser {
    /// Aims at an element, once it is present and enabled.
    pub async fn aim(&self, page: &Page, test_id: &str) -> Result<Aim, Error> {
        page.ready(test_id).await?;
        let middle =
            "const box = document.querySelector(`[data-testid=\"${args[0]}\"]`).getBoundingClientRect();
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 }";
        let point = page.run(middle, vec![test_id.into()]).await?;
        let mut devtools = self.devtools().await?;
        // A window's handle is its DevTools target id.
        let target = Target { id: page.handle(), kind: "page".to_owned(), url: String::new() };
        let session = devtools.attach(&target).await?;
        Ok(Aim { devtools, session, point })
    }
}

impl Aim {
    /// Presses and releases; the page sees a trusted event.
    pub async fn press(mut self) -> Result<(), Error> {
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({ "type": kind, "x": self.point.get("x"), "y": self.point.get("y"),
                "button": "left", "clickCount": 1 });
            self.devtools.call(Some(&self.session), "Input.dispatchMouseEvent", params).await?;
        }
        Ok(())
    }
}
