//! Definitions that others wrote: asked about before they are first used, and when they are others.

use super::*;

fn served(definition: DefinitionStanding) -> World {
    World { definition, auto_execute: Some(true), ..World::calling(Category::SideEffect) }
}

/// M10: a definition that the user has not allowed is asked about, also where a hint or a rule says otherwise.
#[test]
fn only_what_was_allowed_runs() {
    for (definition, told) in [
        (DefinitionStanding::Own, "allow"),
        (DefinitionStanding::Allowed, "allow"),
        (DefinitionStanding::New, "ask: warn new_tool"),
        (DefinitionStanding::Changed, "ask: warn definition_changed"),
    ] {
        let mut world = served(definition);
        assert_eq!(world.told(), told, "{definition:?}");
        world.rules.tools = vec![rule(Who::Agent, allow(9, None))];
        assert_eq!(world.told(), told, "{definition:?}, allowed for good");
        world.source = Source::User;
        assert_eq!(world.told(), told, "{definition:?}, by the user");
        world.rules.tools = vec![rule(Who::Anybody, ToolDecision::Deny)];
        assert!(world.told().starts_with("block"), "{definition:?}, denied");
    }
}
