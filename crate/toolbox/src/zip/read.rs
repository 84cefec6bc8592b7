//! Reading: the directory first, then each file when it is asked for.

use super::{
    CENTRAL_HEADER, DEFLATED, DESCRIPTOR, END_BYTES, END_LOCATOR_64, END_RECORD, LOCAL_HEADER, STORED,
    ZipError, ZipProblem, checksum,
};
use crate::bounds::{
    ARCHIVE_BYTES, ARCHIVE_ENTRIES, DENSE_BYTES, FILE_BYTES, FILE_NAME_BYTES, INFLATE_RATIO, UNPACKED_BYTES,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// A file or folder of an archive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// Its path, with `/` between folders, and behind the last for a folder.
    pub(crate) name: &'a str,
    header: Header,
    data: &'a [u8],
}

/// What both headers say of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    flags: u16,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
}

const ENCRYPTED: u16 = 1;
const HAS_DESCRIPTOR: u16 = 1 << 3;
const STRONGLY_ENCRYPTED: u16 = 1 << 6;
const MASKED_HEADERS: u16 = 1 << 13;
/// Options of deflate, a descriptor, a name in UTF-8.
const KNOWN_FLAGS: u16 = 0b110 | HAS_DESCRIPTOR | 1 << 11;

/// What is left to be read.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// From a place of the archive to its end.
    fn at(archive: &'a [u8], offset: usize) -> Option<Self> {
        archive.get(offset..).map(Self)
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u16::from_le_bytes(*taken))
    }

    fn u32(&mut self) -> Option<u32> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*taken))
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(drop)
    }

    /// `None` where something else stands.
    fn expect(&mut self, signature: u32) -> Option<()> {
        (self.u32()? == signature).then_some(())
    }

    /// The fields that both headers have, from the flags to the size. The time is not read.
    fn header(&mut self) -> Option<Header> {
        let (flags, method) = (self.u16()?, self.u16()?);
        self.skip(4)?;
        Some(Header { flags, method, crc: self.u32()?, packed: self.u32()?, size: self.u32()? })
    }
}

/// A file's bytes in the archive, from its local header to what follows its data.
struct Span {
    start: usize,
    end: usize,
}

/// Reads the directory: files and folders in the order of their names. Nothing is inflated, but every rule is checked that
/// needs no inflating.
pub(crate) fn entries<'a>(archive: &'a [u8]) -> Result<Vec<Entry<'a>>, ZipError> {
    if archive.len() > ARCHIVE_BYTES {
        return Err(ZipProblem::TooLong.into());
    }
    let Directory { count, start, mut bytes } = directory(archive)?;
    let (mut entries, mut spans) = (Vec::new(), Vec::new());
    let mut total = 0_usize;
    for _ in 0..count {
        let central = central(&mut bytes).ok_or(ZipProblem::Damaged)?;
        let name = str::from_utf8(central.name).map_err(|_| ZipProblem::NameNotText)?;
        // What stands in a message is bounded, and one line.
        check_name(name)?;
        let of = |problem: ZipProblem| problem.of(name);
        check(&central).map_err(of)?;
        total = total.saturating_add(central.header.size as usize);
        if total > UNPACKED_BYTES {
            return Err(ZipProblem::TooMuch.into());
        }
        let (data, span) = local(archive, &central).map_err(of)?;
        entries.push(Entry { name, header: central.header, data });
        spans.push(span);
    }
    if !bytes.0.is_empty() {
        return Err(ZipProblem::LooseBytes.into());
    }
    // A file and a folder of one name are the same name.
    let path = |entry: &Entry<'a>| entry.name.trim_end_matches('/');
    entries.sort_unstable_by_key(path);
    for (entry, next) in entries.iter().zip(entries.iter().skip(1)) {
        if path(entry) == path(next) {
            return Err(ZipProblem::SameName.of(next.name));
        }
    }
    spans.sort_unstable_by_key(|span| span.start);
    let mut end = 0;
    for span in &spans {
        if span.start != end {
            return Err(ZipProblem::LooseBytes.into());
        }
        end = span.end;
    }
    if end != start {
        return Err(ZipProblem::LooseBytes.into());
    }
    Ok(entries)
}

/// Where the central headers are.
struct Directory<'a> {
    count: u16,
    start: usize,
    bytes: Bytes<'a>,
}

