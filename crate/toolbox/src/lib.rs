//! The third wasm module: what tools need of heavy libraries. JSON Schema, JSONPath, regular expressions, and with them
//! the records, requests and responses of tools.
//!
//! It is loaded when it is first needed. A request's JSON text goes in, a reply's comes out. Everything it is given may be
//! hostile: schemas and expressions come from people and agents, values from agents and servers. So each has bounds
//! ([`bounds`]), and what could take too long is refused before it begins.

mod archive;
pub mod bounds;
#[cfg(not(target_arch = "wasm32"))]
pub mod conformance;
mod curl;
mod error;
mod expression;
mod hosts;
mod index;
mod record;
mod request;
mod schema;
mod template;
mod zip;

use archive::ArchiveError;
use error::AnswerError;
use index::Index;
use record::{RecordError, Submitted};
use request::Prepared;
use std::cell::RefCell;
use wire::json::{from_text, to_text};
use wire::toolbox::{Reply, Request};

thread_local! {
    /// What was told of the tool store last.
    static INDEX: RefCell<Index> = RefCell::default();
}

/// Every code that a refusal can have.
pub const CODES: &[&[&str]] = &[AnswerError::CODES, RecordError::CODES, ArchiveError::CODES];

/// Answers one request.
pub fn answer(request: Request) -> Reply {
    let reply = match request {
        Request::Index(request) => {
            INDEX.with_borrow_mut(|index| index.answer(request)).map(Reply::Index).map_err(AnswerError::from)
        }
        Request::CheckSchema { schema } => schema::check(&schema).map(|()| Reply::Done {}),
        Request::Validate { schema, value } => {
            schema::validate(&schema, &value).map(|violations| Reply::Validated { violations })
        }
        Request::CheckExpression { expr, encoding } => {
            expression::check(&expr, encoding).map(|()| Reply::Done {})
        }
        Request::Extract { expr, encoding, body } => {
            expression::extract(&expr, encoding, &body).map(|found| match found {
                Some(value) => Reply::Extracted { value },
                None => Reply::NoMatch {},
            })
        }
        Request::CheckArguments { schema, args } => {
            schema::arguments(&schema, &args).map(|checked| match checked {
                Ok(args) => Reply::Arguments { args },
                Err(violations) => Reply::Validated { violations },
            })
        }
        Request::CheckTool { bundle_id, slug, version, body, functions, reserved } => {
            Ok(record::check_tool(&Submitted {
                bundle_id: &bundle_id,
                slug: &slug,
                version: &version,
                body: &body,
                functions: Some(&functions),
                reserved: &reserved,
            }))
        }
        Request::CheckConfig { config, reserved } => Ok(record::check_config(&config, &reserved)),
        Request::CheckBundle { bundle_id, body } => Ok(record::check_bundle(&bundle_id, &body)),
        Request::CheckHosts { hosts } => Ok(record::check_hosts(&hosts)),
        Request::Prepare { tool, args, allowed_hosts } => {
            request::prepare(&tool, &args, &allowed_hosts).map(|prepared| match prepared {
                Prepared::Plan(plan) => Reply::Prepared(plan),
                Prepared::Violations(violations) => Reply::Validated { violations },
            })
        }
        Request::SignIn { tool, allowed_hosts, redirect_uri, state, challenge } => {
            let sent = [("redirect_uri", &redirect_uri), ("state", &state), ("code_challenge", &challenge)];
            let sent = sent.map(|(name, value)| (name, value.as_str()));
            request::sign_in(&tool, &allowed_hosts, &sent)
                .map(|(authorization_url, server)| Reply::SignIn { authorization_url, server })
        }
        Request::Outline { tool } => {
            request::outline(&tool).map(|outline| Reply::Outlined(Box::new(outline)))
        }
        Request::Finish { tool, status, body, events, .. } => {
            request::finish(&tool, status, &body, events.as_deref()).map(|value| Reply::Finished { value })
        }
        Request::Expand { template, scope } => {
            request::expand(&template, &scope).map(|value| Reply::Expanded { value })
        }
        Request::PackBundle { bundle, tools } => archive::pack(&bundle, &tools),
        Request::UnpackBundle { base64, reserved } => Ok(archive::unpack(&base64, &reserved)),
        Request::UnpackFiles { base64 } => Ok(archive::files(&base64)),
        Request::ParseCurl { line } => curl::draft(&line).map_err(AnswerError::from),
    };
    reply.unwrap_or_else(|error| Reply::Refused(error.into()))
}

/// Answers the JSON text of a [`Request`] with a reply's.
pub fn answer_text(text: &str) -> String {
    let reply = from_text(text).map_or_else(|_| Reply::Refused(AnswerError::Malformed.into()), answer);
    to_text(&reply)
}

/// What the shell calls.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen(js_name = answer)]
pub fn answer_javascript(text: &str) -> js_sys::JsString {
    js_sys::JsString::from(answer_text(text).as_str())
}
