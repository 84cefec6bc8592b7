//! POST `/api/bundles/{id}/fee`: the user chooses another fee for transactions that the wallet filled in.

use super::fees::{own_limit, own_price, price};
use super::fill::bundle_params;
use crate::Core;
use crate::bundle::replace_bytes;
use crate::call::CallRow;
use crate::http::{ApiError, RouteError};
use crate::store::StoreError;
use serde_json::Value;
use std::rc::Rc;
use wire::evm::{ChooseFee, Filled, Speed};
use wire::run::BundleView;

/// How often it is tried again because the call changed meanwhile.
const MAX_CONFLICTS: u32 = 5;

/// Replaces the bytes of a bundle, and its prompt; gives the bundle as it is then.
pub(crate) async fn choose_fee(
    core: &Rc<Core>,
    id: &str,
    choice: &ChooseFee,
) -> Result<BundleView, ApiError> {
    for _ in 0..MAX_CONFLICTS {
        match replace(core, id, choice).await {
            Err(ReplaceError::Store(StoreError::Conflict { .. })) => {}
            Err(ReplaceError::Store(error)) => return Err(error.into()),
            Err(ReplaceError::Refused(error)) => return Err(error),
            Ok(()) => return Ok(core.bundles.view(id).await?.ok_or(RouteError::BundleNotFound)?),
        }
    }
    Err(StoreError::conflict("calls", id).into())
}

/// Why the fee stays as it is.
enum ReplaceError {
    Refused(ApiError),
    Store(StoreError),
}

impl From<StoreError> for ReplaceError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<ApiError> for ReplaceError {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

async fn replace(core: &Rc<Core>, id: &str, choice: &ChooseFee) -> Result<(), ReplaceError> {
    let call = core.journal.call(id).await?.ok_or_else(|| ApiError::from(RouteError::BundleNotFound))?;
    let Some(filled) = &call.record.filled else {
        return Err(ApiError::from(RouteError::FeeFixed).into());
    };
    let filled = chosen(filled, choice)?;
    if call.record.filled.as_ref() == Some(&filled) {
        return Ok(());
    }
    let ignored = claims(&call.record);
    let params = bundle_params(core, &filled, &ignored).await;
    let params = params.map_err(|error| ApiError::new(400, "invalid_request", error.to_string()))?;
    let next = CallRow { params, filled: Some(filled), ..(*call.record).clone() };
    let replaced = replace_bytes(core, &call, next).await?;
    let refused = |failure: wire::failure::Failure| {
        let message = failure.message().unwrap_or_default().to_owned();
        ApiError::new(409, failure.code().to_owned(), message)
    };
    Ok(replaced.map_err(refused)?)
}

/// What is filled in with another fee.
fn chosen(filled: &Filled, choice: &ChooseFee) -> Result<Filled, ApiError> {
    let mut next = filled.clone();
    let (speed, price) = match (choice.speed, &choice.own) {
        (Some(speed @ (Speed::Slow | Speed::Normal | Speed::Fast)), None) => {
            (speed, price(&filled.market, speed))
        }
        (None | Some(Speed::Own), Some(own)) => {
            let invalid = |(path, problem)| ApiError::invalid(path, problem);
            if let Some(limit) = &own.gas_limit {
                let limit = own_limit(filled, limit).map_err(invalid)?;
                next.transactions.iter_mut().for_each(|one| one.gas_limit = limit);
            }
            (Speed::Own, own_price(&filled.market, own).map_err(invalid)?)
        }
        _ => return Err(ApiError::invalid("/speed", "must be slow, normal or fast, or own beside own")),
    };
    next.speed = speed;
    next.transactions.iter_mut().for_each(|one| one.price = price.clone());
    Ok(next)
}

/// What the steps claim stays.
fn claims(call: &CallRow) -> Vec<Option<String>> {
    let steps = call.params.get("transactions").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let claim = |step: &Value| Some(step.pointer("/tx_details/description")?.as_str()?.to_owned());
    steps.iter().map(claim).collect()
}
