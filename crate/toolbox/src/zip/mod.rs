//! ZIP, as far as a bundle of tools needs it (APPNOTE 6.3, without ZIP64).
//!
//! ```text
//! { local header, name, extra, data [, descriptor] }*  { central header, name, extra, comment }*  end record, comment
//! ```
//!
//! An archive says most things twice, and readers differ in what they believe. Here both must say the same, and every byte
//! must belong to something: what one reader sees is then what all see. What could take much memory is refused by what the
//! directory declares, before a byte is inflated, and inflating ends where the declared size does.

mod read;
mod write;

pub(crate) use read::{Entry, entries};
pub(crate) use write::write;

use crate::bounds::{ARCHIVE_BYTES, ARCHIVE_ENTRIES, FILE_BYTES, FILE_NAME_BYTES, UNPACKED_BYTES};
use derive::Code;

/// Why an archive is not read, or not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum ZipProblem {
    /// More bytes than an archive may have.
    #[error("an archive may have {ARCHIVE_BYTES} bytes")]
    #[code("archive_too_large")]
    TooLong,
    /// More entries than an archive may have.
    #[error("an archive may have {ARCHIVE_ENTRIES} files and folders")]
    #[code("archive_too_large")]
    TooManyEntries,
    /// A file that is longer than a tool can be.
    #[error("a file may have {FILE_BYTES} bytes")]
    #[code("archive_too_large")]
    FileTooLong,
    /// All files together.
    #[error("all files together may have {UNPACKED_BYTES} bytes")]
    #[code("archive_too_large")]
    TooMuch,
    /// A file that is far smaller in the archive than outside, as no file of a bundle is.
    #[error("the file is packed more densely than any tool: it may be made to fill the memory")]
    #[code("archive_too_large")]
    TooDense,
    /// No end record.
    #[error("not a ZIP, or its end is missing")]
    #[code("invalid_archive")]
    NoEnd,
    /// A header is cut, or where one should be is something else.
    #[error("the archive is damaged, or a part of it is missing")]
    #[code("invalid_archive")]
    Damaged,
    /// Bytes that belong to no file, or to two.
    #[error("the archive has bytes that belong to no file, or to two")]
    #[code("invalid_archive")]
    LooseBytes,
    /// The two headers of a file differ.
    #[error("the archive says two different things about the file")]
    #[code("invalid_archive")]
    Contradiction,
    /// Two entries of one name.
    #[error("there are two files of this name")]
    #[code("invalid_archive")]
    SameName,
    /// A name that is no text.
    #[error("the name of a file is not UTF-8")]
    #[code("invalid_archive")]
    NameNotText,
    /// A name that leads out of the folder, or is none on some systems.
    #[error("a name may have {FILE_NAME_BYTES} bytes, and must not lead out of the folder")]
    #[code("invalid_archive")]
    UnsafeName,
    /// A link, a device, a socket.
    #[error("this is a link or a device, not a file")]
    #[code("invalid_archive")]
    NotAFile,
    /// The packed data are damaged, or are of another length than the archive says.
    #[error("the packed file is damaged")]
    #[code("invalid_archive")]
    BadData,
    /// The content is not what was packed.
    #[error("the file is damaged: its checksum is another")]
    #[code("invalid_archive")]
    Checksum,
    /// Sizes of 64 bits, which nothing here needs.
    #[error("the archive is a ZIP64, which a bundle of tools never needs")]
    #[code("unsupported_archive")]
    Zip64,
    /// An archive of several parts.
    #[error("the archive is one part of several")]
    #[code("unsupported_archive")]
    Split,
    /// A file that a password opens.
    #[error("the file is encrypted")]
    #[code("unsupported_archive")]
    Encrypted,
    /// Neither stored nor deflated.
    #[error("the file is packed in a way that cannot be read: only store and deflate can")]
    #[code("unsupported_archive")]
    Method,
}

/// A problem and the file it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ZipError {
    /// Its name in the archive; none where the whole archive is meant, or the name cannot be told.
    pub(crate) file: Option<String>,
    /// What is wrong.
    pub(crate) problem: ZipProblem,
}

impl From<ZipProblem> for ZipError {
    fn from(problem: ZipProblem) -> Self {
        Self { file: None, problem }
    }
}

impl ZipProblem {
    /// About a file.
    fn of(self, name: &str) -> ZipError {
        ZipError { file: Some(name.to_owned()), problem: self }
    }
}

const LOCAL_HEADER: u32 = 0x0403_4b50;
const DESCRIPTOR: u32 = 0x0807_4b50;
const CENTRAL_HEADER: u32 = 0x0201_4b50;
const END_RECORD: u32 = 0x0605_4b50;
const END_LOCATOR_64: u32 = 0x0706_4b50;
const END_BYTES: usize = 22;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// CRC-32 of IEEE 802.3, a byte at a time.
fn checksum(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    !bytes.iter().fold(!0, |crc: u32, byte| {
        let index = usize::from(crc.to_le_bytes()[0] ^ byte);
        (crc >> 8) ^ TABLE.get(index).copied().unwrap_or_default()
    })
}

#[expect(clippy::indexing_slicing, reason = "runs when compiled")]
const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn checksums_are_those_of_zip() {
        assert_eq!(checksum(b""), 0);
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(&[0; 32]), 0x190a_55ad);
    }
}
