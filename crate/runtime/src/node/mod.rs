//! The chains' nodes: which are asked, in which order, and for how long.

use crate::Core;
use wire::api::Millis;
use wire::node::{About, Broadcast, Checked, Heard, Status};

/// What the nodes of a chain said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// What it means.
    pub(crate) heard: Heard,
    /// When a node may be asked again, if all of them want to be left alone until then; otherwise 0.
    pub(crate) not_before: Millis,
}

impl Core {
    /// Asks the nodes of a chain, one after the other, until one gives a clear answer.
    pub(crate) async fn ask_nodes(&self, _chain: &str, about: &About) -> Told {
        Told { heard: unclear(about, "there is no network yet"), not_before: 0 }
    }
}

/// Nobody gave a usable answer.
fn unclear(about: &About, reason: &str) -> Heard {
    let reason = reason.to_owned();
    match about {
        About::Broadcast(_) => Heard::Broadcast(Broadcast::Ambiguous { reason }),
        About::Status { .. } => Heard::Status(Status::Unclear { reason }),
        About::Check(_) => Heard::Checked(Checked::Unclear { reason }),
    }
}
