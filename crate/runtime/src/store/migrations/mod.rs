//! One file a step.

pub(super) mod v001_first_tables;
pub(super) mod v002_coins;
pub(super) mod v003_vaults;
pub(super) mod v004_runs;
pub(super) mod v005_deadlines;
pub(super) mod v006_settled_prompts;
pub(super) mod v007_open_prompts;
pub(super) mod v008_backends;
pub(super) mod v009_tools;
pub(super) mod v010_tool_system;
pub(super) mod v011_dapps;
