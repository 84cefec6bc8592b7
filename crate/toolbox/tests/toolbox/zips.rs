//! Archives in which every field can be a lie.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_toolbox::answer;
use miniz_oxide::deflate::compress_to_vec;
use wire::archive::FileProblem;
use wire::toolbox::{Reply, Request, UnpackedBundle};

/// A file of an archive: its content, and what the headers say of it.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) name: Vec<u8>,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) data: Vec<u8>,
    pub(crate) crc: u32,
    pub(crate) packed: u32,
    pub(crate) size: u32,
    pub(crate) extra: Vec<u8>,
    pub(crate) attributes: u32,
    pub(crate) disk: u16,
    /// Where it is told to be.
    pub(crate) offset: Option<u32>,
    /// What the local header says instead.
    pub(crate) local: Option<Box<Self>>,
    /// What follows the data.
    pub(crate) descriptor: Vec<u8>,
}

pub(crate) fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    })
}

impl File {
    /// Without compression.
    pub(crate) fn stored(name: &str, content: &[u8]) -> Self {
        let length = u32::try_from(content.len()).expect("short");
        Self {
            name: name.into(),
            flags: 0,
            method: 0,
            data: content.to_vec(),
            crc: crc(content),
            packed: length,
            size: length,
            extra: Vec::new(),
            attributes: 0,
            disk: 0,
            offset: None,
            local: None,
            descriptor: Vec::new(),
        }
    }

    /// Deflated.
    pub(crate) fn deflated(name: &str, content: &[u8]) -> Self {
        let data = compress_to_vec(content, 9);
        let packed = u32::try_from(data.len()).expect("short");
        Self { method: 8, data, packed, ..Self::stored(name, content) }
    }

    /// The same with something changed.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The same with something else in the local header.
    pub(crate) fn with_local(mut self, change: impl FnOnce(&mut Self)) -> Self {
        self.local = Some(Box::new(self.clone().with(change)));
        self
    }

    fn put_fields(&self, out: &mut Vec<u8>) {
        for field in [20, self.flags, self.method, 0x6000, 0x5000] {
            out.extend(u16::to_le_bytes(field));
        }
        for field in [self.crc, self.packed, self.size] {
            out.extend(field.to_le_bytes());
        }
        for length in [self.name.len(), self.extra.len()] {
            out.extend(u16::try_from(length).expect("short").to_le_bytes());
        }
    }
}

/// An archive, and what its end says of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Zip {
    pub(crate) files: Vec<File>,
    pub(crate) before: Vec<u8>,
    /// Between the files and the directory.
    pub(crate) between: Vec<u8>,
    /// Between the directory and its end.
    pub(crate) behind: Vec<u8>,
    pub(crate) count: Option<u16>,
    pub(crate) directory_size: Option<u32>,
    pub(crate) directory_start: Option<u32>,
    pub(crate) disk: u16,
    pub(crate) comment: Vec<u8>,
}

impl Zip {
    pub(crate) fn of(files: Vec<File>) -> Self {
        Self { files, ..Self::default() }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let (mut out, mut directory) = (self.before.clone(), Vec::new());
        for file in &self.files {
            let offset = file.offset.unwrap_or(u32::try_from(out.len()).expect("short"));
            let local = file.local.as_deref().unwrap_or(file);
            out.extend(0x0403_4b50_u32.to_le_bytes());
            local.put_fields(&mut out);
            out.extend(local.name.iter().chain(&local.extra).chain(&file.data).chain(&file.descriptor));
            directory.extend(0x0201_4b50_u32.to_le_bytes());
            directory.extend(0x031e_u16.to_le_bytes());
            file.put_fields(&mut directory);
            for field in [0, file.disk, 0] {
                directory.extend(field.to_le_bytes());
            }
            directory.extend(file.attributes.to_le_bytes());
            directory.extend(offset.to_le_bytes());
            directory.extend(file.name.iter().chain(&file.extra));
        }
        out.extend(&self.between);
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("short");
        let (start, size) = (length(&out), length(&directory));
        out.extend(directory);
        out.extend(&self.behind);
        out.extend(0x0605_4b50_u32.to_le_bytes());
        let count = self.count.unwrap_or(u16::try_from(self.files.len()).expect("short"));
        for field in [self.disk, 0, count, count] {
            out.extend(field.to_le_bytes());
        }
        out.extend(self.directory_size.unwrap_or(size).to_le_bytes());
        out.extend(self.directory_start.unwrap_or(start).to_le_bytes());
        out.extend(u16::try_from(self.comment.len()).expect("short").to_le_bytes());
        out.extend(&self.comment);
        out
    }
}

pub(crate) fn unpack_reply(archive: &[u8]) -> Reply {
    let reserved = vec!["add_coin".to_owned(), "get_address_book".to_owned()];
    answer(Request::UnpackBundle { base64: STANDARD.encode(archive), reserved })
}

pub(crate) fn unpacked(archive: &[u8]) -> UnpackedBundle {
    match unpack_reply(archive) {
        Reply::Unpacked(bundle) => bundle,
        other => panic!("was not unpacked: {other:#?}"),
    }
}

pub(crate) fn problems(archive: &[u8]) -> Vec<FileProblem> {
    match unpack_reply(archive) {
        Reply::Problems { problems } => {
            assert!(!problems.is_empty());
            problems
        }
        other => panic!("was unpacked: {other:#?}"),
    }
}
