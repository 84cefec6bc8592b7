//! What V8 says of a function that it compiled (`--trace-wasm-compilation-times`).

/// A function of a wasm module that was compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compilation {
    /// Names the module while it is loaded.
    pub module: String,
    /// The function's place in the module, imports counted.
    pub function: u32,
    /// `Liftoff` when it first runs, `TurboFan` when it runs often.
    pub compiler: String,
    /// Bytes of its body in the module.
    pub body: usize,
}

impl Compilation {
    /// Reads `Compiled function 0x1d#42 using Liftoff, took 28 μs and 13368 bytes; bodysize 9 codesize 112`.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (_, rest) = line.split_once("Compiled function ")?;
        let (name, rest) = rest.split_once(" using ")?;
        let (module, function) = name.split_once('#')?;
        let (compiler, rest) = rest.split_once(',')?;
        let (_, body) = rest.split_once("bodysize ")?;
        Some(Self {
            module: module.to_owned(),
            function: function.parse().ok()?,
            compiler: compiler.to_owned(),
            body: body.split(' ').next()?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Compilation;

    #[test]
    fn line_is_read() {
        let line = "Compiled function 0x129c000aed98#7 using Liftoff, took 28 μs and 13368 bytes; bodysize 9 codesize 112";
        let expected = Compilation {
            module: "0x129c000aed98".to_owned(),
            function: 7,
            compiler: "Liftoff".to_owned(),
            body: 9,
        };
        assert_eq!(Compilation::parse(line), Some(expected));
        assert_eq!(Compilation::parse("DevTools listening on ws://"), None);
    }
}
