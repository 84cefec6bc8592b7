//! The later part: code that neither a start nor a signature needs, in a file of its own (`later.wasm`).
//!
//! What such code does is a future that [`later`] wraps. The build moves [`Later::poll`] and the code that drops a [`Later`] to
//! the later part, with all that is called by nothing else (`crate/xtask/src/split.rs`). The shell loads the part when it is first asked to.

use crate::core::{Awaited, Core};
use crate::ports::Host;
use crate::store::StoreError;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// Whether this worker has its later part.
pub(crate) struct LaterPart {
    host: Rc<dyn Host>,
    loaded: Cell<bool>,
}

impl LaterPart {
    pub(crate) const fn new(host: Rc<dyn Host>) -> Self {
        Self { host, loaded: Cell::new(false) }
    }

    /// Loads it, unless it is there. What fails is tried again the next time.
    async fn load(&self) -> Result<(), StoreError> {
        if !self.loaded.get() {
            self.host.load_later().await?;
            self.loaded.set(true);
        }
        Ok(())
    }
}

/// A future of the later part. Its name is how the build finds it.
struct Later<F>(Pin<Box<F>>);

impl<F: Future> Future for Later<F> {
    type Output = F::Output;

    // Inlined, it would be a part of its caller, and stay in the core.
    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.0.as_mut().poll(context)
    }
}

/// Does `work` with code of the later part, which is loaded before. If it cannot be loaded, nothing is done.
pub(crate) fn later<'a, T, E>(
    core: &'a Core,
    work: impl Future<Output = Result<T, E>> + 'a,
) -> Awaited<'a, Result<T, E>>
where
    T: 'a,
    E: From<StoreError> + 'a,
{
    Box::pin(when_loaded(core, ManuallyDrop::new(boxed_later(work))))
}

/// `work` behind a pointer, as a future of the later part. Only for code of the later part: nothing is loaded here.
pub(crate) fn boxed_later<'a, T: 'a>(work: impl Future<Output = T> + 'a) -> Awaited<'a, T> {
    Box::pin(Later(Box::pin(work)))
}

/// One for all kinds of work: it is given the work behind a pointer.
///
/// The code that drops the work is in the later part too. Work that is given up before the part is loaded stays in memory. It
/// has not begun, so that is what its parameters take; and it happens only where the part cannot be loaded.
async fn when_loaded<T, E: From<StoreError>>(
    core: &Core,
    work: ManuallyDrop<Awaited<'_, Result<T, E>>>,
) -> Result<T, E> {
    core.later.load().await?;
    ManuallyDrop::into_inner(work).await
}
