//! Turns `proto/` into Rust types, so that a field's number is written in one place.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proto");
    println!("cargo::rerun-if-changed={folder}");
    let files = protox::compile(["keysign.proto"], [folder])?;
    prost_build::Config::new().compile_fds(files)?;
    Ok(())
}
