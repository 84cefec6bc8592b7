//! The extension's IndexedDB, seen from one of its pages: read for assertions, written to move a deadline.

use crate::{Error, Page};
use serde_json::Value;

/// Opens only an existing database (opening would create it), works with it, closes it; bytes become `{"bytes":
/// "<hex>"}`.
const COMMON: &str = r#"
    const done = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    const opened = async (name, absent, work) => {
        if (!(await indexedDB.databases()).some((database) => database.name === name)) return absent;
        const database = await done(indexedDB.open(name));
        try {
            return await work(database);
        } finally {
            database.close();
        }
    };
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
"#;

const READ: &str = r#"
    const [name, store] = args;
    return opened(name, [], async (database) => {
        if (!database.objectStoreNames.contains(store)) return [];
        return (await done(database.transaction(store).objectStore(store).getAll())).map(plain);
    });
"#;

const READ_ALL: &str = r#"
    const everything = [];
    for (const { name } of await indexedDB.databases()) {
        everything.push(...await opened(name, [], (database) => Promise.all(
            [...database.objectStoreNames].map(async (store) => {
                const records = database.transaction(store).objectStore(store);
                const [keys, values] = await Promise.all([done(records.getAllKeys()), done(records.getAll())]);
                return [`${name}/${store}`, keys.map((key, i) => [plain(key), plain(values[i])])];
            }))));
    }
    return Object.fromEntries(everything);
"#;

const WRITE: &str = r#"
    const [name, store, key, value] = args;
    return opened(name, false, async (database) => {
        await done(database.transaction(store, "readwrite").objectStore(store).put(value, key));
        return true;
    });
"#;

impl Page {
    /// All values of a store, in key order; none if the database or the store does not exist.
    pub async fn idb(&self, database: &str, store: &str) -> Result<Vec<Value>, Error> {
        match self.in_idb(READ, vec![database.into(), store.into()]).await? {
            Value::Array(values) => Ok(values),
            other => Err(Error::Input(format!("{database}/{store} gave {other}"))),
        }
    }

    /// Everything in every database: `{"<database>/<store>": [[key, value], …]}`.
    pub async fn idb_all(&self) -> Result<Value, Error> {
        self.in_idb(READ_ALL, vec![]).await
    }

    /// Writes a record without the worker's knowledge.
    pub async fn idb_put(&self, database: &str, store: &str, key: &str, value: &str) -> Result<(), Error> {
        let args = [database, store, key, value].map(Value::from).to_vec();
        match self.in_idb(WRITE, args).await? {
            Value::Bool(true) => Ok(()),
            other => Err(Error::Input(format!("{database}/{store} gave {other}"))),
        }
    }

    async fn in_idb(&self, work: &str, args: Vec<Value>) -> Result<Value, Error> {
        self.run(&format!("{COMMON} {work}"), args).await
    }
}