fn directory(archive: &[u8]) -> Result<Directory<'_>, ZipProblem> {
    let end = find_end(archive).ok_or(ZipProblem::NoEnd)?;
    let fields = |mut bytes: Bytes<'_>| {
        bytes.expect(END_RECORD)?;
        let (disk, first, here, all) = (bytes.u16()?, bytes.u16()?, bytes.u16()?, bytes.u16()?);
        Some((disk, first, here, all, bytes.u32()?, bytes.u32()?))
    };
    let (disk, first, here, count, size, start) =
        Bytes::at(archive, end).and_then(fields).ok_or(ZipProblem::NoEnd)?;
    let locator = end.checked_sub(20).and_then(|place| Bytes::at(archive, place));
    let has_locator = locator.is_some_and(|mut bytes| bytes.expect(END_LOCATOR_64).is_some());
    if has_locator || count == u16::MAX || size == u32::MAX || start == u32::MAX {
        return Err(ZipProblem::Zip64);
    }
    if disk != 0 || first != 0 || here != count {
        return Err(ZipProblem::Split);
    }
    if usize::from(count) > ARCHIVE_ENTRIES {
        return Err(ZipProblem::TooManyEntries);
    }
    let (start, size) = (start as usize, size as usize);
    match start.checked_add(size) {
        Some(behind) if behind == end => {}
        Some(behind) if behind < end => return Err(ZipProblem::LooseBytes),
        _ => return Err(ZipProblem::Damaged),
    }
    let bytes = archive.get(start..end).ok_or(ZipProblem::Damaged)?;
    Ok(Directory { count, start, bytes: Bytes(bytes) })
}

/// The last end record whose comment ends with the archive.
fn find_end(archive: &[u8]) -> Option<usize> {
    let last = archive.len().checked_sub(END_BYTES)?;
    (last.saturating_sub(usize::from(u16::MAX))..=last).rev().find(|&place| {
        let is_end = |mut bytes: Bytes<'_>| {
            bytes.expect(END_RECORD)?;
            bytes.skip(16)?;
            let comment = usize::from(bytes.u16()?);
            (bytes.0.len() == comment).then_some(())
        };
        Bytes::at(archive, place).and_then(is_end).is_some()
    })
}

/// A header of the directory.
struct Central<'a> {
    header: Header,
    name: &'a [u8],
    extra: &'a [u8],
    disk: u16,
    attributes: u32,
    offset: u32,
}

fn central<'a>(bytes: &mut Bytes<'a>) -> Option<Central<'a>> {
    bytes.expect(CENTRAL_HEADER)?;
    // The versions that wrote it, and that can read it: flags and method say it better.
    bytes.skip(4)?;
    let header = bytes.header()?;
    let (name, extra, comment) = (bytes.u16()?, bytes.u16()?, bytes.u16()?);
    let disk = bytes.u16()?;
    bytes.skip(2)?;
    let (attributes, offset) = (bytes.u32()?, bytes.u32()?);
    let (name, extra) = (bytes.take(name.into())?, bytes.take(extra.into())?);
    bytes.skip(comment.into())?;
    Some(Central { header, name, extra, disk, attributes, offset })
}

/// What needs nothing but the directory.
fn check(central: &Central<'_>) -> Result<(), ZipProblem> {
    let Header { flags, method, packed, size, .. } = central.header;
    if flags & (ENCRYPTED | STRONGLY_ENCRYPTED | MASKED_HEADERS) != 0 {
        return Err(ZipProblem::Encrypted);
    }
    if central.offset == u32::MAX || packed == u32::MAX || size == u32::MAX || has_zip64(central.extra) {
        return Err(ZipProblem::Zip64);
    }
    if central.disk != 0 {
        return Err(ZipProblem::Split);
    }
    if flags & !KNOWN_FLAGS != 0 || !matches!(method, STORED | DEFLATED) {
        return Err(ZipProblem::Method);
    }
    // The type of a file in Unix, a regular one or a folder; zero where the writer has none.
    if !matches!(central.attributes >> 28, 0 | 8 | 4) {
        return Err(ZipProblem::NotAFile);
    }
    let (packed, size) = (packed as usize, size as usize);
    if size > FILE_BYTES {
        return Err(ZipProblem::FileTooLong);
    }
    match method {
        STORED if packed != size => Err(ZipProblem::Contradiction),
        DEFLATED if is_dense(packed, size) => Err(ZipProblem::TooDense),
        _ => Ok(()),
    }
}

