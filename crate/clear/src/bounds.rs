//! What a request may cost. Descriptors, calldata and typed data come from others.

/// Bytes of a descriptor's text.
pub const DESCRIPTOR_BYTES: usize = 512 << 10;
/// Descriptors of a pack.
pub const PACK_FILES: usize = 4_096;
/// Bytes of all files of a pack.
pub const PACK_BYTES: usize = 16 << 20;
/// Bytes of all descriptors of a pack with their includes merged.
pub const MERGED_BYTES: usize = 32 << 20;
/// How many files may include one another in a row.
pub const INCLUDES_DEPTH: usize = 8;
/// How deep groups of fields, tuples of a signature and structs of typed data may be nested.
pub const DEPTH: usize = 16;
/// How many calls may be nested in calls.
pub const CALLS_DEPTH: usize = 4;
/// Bytes of a key of `display.formats`.
pub const SIGNATURE_BYTES: usize = 16 << 10;
/// Types that a message may declare.
pub const TYPES: usize = 256;
/// Fields that are shown of one call or message, with those of calls inside.
pub const FIELDS: usize = 512;
/// Bytes of all labels and values.
pub const TEXT_BYTES: usize = 512 << 10;
/// Values that paths may visit.
pub const STEPS: usize = 200_000;
/// Segments of a path.
pub const SEGMENTS: usize = 32;
