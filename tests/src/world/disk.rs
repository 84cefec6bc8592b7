//! Access to the store from outside the worker.

use super::World;
use runtime::store::{Batch, Durability, Store, Write};

impl World {
    /// Changes records without the worker's knowledge.
    pub async fn tamper(&self, writes: Vec<Write>) {
        let batch = Batch::unowned(Durability::Strict, Vec::new(), writes);
        self.store.commit(batch).await.expect("the store is there");
    }
}
