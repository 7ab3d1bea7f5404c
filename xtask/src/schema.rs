//! `cargo xtask schema DIR`: makes the tables of Kubernetes' kinds and their fields from what a real API
//! server says of itself. DIR holds `discovery.json.gz` (aggregated discovery of `/api` and `/apis`) and
//! `v3/GROUP_VERSION.json.gz` (its OpenAPI v3 documents).

mod table;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// What `xtask/go-types` prints: (type's name, field) to (Go type, JSON tag's options).
type GoTypes = BTreeMap<(String, String), (String, String)>;

/// Writes `src/api/scheme/kinds.tsv` and the tables in `src/api/schema` under the current folder.
///
/// # Errors
/// A file that cannot be read, unpacked or written, or that is not what its name says; no Go.
pub fn run(dir: &Path) -> Result<(), String> {
    let discovery = read(&dir.join("discovery.json.gz"))?;
    write("src/api/scheme/kinds.tsv", kinds(&discovery).as_bytes())?;
    let (definitions, go) = (definitions(&dir.join("v3"))?, go_types()?);
    write("src/api/schema/common.bin", &table::build(&definitions, &go, true)?)?;
    write("src/api/schema/others.bin", &table::build(&definitions, &go, false)?)
}

/// All schemas of all OpenAPI v3 documents, by name.
fn definitions(dir: &Path) -> Result<BTreeMap<String, Value>, String> {
    let mut all = BTreeMap::new();
    let fail = |e: std::io::Error| format!("{}: {e}", dir.display());
    for file in std::fs::read_dir(dir).map_err(fail)? {
        let mut document = read(&file.map_err(fail)?.path())?;
        if let Some(Value::Object(schemas)) = document.pointer_mut("/components/schemas").map(Value::take) {
            all.extend(schemas);
        }
    }
    Ok(all)
}

/// Runs `xtask/go-types`.
fn go_types() -> Result<GoTypes, String> {
    let out = Command::new("go").args(["run", "."]).current_dir("xtask/go-types").output().map_err(|e| format!("go: {e}"))?;
    if !out.status.success() {
        return Err(format!("go run in xtask/go-types: {}", String::from_utf8_lossy(&out.stderr)));
    }
    let text = String::from_utf8_lossy(&out.stdout);
    let rows = text.lines().filter_map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
        [owner, field, go, options] => Some(((owner.into(), field.into()), (go.into(), options.into()))),
        _ => None,
    });
    Ok(rows.collect())
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
