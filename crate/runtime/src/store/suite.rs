//! What every back end of the store must do: one suite, run on memory natively and on IndexedDB in a browser.

use super::{Batch, Durability, Range, Row, Store, StoreError, Table, Write, number_key};

/// What went wrong, for a report that crosses from the browser.
pub type Outcome = Result<(), String>;

/// A case: a name and what it does to an empty store.
pub type Case = (&'static str, fn(&'static dyn Store) -> CaseFuture);

/// A case under way.
pub type CaseFuture = std::pin::Pin<Box<dyn Future<Output = Outcome>>>;

/// Every case, each to be run on an empty store of its own.
pub fn cases() -> Vec<Case> {
    vec![
        ("what was put is got", |store| Box::pin(put_and_get(store))),
        ("a batch is all or nothing", |store| Box::pin(all_or_nothing(store))),
        ("a precondition that fails changes nothing", |store| Box::pin(preconditions(store))),
        ("appended numbers grow and are never used twice", |store| Box::pin(appends(store))),
        ("ranges are ordered and cut as asked", |store| Box::pin(ranges(store))),
        ("lines give every record once", |store| Box::pin(lines(store))),
        ("lines follow every change of a large table", |store| Box::pin(lines_follow(store))),
        ("concurrent claims have one winner", |store| Box::pin(one_winner(store))),
        ("any text is a key and a record", |store| Box::pin(any_text(store))),
        ("writes of a batch happen in order", |store| Box::pin(in_order(store))),
    ]
}

fn ensure(holds: bool, what: impl std::fmt::Debug) -> Outcome {
    if holds { Ok(()) } else { Err(format!("{what:?}")) }
}

fn text(error: StoreError) -> String {
    error.to_string()
}

fn put(table: Table, key: &str, value: &str) -> Write {
    Write::Put(table, key.to_owned(), value.to_owned())
}

fn batch(writes: Vec<Write>) -> Batch {
    Batch::unowned(Durability::Strict, Vec::new(), writes)
}

/// The same, only if the record is still as it was read.
fn batch_if(table: Table, key: &str, text: Option<&str>, writes: Vec<Write>) -> Batch {
    let expected = (table, key.to_owned(), text.map(str::to_owned));
    Batch::unowned(Durability::Strict, vec![expected], writes)
}

async fn put_and_get(store: &dyn Store) -> Outcome {
    store
        .commit(batch(vec![put(Table::Contacts, "a", "1"), put(Table::Calls, "a", "2")]))
        .await
        .map_err(text)?;
    let found = (
        store.get(Table::Contacts, "a").await.map_err(text)?,
        store.get(Table::Calls, "a").await.map_err(text)?,
        store.get(Table::Calls, "b").await.map_err(text)?,
    );
    ensure(found == (Some("1".into()), Some("2".into()), None), found)?;
    store.commit(batch(vec![put(Table::Contacts, "a", "3")])).await.map_err(text)?;
    let again = store.get(Table::Contacts, "a").await.map_err(text)?;
    ensure(again.as_deref() == Some("3"), again)?;
    store.commit(batch(vec![Write::Delete(Table::Contacts, "a".into())])).await.map_err(text)?;
    let gone = store.get(Table::Contacts, "a").await.map_err(text)?;
    ensure(gone.is_none(), gone)
}

async fn all_or_nothing(store: &dyn Store) -> Outcome {
    let writes = vec![
        put(Table::Contacts, "a", "1"),
        Write::Append(Table::Events, "e".into()),
        Write::Delete(Table::Calls, "kept".into()),
    ];
    let refused = batch_if(Table::Prompts, "p", Some("not there"), writes);
    store.commit(batch(vec![put(Table::Calls, "kept", "k")])).await.map_err(text)?;
    let error = store.commit(refused).await;
    ensure(matches!(&error, Err(StoreError::Conflict(place)) if place.table == "prompts"), &error)?;
    let left = (
        store.get(Table::Contacts, "a").await.map_err(text)?,
        store.scan(Table::Events, Range::all()).await.map_err(text)?,
        store.get(Table::Calls, "kept").await.map_err(text)?,
        store.get(Table::Counters, "events").await.map_err(text)?,
    );
    ensure(left == (None, vec![], Some("k".into()), None), left)
}

