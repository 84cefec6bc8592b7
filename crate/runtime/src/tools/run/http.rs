//! HTTP tools: a record and arguments become a request.

use super::row::Kept;
use super::send::{Sender, given_up, note};
use super::visible::Visibility;
use super::{About, RunError, refused, violated, window};
use crate::Core;
use crate::call::CallRow;
use crate::id::digest;
use crate::policy::{Assessment, Outbound, ToSign};
use crate::store::{Batch, StoreError, Stored};
use crate::tool::{Admission, Context, Definition, Outcome, Prepared, Proposal, Refusal, Shown, Tool};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::rc::Rc;
use wire::pieces::{Piece, RequestPieces, masked};
use wire::tool::Preview;
use wire::toolbox::{HttpPlan, Reply, Request, ToolboxError};

/// The beginning of a body that is shown.
const SHOWN: usize = 8 << 10;

/// A stored tool that sends a request.
pub(super) struct HttpTool {
    pub(super) id: String,
    pub(super) definition: Definition,
    /// How often it may be called in a minute.
    pub(super) per_minute: Option<u32>,
    visibility: Visibility,
    record: Value,
    /// The request of the call in hand.
    plan: OnceCell<Rc<HttpPlan>>,
}

#[async_trait(?Send)]
impl Tool for HttpTool {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn acts_in_steps(&self) -> bool {
        true
    }

    fn reaches_out(&self) -> bool {
        true
    }

    async fn validate(&self, call: &mut CallRow, context: &mut Context<'_>) -> Result<Admission, StoreError> {
        let core = context.wallet.core;
        let plan = match self.plan(core, &call.params).await? {
            Ok(plan) => plan,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(most) = self.per_minute
            && let Err(error) = window::check(core, &self.id, most).await?
        {
            return Ok(Err(error.into()));
        }
        call.tool = Some(self.definition.name.clone().into_owned());
        call.tool_id = Some(self.id.clone());
        call.params.clone_from(&plan.args);
        call.preview = Some(self.preview(&plan));
        self.visibility.admit(call, core).await
    }

    async fn prepare(&self, call: &CallRow, _: &mut Context<'_>) -> Result<Prepared, StoreError> {
        Ok(Sends::of(call.preview.as_ref()))
    }

    async fn execute(
        &self,
        call: &Stored<CallRow>,
        context: &mut Context<'_>,
    ) -> Result<Outcome, StoreError> {
        let (mut sender, may) = Sender::begin(call, context, &self.definition).await?;
        let value = match may {
            Ok(()) => match self.approved(sender.context.wallet.core, &call.record).await? {
                Ok(plan) => sender.value(self, &plan, "").await?,
                Err(refusal) => Err(refusal.failure.into()),
            },
            Err(halt) => Err(halt),
        };
        Ok(match sender.end(value).await? {
            Some(output) => Outcome::Ended(context.result(&self.definition, output)),
            None => Outcome::Suspended,
        })
    }

    async fn stage_cancelled(
        &self,
        core: &Core,
        call: &CallRow,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        note_cancelled(core, call, batch).await
    }
}

impl HttpTool {
    pub(super) fn new(about: About, record: Value) -> Self {
        let About { id, definition, per_minute, visibility, .. } = about;
        Self { id, definition, per_minute, visibility, record, plan: OnceCell::new() }
    }

    pub(super) const fn record(&self) -> &Value {
        &self.record
    }

    /// The request of a call: arguments checked, defaults filled in, templates expanded, the host among those allowed.
    pub(super) async fn plan(
        &self,
        core: &Core,
        args: &Map<String, Value>,
    ) -> Result<Result<Rc<HttpPlan>, Refusal>, StoreError> {
        if let Some(plan) = self.plan.get() {
            return Ok(Ok(Rc::clone(plan)));
        }
        let allowed_hosts = core.settings.read().await?.allowed_hosts;
        let (tool, args) = (self.record.clone(), Value::Object(args.clone()));
        let reply = core.ports.toolbox.ask(Request::Prepare { tool, args, allowed_hosts }).await;
        let refusal = match reply {
            Ok(Reply::Prepared(plan)) => return Ok(Ok(Rc::clone(self.plan.get_or_init(|| Rc::new(*plan))))),
            Ok(Reply::Validated { violations }) => violated(violations),
            Ok(_) => refused(ToolboxError::unavailable()).into(),
            Err(error) => refused(error).into(),
        };
        Ok(Err(refusal))
    }

