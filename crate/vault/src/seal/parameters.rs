//! How much work a password's hash is.

use super::SealError;
use argon2::{Algorithm, Argon2, Block, Params, Version};
use std::ops::RangeInclusive;
use zeroize::Zeroizing;

/// What is done at most when a container is opened, and at least: 8 to 256 MiB, 1 to 20 passes. A container comes from
/// outside; without bounds it could take all memory, or hours.
const MEMORY_KIB: RangeInclusive<u32> = 8 << 10..=256 << 10;
const PASSES: RangeInclusive<u32> = 1..=20;

/// How long opening a vault should take.
const TARGET_MILLIS: u32 = 500;

/// The cost of Argon2id. One lane: there are no threads in the browser to fill more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameters {
    pub(super) memory_kib: u32,
    pub(super) passes: u32,
    pub(super) lanes: u32,
}

impl Parameters {
    /// Nothing is sealed with less: 64 MiB, three passes, the second recommendation of RFC 9106 in one lane.
    pub const MINIMUM: Self = Self { memory_kib: 64 << 10, passes: 3, lanes: 1 };

    /// Small enough for tests that seal often.
    #[cfg(test)]
    pub(crate) const QUICK: Self = Self { memory_kib: *MEMORY_KIB.start(), passes: 1, lanes: 1 };

    /// What takes about half a second on a device where [`Self::MINIMUM`] took `millis`: more passes, since memory is
    /// what a device may not have.
    pub fn chosen_for(millis: u32) -> Self {
        let passes = Self::MINIMUM.passes.saturating_mul(TARGET_MILLIS) / millis.max(1);
        Self { passes: passes.clamp(Self::MINIMUM.passes, *PASSES.end()), ..Self::MINIMUM }
    }

    /// Parameters of a container.
    pub(super) fn checked(memory_kib: u32, passes: u32, lanes: u32) -> Result<Self, SealError> {
        let fits = MEMORY_KIB.contains(&memory_kib) && PASSES.contains(&passes) && lanes == 1;
        fits.then_some(Self { memory_kib, passes, lanes }).ok_or(SealError::Parameters)
    }

    /// Whether it is less than [`Self::MINIMUM`].
    pub const fn needs_upgrade(&self) -> bool {
        self.memory_kib < Self::MINIMUM.memory_kib || self.passes < Self::MINIMUM.passes
    }

    /// The key of a password. Its memory is asked for, so that a device without it can say so, and wiped.
    pub(super) fn key(&self, password: &str, salt: &[u8]) -> Result<Zeroizing<[u8; 32]>, SealError> {
        let params = Params::new(self.memory_kib, self.passes, self.lanes, Some(32));
        let params = params.map_err(|_| SealError::Parameters)?;
        let mut blocks: Zeroizing<Vec<Block>> = Zeroizing::new(Vec::new());
        blocks.try_reserve_exact(params.block_count()).map_err(|_| SealError::Memory)?;
        blocks.resize(params.block_count(), Block::new());
        let mut key = Zeroizing::new([0; 32]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into_with_memory(
                password.as_bytes(),
                salt,
                key.as_mut_slice(),
                blocks.as_mut_slice(),
            )
            .map_err(|_| SealError::Parameters)?;
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use argon2::{AssociatedData, ParamsBuilder};
    use chains::encoding::hex;

    /// The vector of RFC 9106, section 5.3: what is under our parameters is Argon2id.
    #[test]
    fn the_vector_of_the_specification() {
        let mut params = ParamsBuilder::new();
        params.m_cost(32).t_cost(3).p_cost(4).data(AssociatedData::new(&[4; 12]).unwrap());
        let params = params.build().unwrap();
        let argon2 = Argon2::new_with_secret(&[3; 8], Algorithm::Argon2id, Version::V0x13, params).unwrap();
        let mut tag = [0; 32];
        argon2.hash_password_into(&[1; 32], &[2; 16], &mut tag).unwrap();
        assert_eq!(hex(&tag), "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
    }

    #[test]
    fn slow_devices_do_the_least_and_fast_ones_more() {
        let passes = |millis| Parameters::chosen_for(millis).passes;
        assert_eq!([0, 1, 75, 100, 250, 300, 501, u32::MAX].map(passes), [20, 20, 20, 15, 6, 5, 3, 3]);
        assert!([0, 250, u32::MAX].into_iter().all(|millis| !Parameters::chosen_for(millis).needs_upgrade()));
        assert!(Parameters::QUICK.needs_upgrade());
    }

    #[test]
    fn what_would_exhaust_a_device_is_refused() {
        let refused = Err(SealError::Parameters);
        for (memory, passes, lanes) in [
            (8191, 3, 1),
            (262_145, 3, 1),
            (u32::MAX, 3, 1),
            (65_536, 0, 1),
            (65_536, 21, 1),
            (65_536, u32::MAX, 1),
            (65_536, 3, 0),
            (65_536, 3, 2),
        ] {
            assert_eq!(Parameters::checked(memory, passes, lanes), refused, "{memory} {passes} {lanes}");
        }
        assert_eq!(Parameters::checked(65_536, 3, 1), Ok(Parameters::MINIMUM));
    }
}
