//! Tools of several steps (T002-85): each step calls another tool, with arguments made of the call's and of what earlier
//! steps gave. One consent shows all of them; what a step gave is on disk before the next begins.

use super::error::RunError;
use super::http::{HttpTool, Sends, note_cancelled};
use super::send::{Halt, Sender};
use super::visible::Visibility;
use super::{About, Loaded, check_arguments, check_output, load, refused};
use crate::call::CallRow;
use crate::later::boxed_later;
use crate::store::{Batch, StoreError, Stored};
use crate::tool::{Admission, AnyTool, Category, Context, Definition, Outcome, Output, Prepared, Tool};
use crate::tools::show::{Found, find, find_by_id};
use crate::tools::{DisabledError, ToolStoreError, built_in, built_in_refusal};
use crate::{Awaited, Core, tool};
use async_trait::async_trait;
use derive::FromJson;
use serde_json::{Map, Value};
use wire::failure::Failure;
use wire::json::from_value;
use wire::tool::Preview;
use wire::toolbox::{Reply, Request, ToolboxError};

/// Tools of several steps may have such tools as steps, so deep.
const MAX_DEPTH: usize = 4;

/// A stored tool of several steps.
pub(super) struct StepsTool {
    id: String,
    definition: Definition,
    visibility: Visibility,
    steps: Vec<Step>,
    /// What the tool gives, as a template.
    output: Value,
    output_schema: Value,
}

struct Step {
    id: String,
    tool: Called,
    /// As a template.
    args: Value,
}

/// The tool of a step.
enum Called {
    Http(HttpTool),
    Steps(StepsTool),
    /// One that only reads what is stored.
    Function(AnyTool),
}

/// The block `impl` of a record.
#[derive(FromJson)]
struct Block {
    steps: Vec<StepRecord>,
    output: Value,
}

#[derive(FromJson)]
struct StepRecord {
    id: String,
    tool: String,
    args: Value,
}

impl StepsTool {
    /// The tool with those that it calls: by name, or those that the user was shown. `inside` are the tools that call it.
    pub(super) async fn load(
        core: &Core,
        about: About,
        mut record: Value,
        shown: &[Preview],
        inside: &[&str],
    ) -> Result<Result<Self, Failure>, StoreError> {
        let About { id, mut definition, visibility, .. } = about;
        let name = definition.name.clone().into_owned();
        if inside.contains(&name.as_str()) || inside.len() >= MAX_DEPTH {
            return Ok(Err(RunError::StepsNested { name }.into()));
        }
        let inside: Vec<&str> = inside.iter().copied().chain([name.as_str()]).collect();
        let block = record.get_mut("impl").map(Value::take).unwrap_or_default();
        let Ok(Block { steps: records, output }) = from_value(block) else {
            return Ok(Err(RunError::InvalidTool.into()));
        };
        let mut steps = Vec::with_capacity(records.len());
        for (place, StepRecord { id, tool, args }) in records.into_iter().enumerate() {
            let called = match called(core, &tool, shown.get(place), &inside).await? {
                Ok(called) => called,
                Err(failure) => return Ok(Err(of_step(&id, failure))),
            };
            // What one of them demands is not lost among the others.
            definition.requires_confirmation |= called.definition().requires_confirmation;
            steps.push(Step { id, tool: called, args });
        }
        let output_schema = record.get_mut("outputSchema").map(Value::take).unwrap_or_default();
        Ok(Ok(Self { id, definition, visibility, steps, output, output_schema }))
    }

    /// What each step sends.
    async fn preview(&self, core: &Core) -> Preview {
        let mut steps = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            steps.push(match &step.tool {
                Called::Http(tool) => tool.outline(core).await,
                Called::Steps(tool) => Box::pin(tool.preview(core)).await,
                Called::Function(tool) => {
                    let tool = tool.definition().name.clone().into_owned();
                    let tool_id = built_in::id_of_name(&tool).unwrap_or_default();
                    Preview { tool, tool_id, ..Preview::default() }
                }
            });
        }
        let tool = self.definition.name.clone().into_owned();
        Preview { tool, tool_id: self.id.clone(), steps, ..Preview::default() }
    }

    /// Runs the steps that are not done. `path` is where the tool stands among those that call it.
    fn run<'a>(
        &'a self,
        sender: &'a mut Sender<'_, '_>,
        args: Map<String, Value>,
        path: &'a str,
    ) -> Awaited<'a, Result<Result<Value, Halt>, StoreError>> {
        boxed_later(async move {
            let core = sender.context.wallet.core;
            let mut given = Map::new();
            for step in &self.steps {
                let place = [path, &step.id].concat();
                let value = match sender.kept.run.done.get(&place) {
                    Some(value) => value.clone(),
                    None => {
                        let args = match expand(core, &step.args, &args, &given).await {
                            Ok(Value::Object(args)) => args,
                            Ok(_) => return Ok(Err(of_step(&step.id, RunError::InvalidTool.into()).into())),
                            Err(failure) => return Ok(Err(of_step(&step.id, failure).into())),
                        };
                        let value = match step.run(sender, args, &place).await? {
                            Ok(value) => value,
                            Err(Halt::Failed(failure)) => return Ok(Err(of_step(&step.id, failure).into())),
                            Err(locked) => return Ok(Err(locked)),
                        };
                        sender.step_done(place, value.clone()).await?;
                        value
                    }
                };
                given.insert(step.id.clone(), value);
            }
            let value = match expand(core, &self.output, &args, &given).await {
                Ok(value) => value,
                Err(failure) => return Ok(Err(failure.into())),
            };
            Ok(check_output(core, &self.output_schema, value).await.map_err(Halt::from))
        })
    }
}