async fn preconditions(store: &dyn Store) -> Outcome {
    let claim = |expected: Option<&str>, value: &str| {
        batch_if(Table::Actions, "k", expected, vec![put(Table::Actions, "k", value)])
    };
    store.commit(claim(None, "1")).await.map_err(text)?;
    let taken = store.commit(claim(None, "2")).await;
    ensure(taken == Err(StoreError::conflict("actions", "k")), &taken)?;
    store.commit(claim(Some("1"), "2")).await.map_err(text)?;
    let stale = store.commit(claim(Some("1"), "3")).await;
    ensure(stale.is_err(), &stale)?;
    let found = store.get(Table::Actions, "k").await.map_err(text)?;
    ensure(found.as_deref() == Some("2"), found)
}

async fn appends(store: &dyn Store) -> Outcome {
    let append = |value: &str| Write::Append(Table::Outbox, value.to_owned());
    let first = store.commit(batch(vec![append("a"), append("b")])).await.map_err(text)?;
    ensure(first == [1, 2], &first)?;
    store.commit(batch(vec![Write::Delete(Table::Outbox, number_key(2))])).await.map_err(text)?;
    let events = store.commit(batch(vec![Write::Append(Table::Events, "e".into()), append("c")])).await;
    ensure(events == Ok(vec![1, 3]), &events)?;
    let rows = store.scan(Table::Outbox, Range::all()).await.map_err(text)?;
    ensure(rows == [row(&number_key(1), "a"), row(&number_key(3), "c")], rows)?;
    store.commit(batch(vec![Write::DeleteBefore(Table::Outbox, number_key(3))])).await.map_err(text)?;
    let rows = store.scan(Table::Outbox, Range::all()).await.map_err(text)?;
    ensure(rows == [row(&number_key(3), "c")], rows)
}

fn row(key: &str, value: &str) -> Row {
    Row { key: key.to_owned(), text: value.to_owned() }
}

async fn ranges(store: &dyn Store) -> Outcome {
    let keys = ["a/1", "a/2", "a/3", "b/1", "a"];
    store
        .commit(batch(keys.iter().map(|key| put(Table::Timeline, key, key)).collect()))
        .await
        .map_err(text)?;
    let cases: [(Range, &[&str]); 8] = [
        (Range::all(), &["a", "a/1", "a/2", "a/3", "b/1"]),
        (Range::prefix("a/"), &["a/1", "a/2", "a/3"]),
        (Range::prefix("a/").first(2), &["a/1", "a/2"]),
        (Range { after: Some("a/1".into()), ..Range::prefix("a/") }, &["a/2", "a/3"]),
        (Range { before: Some("a/3".into()), ..Range::prefix("a/") }, &["a/1", "a/2"]),
        (Range { descending: true, limit: Some(2), ..Range::all() }, &["b/1", "a/3"]),
        (Range { descending: true, before: Some("a/2".into()), ..Range::prefix("a/") }, &["a/1"]),
        (Range::prefix("c"), &[]),
    ];
    for (range, expected) in cases {
        let rows = store.scan(Table::Timeline, range.clone()).await.map_err(text)?;
        let found: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
        ensure(found == expected && rows.iter().all(|row| row.key == row.text), (range, &found))?;
    }
    Ok(())
}

async fn lines(store: &dyn Store) -> Outcome {
    let none = store.lines(Table::Contacts).await.map_err(text)?;
    ensure(none.is_empty(), none)?;
    let writes =
        (0..300).map(|n| put(Table::Contacts, &format!("{n:03}"), &format!("{{\"n\":{n}}}"))).collect();
    store.commit(batch(writes)).await.map_err(text)?;
    let all = store.lines(Table::Contacts).await.map_err(text)?;
    let expected: Vec<String> = (0..300).map(|n| format!("{{\"n\":{n}}}")).collect();
    ensure(all.lines().eq(expected.iter().map(String::as_str)), all)
}

