//! Reading the extension's IndexedDB from one of its pages, for assertions.

use crate::{Error, Page};
use serde_json::Value;

/// Opens only what exists (opening would create it), reads all, closes; bytes become `{"bytes": "<hex>"}`.
const READ: &str = r#"
    const [name, store] = args;
    if (!(await indexedDB.databases()).some((database) => database.name === name)) return [];
    const done = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    const plain = (value) => {
        if (value instanceof ArrayBuffer) value = new Uint8Array(value);
        if (ArrayBuffer.isView(value)) {
            const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
            return { bytes: [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("") };
        }
        if (typeof value === "bigint" || value instanceof Date) return String(value);
        if (Array.isArray(value)) return value.map(plain);
        if (value === null || typeof value !== "object") return value ?? null;
        return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
    };
    const database = await done(indexedDB.open(name));
    try {
        if (!database.objectStoreNames.contains(store)) return [];
        return (await done(database.transaction(store).objectStore(store).getAll())).map(plain);
    } finally {
        database.close();
    }
"#;

impl Page {
    /// All values of a store, in the order of their keys; none when the database or the store is not there.
    pub async fn idb(&self, database: &str, store: &str) -> Result<Vec<Value>, Error> {
        match self.run(READ, vec![database.into(), store.into()]).await? {
            Value::Array(values) => Ok(values),
            other => Err(Error::Input(format!("{database}/{store} gave {other}"))),
        }
    }
}