impl Step {
    async fn run(
        &self,
        sender: &mut Sender<'_, '_>,
        args: Map<String, Value>,
        place: &str,
    ) -> Result<Result<Value, Halt>, StoreError> {
        let core = sender.context.wallet.core;
        let output = match &self.tool {
            Called::Http(tool) => {
                return match tool.plan(core, &args).await? {
                    Ok(plan) => sender.value(tool, &plan, place).await,
                    Err(refusal) => Ok(Err(refusal.failure.into())),
                };
            }
            Called::Steps(tool) => match check_arguments(core, &tool.definition, args).await {
                Ok(args) => return tool.run(sender, args, &[place, "/"].concat()).await,
                Err(refusal) => return Ok(Err(refusal.failure.into())),
            },
            Called::Function(tool) => sender.call_function(tool, args).await?,
        };
        Ok(match output {
            Output::Data(value) => Ok(value),
            Output::Failed { error, .. } => Err(error.into()),
        })
    }
}

impl Called {
    fn definition(&self) -> &Definition {
        match self {
            Self::Http(tool) => &tool.definition,
            Self::Steps(tool) => &tool.definition,
            Self::Function(tool) => tool.definition(),
        }
    }
}

/// The tool of a step: a record by its name, or the one that the user was shown.
async fn called(
    core: &Core,
    name: &str,
    shown: Option<&Preview>,
    inside: &[&str],
) -> Result<Result<Called, Failure>, StoreError> {
    if let Some(function) = tool::built_in(name) {
        return Ok(match built_in_refusal(core, name).await? {
            Some(disabled) => Err(disabled.into()),
            None if !may_be_step(function) => Err(RunError::StepSigns { name: name.to_owned() }.into()),
            None => Ok(Called::Function(AnyTool::BuiltIn(function))),
        });
    }
    let found = match shown {
        Some(shown) => find_by_id(core, &shown.tool_id).await,
        None => find(core, name).await,
    };
    let found = match found {
        Ok(Some(Found { reason: Some(reason), .. })) => return Ok(Err(DisabledError::new(reason).into())),
        Ok(Some(found)) => found,
        Ok(None) => return Ok(Err(ToolStoreError::ToolNotFound.failure())),
        Err(ToolStoreError::Store(error)) => return Err(error),
        Err(error) => return Ok(Err(error.failure())),
    };
    let shown = shown.map(|shown| shown.steps.as_slice()).unwrap_or_default();
    Ok(match Box::pin(load(core, found, shown, inside)).await? {
        Ok(Loaded::Http(tool)) => Ok(Called::Http(tool)),
        Ok(Loaded::Steps(tool)) => Ok(Called::Steps(tool)),
        Ok(Loaded::Local(tool)) if may_be_step(&tool) => {
            Ok(Called::Function(AnyTool::Stored(Box::new(tool))))
        }
        Ok(Loaded::Internal(tool)) => Ok(Called::Function(AnyTool::Stored(Box::new(tool)))),
        Ok(Loaded::Local(_) | Loaded::Waiting(_) | Loaded::Mcp(_)) => {
            Err(RunError::StepSigns { name: name.to_owned() }.into())
        }
        Err(failure) => Err(failure),
    })
}

/// Only what reads: what signs or changes something is asked about by itself. Nor what is about an agent's own records: no
/// tool of the user's acts in a space that it names.
fn may_be_step(tool: &dyn Tool) -> bool {
    let definition = tool.definition();
    definition.category == Category::Read && !definition.own_records && !tool.acts_in_steps()
}

/// A built-in tool in a record that cannot be a step.
pub(in crate::tools) fn refused_step(record: &Map<String, Value>) -> Option<ToolboxError> {
    let steps = record.get("impl")?.get("steps")?.as_array()?;
    steps.iter().enumerate().find_map(|(place, step)| {
        let name = step.get("tool")?.as_str()?;
        tool::built_in(name).filter(|function| !may_be_step(*function))?;
        let error = RunError::StepSigns { name: name.to_owned() };
        let path = Some(["/impl/steps/", &place.to_string(), "/tool"].concat());
        Some(ToolboxError { code: error.code().to_owned(), message: error.to_string(), path })
    })
}

/// The failure of a step, with its id in front.
fn of_step(id: &str, failure: Failure) -> Failure {
    let message = ["step ", id, ": ", failure.message().unwrap_or_default()].concat();
    Failure::new(failure.code().to_owned(), message)
}

/// Fills a template with the arguments of the call and what steps gave.
async fn expand(
    core: &Core,
    template: &Value,
    args: &Map<String, Value>,
    given: &Map<String, Value>,
) -> Result<Value, Failure> {
    let mut scope = Map::new();
    scope.insert("args".to_owned(), Value::Object(args.clone()));
    scope.insert("steps".to_owned(), Value::Object(given.clone()));
    let request = Request::Expand { template: template.clone(), scope: Value::Object(scope) };
    match core.ports.toolbox.ask(request).await {
        Ok(Reply::Expanded { value }) => Ok(value),
        Ok(_) => Err(refused(ToolboxError::unavailable())),
        Err(error) => Err(refused(error)),
    }
}

#[async_trait(?Send)]
impl Tool for StepsTool {
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
        match check_arguments(core, &self.definition, std::mem::take(&mut call.params)).await {
            Ok(args) => call.params = args,
            Err(refusal) => return Ok(Err(refusal)),
        }
        call.tool = Some(self.definition.name.clone().into_owned());
        call.tool_id = Some(self.id.clone());
        call.preview = Some(self.preview(core).await);
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
            Ok(()) => self.run(&mut sender, call.record.params.clone(), "").await?,
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