/// Whether a file is packed more densely than is read.
pub(super) fn is_dense(packed: usize, size: usize) -> bool {
    size > DENSE_BYTES && size / INFLATE_RATIO >= packed
}

/// Whether extra fields are those of ZIP64. What follows the last whole field is padding.
fn has_zip64(extra: &[u8]) -> bool {
    let mut bytes = Bytes(extra);
    let mut next = || {
        let (id, size) = (bytes.u16()?, bytes.u16()?);
        bytes.skip(size.into())?;
        Some(id)
    };
    std::iter::from_fn(&mut next).any(|id| id == 1)
}

/// One path below the folder that it is read in, on every system.
fn check_name(name: &str) -> Result<(), ZipProblem> {
    let path = name.strip_suffix('/').unwrap_or(name);
    let is_step = |step: &str| !matches!(step, "" | "." | "..");
    let is_odd = |letter: char| letter.is_control() || matches!(letter, '\\' | ':');
    match name.len() <= FILE_NAME_BYTES && path.split('/').all(is_step) && !name.contains(is_odd) {
        true => Ok(()),
        false => Err(ZipProblem::UnsafeName),
    }
}

/// A file's data, by its local header, which must say what the directory says.
fn local<'a>(archive: &'a [u8], central: &Central<'_>) -> Result<(&'a [u8], Span), ZipProblem> {
    let start = central.offset as usize;
    let mut bytes = Bytes::at(archive, start).ok_or(ZipProblem::Damaged)?;
    let read = |bytes: &mut Bytes<'a>| {
        bytes.expect(LOCAL_HEADER)?;
        bytes.skip(2)?;
        let header = bytes.header()?;
        let (name, extra) = (bytes.u16()?, bytes.u16()?);
        Some((header, bytes.take(name.into())?, bytes.take(extra.into())?))
    };
    let (header, name, extra) = read(&mut bytes).ok_or(ZipProblem::Damaged)?;
    if has_zip64(extra) {
        return Err(ZipProblem::Zip64);
    }
    let expected = central.header;
    let has_descriptor = expected.flags & HAS_DESCRIPTOR != 0;
    // Where a descriptor follows, the writer did not know these yet.
    let unknown = Header { crc: 0, packed: 0, size: 0, ..expected };
    if name != central.name || (header != expected && !(has_descriptor && header == unknown)) {
        return Err(ZipProblem::Contradiction);
    }
    let data = bytes.take(expected.packed as usize).ok_or(ZipProblem::Damaged)?;
    if has_descriptor {
        bytes = descriptor(bytes, expected).ok_or(ZipProblem::Contradiction)?;
    }
    Ok((data, Span { start, end: archive.len() - bytes.0.len() }))
}

/// What follows a descriptor, with its signature or without.
fn descriptor(bytes: Bytes<'_>, expected: Header) -> Option<Bytes<'_>> {
    let mut signed = bytes;
    let signed = signed.expect(DESCRIPTOR).and_then(|()| sums(signed, expected));
    signed.or_else(|| sums(bytes, expected))
}

/// What follows checksum and sizes, if they are those that are expected.
fn sums(mut bytes: Bytes<'_>, expected: Header) -> Option<Bytes<'_>> {
    let told = (bytes.u32()?, bytes.u32()?, bytes.u32()?);
    (told == (expected.crc, expected.packed, expected.size)).then_some(bytes)
}

impl Entry<'_> {
    /// Whether it is a folder.
    pub(crate) fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }

    /// The content. The buffer has the declared size: inflating ends where it is full.
    pub(crate) fn content(&self) -> Result<Vec<u8>, ZipError> {
        let content = match self.header.method {
            STORED => self.data.to_vec(),
            _ => inflate(self.data, self.header.size as usize).map_err(|problem| problem.of(self.name))?,
        };
        match checksum(&content) == self.header.crc {
            true => Ok(content),
            false => Err(ZipProblem::Checksum.of(self.name)),
        }
    }
}

fn inflate(packed: &[u8], size: usize) -> Result<Vec<u8>, ZipProblem> {
    let mut content = vec![0; size];
    let mut state = Box::<DecompressorOxide>::default();
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, read, written) = decompress(&mut state, packed, &mut content, 0, flags);
    match status == TINFLStatus::Done && read == packed.len() && written == size {
        true => Ok(content),
        false => Err(ZipProblem::BadData),
    }
}
