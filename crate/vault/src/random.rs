//! Randomness comes from the caller.

/// A source of unpredictable bytes.
pub trait Random {
    /// Fills all of `bytes`.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomnessError>;
}

/// The platform gave no randomness, so nothing is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this device gives no randomness")]
pub struct RandomnessError;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Counts up from its seed: the same bytes in every run, and no two equal within one.
    pub(crate) struct Counter(pub(crate) u8);

    impl Random for Counter {
        fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomnessError> {
            for byte in bytes {
                self.0 = self.0.wrapping_add(1);
                *byte = self.0;
            }
            Ok(())
        }
    }
}
