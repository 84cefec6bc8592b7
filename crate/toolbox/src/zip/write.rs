//! Writing: the same files give the same bytes.

use super::read::is_dense;
use super::{CENTRAL_HEADER, DEFLATED, END_RECORD, LOCAL_HEADER, STORED, ZipError, ZipProblem, checksum};
use crate::bounds::{ARCHIVE_BYTES, ARCHIVE_ENTRIES, FILE_BYTES, UNPACKED_BYTES};
use miniz_oxide::deflate::compress_to_vec;
use std::collections::BTreeMap;

/// 1980-01-01, the first day there is.
const DATE: u16 = 1 << 5 | 1;
const LEVEL: u8 = 6;

/// Writes files, in the order of their names, which are ASCII. What [`super::entries`] would not read is refused.
pub(crate) fn write(files: &BTreeMap<String, String>) -> Result<Vec<u8>, ZipError> {
    if files.len() > ARCHIVE_ENTRIES {
        return Err(ZipProblem::TooManyEntries.into());
    }
    let (mut archive, mut directory, mut total) = (Vec::new(), Vec::new(), 0_usize);
    for (name, content) in files {
        let content = content.as_bytes();
        if content.len() > FILE_BYTES {
            return Err(ZipProblem::FileTooLong.of(name));
        }
        total = total.saturating_add(content.len());
        if total > UNPACKED_BYTES {
            return Err(ZipProblem::TooMuch.into());
        }
        let packed = compress_to_vec(content, LEVEL);
        let is_packed = packed.len() < content.len() && !is_dense(packed.len(), content.len());
        let (method, data) = if is_packed { (DEFLATED, packed.as_slice()) } else { (STORED, content) };
        let offset = length(&archive)?;
        let header = Header { method, crc: checksum(content), packed: length(data)?, size: length(content)? };
        put32(&mut archive, LOCAL_HEADER);
        header.put(&mut archive, name)?;
        put32(&mut directory, CENTRAL_HEADER);
        // What wrote it: the first kind of system, which has no rights of files.
        put16(&mut directory, 20);
        header.put(&mut directory, name)?;
        // No comment, the first disk, no attributes of either kind.
        directory.extend([0; 10]);
        put32(&mut directory, offset);
        for out in [&mut archive, &mut directory] {
            out.extend(name.as_bytes());
        }
        archive.extend(data);
    }
    let (start, size) = (length(&archive)?, length(&directory)?);
    archive.append(&mut directory);
    put32(&mut archive, END_RECORD);
    archive.extend([0; 4]);
    let count = u16::try_from(files.len()).map_err(|_| ZipProblem::TooManyEntries)?;
    put16(&mut archive, count);
    put16(&mut archive, count);
    put32(&mut archive, size);
    put32(&mut archive, start);
    put16(&mut archive, 0);
    if archive.len() > ARCHIVE_BYTES {
        return Err(ZipProblem::TooLong.into());
    }
    Ok(archive)
}

struct Header {
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
}

impl Header {
    /// What both headers have, from the version that can read it to the length of the extra fields.
    fn put(&self, out: &mut Vec<u8>, name: &str) -> Result<(), ZipProblem> {
        for field in [20, 0, self.method, 0, DATE] {
            put16(out, field);
        }
        for field in [self.crc, self.packed, self.size] {
            put32(out, field);
        }
        put16(out, u16::try_from(name.len()).map_err(|_| ZipProblem::UnsafeName)?);
        put16(out, 0);
        Ok(())
    }
}

fn put16(out: &mut Vec<u8>, value: u16) {
    out.extend(value.to_le_bytes());
}

fn put32(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_le_bytes());
}

fn length(bytes: &[u8]) -> Result<u32, ZipProblem> {
    u32::try_from(bytes.len()).map_err(|_| ZipProblem::TooLong)
}
