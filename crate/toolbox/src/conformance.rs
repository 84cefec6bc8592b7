//! For the suites of others: the same code as in requests, with schemas from memory where the suite refers to them.

use crate::expression::Path;
use crate::schema::{Meta, Resources, compile};
use jsonschema::{Retrieve, Uri};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use wire::toolbox::ToolboxError;

pub use jsonschema::Draft;

/// Whether a value fits a schema of a draft, by both ways in which schemas are compiled.
pub fn check(
    schema: &Value,
    value: &Value,
    draft: Draft,
    remotes: &HashMap<String, Value>,
) -> Result<bool, ToolboxError> {
    let resources = Resources(Arc::new(Remotes(remotes.clone())));
    let valid = |meta| -> Result<bool, ToolboxError> {
        Ok(compile(schema, draft, meta, &resources)?.validate(value)?.is_empty())
    };
    match (valid(Meta::Checked)?, valid(Meta::Trusted)?) {
        (checked, trusted) if checked == trusted => Ok(checked),
        (checked, trusted) => Err(ToolboxError {
            code: "contradiction".to_owned(),
            message: format!("{checked} when it is checked, {trusted} when it is trusted"),
            path: None,
        }),
    }
}

/// The nodes that a path selects.
pub fn select(path: &str, document: &Value) -> Result<Vec<Value>, ToolboxError> {
    let path = Path::parse(path)?;
    Ok(path.nodes(document)?.into_iter().cloned().collect())
}

struct Remotes(HashMap<String, Value>);

impl Retrieve for Remotes {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        self.0.get(uri.as_str()).cloned().ok_or_else(|| format!("{uri} is not in memory").into())
    }
}