async fn lines_follow(store: &dyn Store) -> Outcome {
    let mut expected: Vec<String> = (0..600).map(|n| format!("{{\"n\":{n}}}")).collect();
    let writes = expected.iter().enumerate().map(|(n, text)| put(Table::Contacts, &format!("{n:03}"), text));
    store.commit(batch(writes.collect())).await.map_err(text)?;
    let changes = [
        vec![],
        vec![put(Table::Contacts, "005", "changed")],
        vec![Write::Delete(Table::Contacts, "599".into()), put(Table::Calls, "c", "c")],
        vec![Write::DeleteBefore(Table::Contacts, "005".into())],
    ];
    let effects: [fn(&mut Vec<String>); 4] = [
        |_| {},
        |all| all.splice(5..6, ["changed".to_owned()]).for_each(drop),
        |all| all.truncate(599),
        |all| all.drain(..5).for_each(drop),
    ];
    for (change, effect) in changes.into_iter().zip(effects) {
        store.commit(batch(change.clone())).await.map_err(text)?;
        effect(&mut expected);
        for _ in 0..2 {
            let all = store.lines(Table::Contacts).await.map_err(text)?;
            ensure(all.lines().eq(expected.iter().map(String::as_str)), &change)?;
        }
    }
    Ok(())
}

async fn one_winner(store: &dyn Store) -> Outcome {
    let claim = |who: &str| {
        let writes = vec![put(Table::Actions, "once", who), Write::Append(Table::Events, who.into())];
        store.commit(batch_if(Table::Actions, "once", None, writes))
    };
    let (first, second, third) = join(claim("a"), claim("b"), claim("c")).await;
    let winners = [&first, &second, &third].iter().filter(|outcome| outcome.is_ok()).count();
    ensure(winners == 1, (first, second, third))?;
    let events = store.scan(Table::Events, Range::all()).await.map_err(text)?;
    ensure(events.len() == 1, events)
}

/// Polls three futures in turn until all have ended: interleaved as requests of several pages are.
async fn join<A, B, C>(
    first: impl Future<Output = A>,
    second: impl Future<Output = B>,
    third: impl Future<Output = C>,
) -> (A, B, C) {
    let (mut first, mut second, mut third) = (Box::pin(first), Box::pin(second), Box::pin(third));
    let (mut a, mut b, mut c) = (None, None, None);
    std::future::poll_fn(move |context| {
        fn step<T>(
            slot: &mut Option<T>,
            future: std::pin::Pin<&mut dyn Future<Output = T>>,
            context: &mut std::task::Context<'_>,
        ) {
            if slot.is_none()
                && let std::task::Poll::Ready(value) = future.poll(context)
            {
                *slot = Some(value);
            }
        }
        step(&mut a, first.as_mut(), context);
        step(&mut b, second.as_mut(), context);
        step(&mut c, third.as_mut(), context);
        if a.is_some()
            && b.is_some()
            && c.is_some()
            && let (Some(a), Some(b), Some(c)) = (a.take(), b.take(), c.take())
        {
            return std::task::Poll::Ready((a, b, c));
        }
        std::task::Poll::Pending
    })
    .await
}

async fn any_text(store: &dyn Store) -> Outcome {
    for key in ["", "/", "\u{0}", "ключ", "\u{1F511}/x", "a\nb", "constructor", "__proto__"] {
        let value = format!("{{\"k\":{key:?}}}");
        store.commit(batch(vec![put(Table::Settings, key, &value)])).await.map_err(text)?;
        let found = store.get(Table::Settings, key).await.map_err(text)?;
        ensure(found.as_deref() == Some(value.as_str()), (key, found))?;
    }
    let prefixed = store.scan(Table::Settings, Range::prefix("\u{1F511}")).await.map_err(text)?;
    ensure(prefixed.len() == 1, prefixed)
}

async fn in_order(store: &dyn Store) -> Outcome {
    let writes = vec![
        put(Table::Settings, "a", "1"),
        Write::Delete(Table::Settings, "a".into()),
        put(Table::Settings, "a", "2"),
        put(Table::Settings, "b", "1"),
        Write::Delete(Table::Settings, "b".into()),
    ];
    store.commit(batch(writes)).await.map_err(text)?;
    let rows = store.scan(Table::Settings, Range::all()).await.map_err(text)?;
    ensure(rows == [row("a", "2")], rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::memory::Memory;

    #[tokio::test]
    async fn memory_passes_the_suite() {
        for (name, case) in cases() {
            let store: &'static dyn Store = Box::leak(Box::new(Memory::new()));
            assert_eq!(case(store).await, Ok(()), "{name}");
        }
    }
}
