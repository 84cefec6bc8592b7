//! Why something is not described, and why a pack is not taken.

use crate::bounds::{DESCRIPTOR_BYTES, INCLUDES_DEPTH, PACK_BYTES, PACK_FILES};
use derive::Code;
use wire::descriptor::DescriptorError;

/// Why a call or a message is not described. The codes stand in the diagnostics of a description.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum RenderError {
    /// No descriptor is bound to the contract or the domain.
    #[error("no descriptor is bound to this contract")]
    DescriptorNotFound,
    /// A descriptor is, and has no format for the function or the type.
    #[error("the descriptor does not describe this function or type")]
    FormatNotFound,
    /// Two formats for one function.
    #[error("the descriptor describes this function twice")]
    AmbiguousFormat,
    /// The arguments are not of the types that the descriptor says.
    #[error("the data is not of the types that the descriptor says")]
    UndecodableData,
    /// The request's own addresses or numbers cannot be read.
    #[error("the call or message cannot be read")]
    UnreadableInput,
    /// A field has a value that the descriptor excludes.
    #[error("a field has a value that the descriptor does not allow: {path}")]
    ValueNotAllowed {
        /// The field.
        path: String,
    },
    /// Nested too deep, or too many fields, or too much text.
    #[error("the description is too large")]
    DescriptionTooLarge,
    /// A field without a label, a format that does not exist, a parameter of another kind.
    #[error("the descriptor is not as ERC-7730 says: {problem}")]
    InvalidDescriptor {
        /// In which way.
        problem: String,
    },
}

/// What is left out of a description, or shown raw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum Degraded {
    /// A path leads nowhere.
    #[error("a field is not in the data")]
    ValueNotFound,
    /// A token that the wallet does not know: its amount is in the smallest unit.
    #[error("the wallet does not know the token")]
    #[code("token_not_known")]
    UnknownToken,
    /// A chain whose coin the wallet does not know.
    #[error("the wallet does not know the chain's coin")]
    UnknownCoin,
    /// A collection that the wallet does not know.
    #[error("the wallet does not know the collection")]
    UnknownCollection,
    /// A value of an enumeration that has no name.
    #[error("the descriptor has no name for a value")]
    UnknownEnumValue,
    /// A value that is not of the kind that the format is for.
    #[error("a value cannot be shown in the format that the descriptor wants")]
    UnfitFormat,
    /// The time of a block.
    #[error("the time of a block is not known")]
    UnknownBlockTime,
    /// A call inside the call that no descriptor speaks of.
    #[error("no descriptor speaks of a call inside this call")]
    NestedDescriptorNotFound,
    /// Too many calls inside one another.
    #[error("calls are nested too deep")]
    NestedTooDeep,
    /// A value that is encrypted.
    #[error("a value is encrypted")]
    EncryptedValue,
    /// The sentence cannot be made.
    #[error("the descriptor's sentence could not be made")]
    SentenceSkipped,
    /// A definition, constant or map that is not there.
    #[error("the descriptor refers to something that it does not have")]
    ReferenceNotFound,
}

impl Degraded {
    /// Whether what is shown is less than the descriptor wanted to show.
    pub(crate) const fn is_fallback(self) -> bool {
        !matches!(self, Self::SentenceSkipped)
    }
}

/// Why a pack is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum PackError {
    /// Not a request to this module.
    #[error("not a request to the module that reads descriptors")]
    #[code("malformed_request")]
    Malformed,
    /// A file that is not JSON.
    #[error("the file is not JSON: line {line} column {column}")]
    DescriptorNotJson {
        /// Its path.
        file: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// A file that is too long.
    #[error("a descriptor may have {DESCRIPTOR_BYTES} bytes")]
    DescriptorTooLarge {
        /// Its path.
        file: String,
    },
    /// Too many files, or too many bytes.
    #[error("a pack may have {PACK_FILES} files and {PACK_BYTES} bytes")]
    PackTooLarge,
    /// A file that includes one that is not in the pack.
    #[error("the file includes {included}, which is not in the pack")]
    IncludeNotFound {
        /// The including file.
        file: String,
        /// What it names.
        included: String,
    },
    /// Files that include one another in a circle, or too many in a row.
    #[error("files include one another in a circle, or more than {INCLUDES_DEPTH} in a row")]
    IncludesLoop {
        /// One of them.
        file: String,
    },
    /// A descriptor without formats, or with ones that are none.
    #[error("not a descriptor of ERC-7730: {problem}")]
    InvalidDescriptor {
        /// Its path.
        file: String,
        /// In which way.
        problem: String,
    },
    /// A version of the schema that is not read here.
    #[error("the descriptor is written for a version of ERC-7730 that cannot be read: {schema}")]
    UnsupportedDescriptorVersion {
        /// Its path.
        file: String,
        /// What it names.
        schema: String,
    },
    /// Nothing in it is bound to a contract.
    #[error("the pack has no descriptor that is bound to a contract or a domain")]
    EmptyPack,
}

impl From<PackError> for DescriptorError {
    fn from(error: PackError) -> Self {
        let path = match &error {
            PackError::DescriptorNotJson { file, .. }
            | PackError::DescriptorTooLarge { file }
            | PackError::IncludeNotFound { file, .. }
            | PackError::IncludesLoop { file }
            | PackError::InvalidDescriptor { file, .. }
            | PackError::UnsupportedDescriptorVersion { file, .. } => Some(file.clone()),
            PackError::Malformed | PackError::PackTooLarge | PackError::EmptyPack => None,
        };
        Self { code: error.code().to_owned(), message: error.to_string(), path }
    }
}
