//! Which checklist items the tests name, read from their source.
//!
//! In Rust the doc comment of a function with a test attribute, in TypeScript the comment right above `test(`
//! or `it(`. A test that is ignored or skipped proves nothing and does not count.

use super::id::{Id, ids};

/// The items named by the tests of a Rust file.
pub(crate) fn rust(source: &str) -> Vec<Id> {
    let mut found = Vec::new();
    let mut lines = source.lines().map(str::trim).peekable();
    while lines.peek().is_some() {
        let mut item = Item::default();
        for line in lines.by_ref() {
            if !item.take(line) {
                break;
            }
        }
        if item.is_test && !item.is_ignored {
            found.extend(ids(&item.doc));
        }
    }
    found
}

/// What stands above a Rust item: its doc comment and its attributes, in any order.
#[derive(Default)]
struct Item {
    doc: String,
    is_test: bool,
    is_ignored: bool,
    /// How many brackets of an attribute over several lines are open.
    open: usize,
}

impl Item {
    /// Whether the line belongs to what stands above an item.
    fn take(&mut self, line: &str) -> bool {
        if self.open > 0 {
            self.count(line);
        } else if let Some(text) = line.strip_prefix("///") {
            self.doc.push_str(text);
            self.doc.push('\n');
        } else if let Some(attribute) = line.strip_prefix("#[") {
            let path = attribute.split(['(', ']', ' ', '=']).next().unwrap_or_default();
            match path.rsplit("::").next().unwrap_or_default() {
                "test" | "wasm_bindgen_test" => self.is_test = true,
                "ignore" => self.is_ignored = true,
                _ => {}
            }
            self.count(line);
        } else {
            return false;
        }
        true
    }

    fn count(&mut self, line: &str) {
        let (opened, closed) = (line.matches('[').count(), line.matches(']').count());
        self.open = (self.open + opened).saturating_sub(closed);
    }
}

/// The items named by the tests of a TypeScript file.
pub(crate) fn typescript(source: &str) -> Vec<Id> {
    let mut found = Vec::new();
    let mut comment = String::new();
    for line in source.lines().map(str::trim) {
        if line.starts_with("//") || line.starts_with("/*") || line.starts_with('*') {
            comment.push_str(line);
            comment.push('\n');
            continue;
        }
        let call = line.strip_prefix("await ").unwrap_or(line);
        if call.starts_with("test(") || call.starts_with("it(") {
            found.extend(ids(&comment));
        }
        comment.clear();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{rust, typescript};

    fn shown(ids: Vec<crate::spec::id::Id>) -> String {
        ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn doc_comments_of_rust_tests_count() {
        let source = "
            /// T000-1: not a test.
            fn helper() {}

            /// T000-2, T000-4…5: a test.
            /// Also T000-7.
            #[test]
            fn one() { /* T000-8 */ }

            #[tokio::test(
                flavor = [1]
            )]
            /// T000-9 after the attribute.
            async fn two() {}

            proptest! {
                /// T000-10
                #[test]
                fn three(x in 0..1) {}
            }

            /// T000-11
            #[test]
            #[ignore = \"slow\"]
            fn four() {}

            // T000-12 is no doc comment.
            #[test]
            fn five() {}

            /// T000-13

            #[test]
            fn six() {}";
        assert_eq!(shown(rust(source)), "T000-2 T000-4 T000-5 T000-7 T000-9 T000-10");
    }

    #[test]
    fn comments_above_typescript_tests_count() {
        let source = "
            // T000-4: a title is shown
            // and stays (T000-5)
            test(\"title\", () => {});
            // T000-6
            const x = 1;
            test(\"other\", () => {});
            // T000-7
            test.skip(\"later\", () => {});
            /** T000-8 */
            await it(\"awaited\", () => {});";
        assert_eq!(shown(typescript(source)), "T000-4 T000-5 T000-8");
    }
}
