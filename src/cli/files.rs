//! Files that the command line reads.

use std::collections::BTreeMap;
use std::path::Path;

/// A manifest larger than this is refused, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The text of a file.
///
/// # Errors
/// It is not there, too large, or not UTF-8: with its name and what to do.
pub fn read(path: &Path) -> Result<String, String> {
    let named = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let length = std::fs::metadata(path).map_err(|e| named(&e))?.len();
    if length > MAX_BYTES {
        return Err(named(&format!("the file has {length} bytes; at most {MAX_BYTES} are read")));
    }
    let bytes = std::fs::read(path).map_err(|e| named(&e))?;
    String::from_utf8(bytes).map_err(|e| named(&format!("not UTF-8 text (byte {}); save it as UTF-8", e.utf8_error().valid_up_to())))
}

/// The text of standard input.
///
/// # Errors
/// It cannot be read, is too large, or not UTF-8.
pub fn read_input() -> Result<String, String> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| format!("standard input: {e}"))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("standard input has more than the {MAX_BYTES} bytes that are read"));
    }
    String::from_utf8(bytes)
        .map_err(|e| format!("standard input: not UTF-8 text (byte {}); send it as UTF-8", e.utf8_error().valid_up_to()))
}

/// The manifests that lie beside a `scenario.yaml`, by their path from there; recordings are left alone.
///
/// # Errors
/// The folder cannot be read.
pub fn beside(scenario: &Path) -> Result<BTreeMap<String, String>, String> {
    let folder = scenario.parent().unwrap_or(Path::new("."));
    let mut files = BTreeMap::new();
    collect(folder, "", &mut files).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else if !name.contains(".jsonl")
            && let Ok(text) = std::fs::read_to_string(entry.path())
        {
            files.insert(path, text);
        }
    }
    Ok(())
}
