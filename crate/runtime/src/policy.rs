//! Whether a call may run at once or a person is asked first. Pure: everything it looks at is handed in.

use crate::tool::{Category, Definition};

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Runs without a tap.
    Run,
    /// A person is asked.
    Ask,
}

/// `auto_execute` is a hint: it can spare the tap for a tool that does not demand one, and nothing else
/// (T000-7, T000-8, D2).
pub fn gate(tool: &Definition, auto_execute: Option<bool>) -> Verdict {
    match auto_execute {
        _ if tool.requires_confirmation => Verdict::Ask,
        Some(true) => Verdict::Run,
        Some(false) => Verdict::Ask,
        None if tool.category == Category::Read => Verdict::Run,
        None => Verdict::Ask,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T000-7, T000-8: the whole table of category × own demand × hint, D2 for the absent hint.
    #[test]
    fn the_hint_never_beats_the_tools_own_demand() {
        use Verdict::{Ask, Run};
        let table = [
            (Category::Read, false, [Run, Run, Ask]),
            (Category::Write, false, [Ask, Run, Ask]),
            (Category::Read, true, [Ask, Ask, Ask]),
            (Category::Write, true, [Ask, Ask, Ask]),
        ];
        for (category, requires_confirmation, verdicts) in table {
            let tool = Definition {
                name: "t",
                description: "",
                category,
                consequence: crate::tool::Consequence::Low,
                requires_confirmation,
            };
            let found = [None, Some(true), Some(false)].map(|hint| gate(&tool, hint));
            assert_eq!(found, verdicts, "{category:?} {requires_confirmation}");
        }
    }
}
