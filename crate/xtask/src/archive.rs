//! The package of the extension: the same bytes for the same files, whenever and wherever it is made.

use crate::project::{list, read};
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Packs what is in a folder, sorted by path, with one timestamp.
pub(crate) fn zip(folder: &Path, to: &Path) -> Result<()> {
    let file = File::create(to).with_context(|| format!("could not write {}", to.display()))?;
    let mut archive = ZipWriter::new(BufWriter::new(file));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    add(&mut archive, folder, "", options)?;
    archive.finish()?.flush()?;
    Ok(())
}

fn add<W: Write + std::io::Seek>(
    archive: &mut ZipWriter<W>,
    folder: &Path,
    prefix: &str,
    options: SimpleFileOptions,
) -> Result<()> {
    for path in list(folder)? {
        let name = path.file_name().and_then(|name| name.to_str()).context("a file name is not UTF-8")?;
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            add(archive, &path, &format!("{name}/"), options)?;
        } else {
            archive.start_file(name, options)?;
            archive.write_all(&read(&path)?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::zip;

    #[test]
    fn same_files_give_the_same_bytes() {
        let folder = std::env::temp_dir().join(format!("countersign-archive-{}", std::process::id()));
        let files = folder.join("files");
        std::fs::create_dir_all(files.join("icons")).unwrap();
        std::fs::write(files.join("b.js"), "b".repeat(1000)).unwrap();
        std::fs::write(files.join("icons/a.svg"), "a").unwrap();
        zip(&files, &folder.join("1.zip")).unwrap();
        // Written again, later: other times on disk.
        std::fs::write(files.join("b.js"), "b".repeat(1000)).unwrap();
        zip(&files, &folder.join("2.zip")).unwrap();
        let (first, second) = (std::fs::read(folder.join("1.zip")), std::fs::read(folder.join("2.zip")));
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(first.unwrap(), second.unwrap());
    }
}
