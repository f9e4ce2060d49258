//! The bytes of a file, or why there are none, in plain words.

use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Reads a file that is not larger than the limit.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let cannot = |error: Error| {
        Diagnostic::new(Code::FILE, None, format!("`{}` cannot be read: {}", path.display(), reason(&error)))
    };
    let file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.is_dir() {
        return Err(cannot(ErrorKind::IsADirectory.into()));
    }
    let limit = limits::FILE_BYTES as u64;
    let mut bytes = Vec::new();
    if metadata.len() <= limit {
        bytes.reserve_exact(metadata.len() as usize + 1);
        // A pipe has no length, and a file may grow.
        file.take(limit + 1).read_to_end(&mut bytes).map_err(cannot)?;
    }
    if metadata.len() > limit || bytes.len() as u64 > limit {
        return Err(too_large(&path.display().to_string()));
    }
    Ok(bytes)
}

pub fn too_large(name: &str) -> Diagnostic {
    let limit = limits::FILE_BYTES >> 20;
    Diagnostic::new(Code::TOO_LARGE, None, format!("`{name}` is larger than {limit} MiB"))
}

fn reason(error: &Error) -> String {
    let words = match error.kind() {
        ErrorKind::NotFound => "there is no such file",
        ErrorKind::PermissionDenied => "permission is denied",
        ErrorKind::IsADirectory => "it is a directory",
        ErrorKind::NotADirectory => "a part of its path is not a directory",
        ErrorKind::InvalidFilename => "its name is not possible",
        _ => return error.to_string(),
    };
    words.to_owned()
}
