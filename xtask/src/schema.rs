//! `cargo xtask schema DIR`: makes the tables of Kubernetes' kinds and their fields from what a real API
//! server says of itself. DIR holds `discovery.json.gz` (aggregated discovery of `/api` and `/apis`) and
//! `v3/GROUP_VERSION.json.gz` (its OpenAPI v3 documents).

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Writes `src/api/scheme/kinds.tsv` under the current folder.
///
/// # Errors
/// A file that cannot be read, unpacked or written, or that is not what its name says.
pub fn run(dir: &Path) -> Result<(), String> {
    let kinds = kinds(&read(&dir.join("discovery.json.gz"))?);
    write("src/api/scheme/kinds.tsv", kinds.as_bytes())
}

fn write(path: &str, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{path}: {e}"))?;
    println!("{path}: {} bytes", bytes.len());
    Ok(())
}

/// Reads gzipped JSON.
fn read(path: &Path) -> Result<Value, String> {
    let fail = |e: String| format!("{}: {e}", path.display());
    let out = Command::new("gzip").arg("-dc").arg(path).output().map_err(|e| fail(format!("gzip: {e}")))?;
    if !out.status.success() {
        return Err(fail(String::from_utf8_lossy(&out.stderr).into_owned()));
    }
    serde_json::from_slice(&out.stdout).map_err(|e| fail(e.to_string()))
}

const USUAL_VERBS: &str = "create,delete,deletecollection,get,list,patch,update,watch";

/// One line a resource, in the order in which kubectl discovers them: plural, group, versions (preferred
/// first), kind, singular, short names, scope, verbs (`*` are the eight usual ones), subresources, categories.
fn kinds(discovery: &Value) -> String {
    let mut out = String::new();
    for group in ["/api", "/apis"].iter().flat_map(|p| items(&discovery[p]["items"])) {
        let name = text(&group["metadata"]["name"]);
        let versions = items(&group["versions"]);
        let mut seen: Vec<&str> = Vec::new();
        for resource in versions.iter().flat_map(|v| items(&v["resources"])) {
            let plural = text(&resource["resource"]);
            if seen.contains(&plural) {
                continue;
            }
            seen.push(plural);
            let serving: Vec<&str> = versions
                .iter()
                .filter(|v| items(&v["resources"]).iter().any(|r| text(&r["resource"]) == plural))
                .map(|v| text(&v["version"]))
                .collect();
            let verbs = joined(&resource["verbs"]);
            let subresources: Vec<&str> = items(&resource["subresources"]).iter().map(|s| text(&s["subresource"])).collect();
            let row = [
                plural,
                name,
                &serving.join(","),
                text(&resource["responseKind"]["kind"]),
                text(&resource["singularResource"]),
                &joined(&resource["shortNames"]),
                text(&resource["scope"]),
                if verbs == USUAL_VERBS { "*" } else { &verbs },
                &subresources.join(","),
                &joined(&resource["categories"]),
            ];
            out.push_str(&row.join("\t"));
            out.push('\n');
        }
    }
    out
}

fn text(v: &Value) -> &str {
    v.as_str().unwrap_or("")
}

fn items(v: &Value) -> &[Value] {
    v.as_array().map_or(&[], Vec::as_slice)
}

fn joined(v: &Value) -> String {
    items(v).iter().map(text).collect::<Vec<_>>().join(",")
}
