//! Finds the descriptor that speaks of a call or a message, and renders it.

use crate::abi::Signature;
use crate::descriptor::Descriptor;
use crate::error::RenderError;
use crate::render::{Container, Renderer, Subject};
use crate::typed::TypedData;
use crate::value;
use chains::Amount;
use serde_json::Value as Json;
use wire::descriptor::{CallData, Described, DescriptionOutcome, Known, Rendering};

/// Describes a call of a contract.
pub(crate) fn call(call: &CallData, descriptors: &[Json], known: &Known) -> Described {
    let mut renderer = Renderer::new(descriptors, known);
    let rendered = match read_call(call) {
        Some((container, data)) => renderer.call(container, &data, 0),
        None => Err(RenderError::UnreadableInput),
    };
    described(renderer, rendered)
}

fn read_call(call: &CallData) -> Option<(Container, Vec<u8>)> {
    let container = Container {
        from: value::address(&call.from),
        to: Some(value::address(&call.to)?),
        value: value::parse_number(&call.value)?,
        chain_id: call.chain_id,
    };
    Some((container, chains::encoding::from_hex("data", &call.data).ok()?))
}

/// Describes typed data.
pub(crate) fn typed_data(data: &Json, from: &str, descriptors: &[Json], known: &Known) -> Described {
    let mut renderer = Renderer::new(descriptors, known);
    let rendered = match TypedData::read(data) {
        Some(data) => renderer.message(data, value::address(from)),
        None => Err(RenderError::UnreadableInput),
    };
    described(renderer, rendered)
}

fn described(mut renderer: Renderer<'_>, rendered: Result<(usize, Rendering), RenderError>) -> Described {
    let (by, rendering) = match rendered {
        Ok((by, rendering)) => (u32::try_from(by).ok(), Some(rendering)),
        Err(error) => {
            renderer.diagnose(error.code(), error.to_string());
            (None, None)
        }
    };
    let (diagnostics, fallback, wanted) = renderer.finish();
    let outcome = match (&rendering, fallback) {
        (None, _) => DescriptionOutcome::Failure,
        (Some(_), true) => DescriptionOutcome::Fallback,
        (Some(_), false) => DescriptionOutcome::ClearSigned,
    };
    Described { by, outcome, rendering, diagnostics, wanted }
}

impl Renderer<'_> {
    /// Renders a call by the first descriptor that is bound to its contract and has a format for its function.
    pub(crate) fn call(
        &mut self,
        container: Container,
        data: &[u8],
        depth: usize,
    ) -> Result<(usize, Rendering), RenderError> {
        let to = container.to.ok_or(RenderError::DescriptorNotFound)?;
        let (selector, arguments) = data.split_first_chunk::<4>().ok_or(RenderError::FormatNotFound)?;
        let mut problem = RenderError::DescriptorNotFound;
        for (by, document) in self.descriptors.iter().enumerate() {
            let descriptor = Descriptor(document);
            if !descriptor.covers_call(container.chain_id, &to) {
                continue;
            }
            problem = RenderError::FormatNotFound;
            let mut fitting = Vec::new();
            for (key, format) in descriptor.formats().into_iter().flatten() {
                if let Some(signature) = Signature::parse(key).filter(|found| found.selector() == *selector) {
                    fitting.push((signature, format));
                }
            }
            let Some((signature, format)) = fitting.pop() else { continue };
            if !fitting.is_empty() {
                return Err(RenderError::AmbiguousFormat);
            }
            let data = signature.decode(arguments).ok_or(RenderError::UndecodableData)?;
            let subject = Subject { descriptor, data, container, depth };
            return Ok((by, self.format(&subject, format)?));
        }
        Err(problem)
    }

    /// Renders a message by the first descriptor that its domain and its type fit.
    fn message(
        &mut self,
        data: TypedData,
        from: Option<[u8; 20]>,
    ) -> Result<(usize, Rendering), RenderError> {
        let mut problem = RenderError::DescriptorNotFound;
        for (by, document) in self.descriptors.iter().enumerate() {
            let descriptor = Descriptor(document);
            if !descriptor.covers_message(&data) {
                continue;
            }
            problem = RenderError::FormatNotFound;
            let formats = descriptor.formats().into_iter().flatten();
            let found = formats.into_iter().find(|(key, _)| key.trim() == data.encoded_type);
            let Some((_, format)) = found else { continue };
            let (to, chain_id) = (data.contract(), data.chain_id().unwrap_or_default());
            let container = Container { from, to, value: Amount::ZERO, chain_id };
            let subject = Subject { descriptor, data: data.message, container, depth: 0 };
            return Ok((by, self.format(&subject, format)?));
        }
        Err(problem)
    }
}