    /// The request of a call that was approved, if it is still the same.
    async fn approved(
        &self,
        core: &Core,
        call: &CallRow,
    ) -> Result<Result<Rc<HttpPlan>, Refusal>, StoreError> {
        let plan = self.plan(core, &call.params).await?;
        let differs = |plan: &Rc<HttpPlan>| {
            call.preview.as_ref().is_some_and(|shown| shown.digest != digest(&[&plan.shown]))
        };
        Ok(match plan {
            Ok(plan) if differs(&plan) => Err(RunError::RequestChanged.into()),
            plan => plan,
        })
    }

    /// What the user is shown of a request.
    pub(super) fn preview(&self, plan: &HttpPlan) -> Preview {
        let RequestPieces { url, headers, body } = &plan.request;
        let shown = |body: &Vec<Piece>| {
            let mut text = masked(body);
            if text.len() > SHOWN {
                text.truncate(text.floor_char_boundary(SHOWN));
                text.push('\u{2026}');
            }
            text
        };
        Preview {
            tool: self.definition.name.clone().into_owned(),
            tool_id: self.id.clone(),
            host: plan.host.clone(),
            method: plan.method.clone(),
            url: masked(url),
            headers: headers.iter().map(|header| (header.name.clone(), masked(&header.value))).collect(),
            body: body.as_ref().map(shown),
            secrets: plan.secrets.clone(),
            digest: digest(&[&plan.shown]),
            steps: Vec::new(),
        }
    }

    /// What the user is shown of a step before its arguments are known.
    pub(super) async fn outline(&self, core: &Core) -> Preview {
        let shown = match core.ports.toolbox.ask(Request::Outline { tool: self.record.clone() }).await {
            Ok(Reply::Outlined(outline)) => *outline,
            Ok(_) | Err(_) => Preview::default(),
        };
        Preview { tool: self.definition.name.clone().into_owned(), tool_id: self.id.clone(), ..shown }
    }
}

/// Says in the audit log what became of a request of a call that ends where it stands.
pub(super) async fn note_cancelled(core: &Core, call: &CallRow, batch: &mut Batch) -> Result<(), StoreError> {
    let sending = Kept::read(core, &call.id).await?.run.sending;
    if sending.is_in_flight() {
        note(call, &sending, given_up(sending.is_idempotent), batch);
    }
    Ok(())
}

/// Where a call sends something. The user is asked about the call as it was journaled, with what it sends.
pub(super) struct Sends(Vec<Outbound>);

impl Sends {
    pub(super) fn of(preview: Option<&Preview>) -> Prepared {
        let mut outbound = Vec::new();
        preview.into_iter().for_each(|preview| gather(preview, &mut outbound));
        Prepared::Proposal(Box::new(Self(outbound)))
    }
}

/// Each host of a tool once.
fn gather(preview: &Preview, outbound: &mut Vec<Outbound>) {
    preview.steps.iter().for_each(|step| gather(step, outbound));
    let known = |known: &Outbound| known.tool_id == preview.tool_id && known.host == preview.host;
    if !preview.host.is_empty() && !outbound.iter().any(known) {
        outbound.push(Outbound {
            tool_id: preview.tool_id.clone(),
            host: preview.host.clone(),
            secrets: preview.secrets.clone(),
        });
    }
}

impl Proposal for Sends {
    fn to_sign(&self) -> Option<ToSign<'_>> {
        None
    }

    fn outbound(&self) -> &[Outbound] {
        &self.0
    }

    fn judged(&mut self, _: &Assessment, _: &mut Batch) {}

    fn shown(&self, call: &CallRow) -> Shown {
        Shown::call(call)
    }
}
