//! Records of tools and bundles: what the body of a PUT must be, and what is stored of it (specification 002).
//!
//! All errors are told at once, each with its place in the body. Fields that have no meaning are ignored and not stored.

mod auth;
mod bundle;
mod check;
mod config;
mod hosts;
mod http;
mod name;
mod outside;
mod steps;
mod tool;

pub(crate) use auth::{Auth, KeyPlace, SIGNED, secret_name};
pub(crate) use bundle::{check_bundle, refuse_built_in};
pub(crate) use check::{Check, Fields, RecordError};
pub(crate) use config::check_config;
pub(crate) use hosts::check_hosts;
pub(crate) use http::{ArgumentsPlace, BodyKind, HttpRecord, HttpTool, body_kind};
pub(crate) use name::{is_header, is_uuid_v7, label, name_of};
pub(crate) use tool::{SCHEMA_VERSION, Submitted, arguments_of, check_tool};
