//! What images do: how long a pull takes or why it fails, when their containers exit, get ready or die.
//! The options are those of a scenario's `cluster.images` and of a `kind: Image` document.

use crate::api::{Str, Value};
use crate::util::Tree;
use std::rc::Rc;

/// Why a pull fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullError {
    NotFound,
    Unauthorized,
    Timeout,
}

/// How the containers of one image behave. Times count from the start of the container.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Behaviour {
    pub pull_ms: u64,
    pub pull_error: Option<PullError>,
    /// Exits by itself with this code.
    pub exit_code: Option<i64>,
    pub exit_after_ms: u64,
    /// Killed with 137, `OOMKilled`.
    pub oom_after_ms: Option<u64>,
    /// Probes fail until then.
    pub ready_after_ms: u64,
    /// Probes fail from then on.
    pub liveness_fails_after_ms: Option<u64>,
    /// From SIGTERM to the exit with 0.
    pub stop_ms: u64,
    /// From the creation of the container to its start.
    pub start_ms: u64,
    /// Thousandths of a CPU that one request per second costs.
    pub cpu_per_request_millis: u64,
    /// The lines it prints at the start.
    pub log: Vec<Str>,
}

/// The names of the options, as scenarios and documents write them.
const OPTIONS: [&str; 11] = [
    "pullSeconds",
    "pullError",
    "exitCode",
    "exitAfterSeconds",
    "oomAfterSeconds",
    "readyAfterSeconds",
    "livenessFailsAfterSeconds",
    "stopSeconds",
    "startSeconds",
    "cpuPerRequest",
    "log",
];

impl Behaviour {
    /// Reads the options of one image.
    ///
    /// # Errors
    /// A sentence that names the option which is unknown or has the wrong type.
    pub fn parse(options: &Value) -> Result<Behaviour, String> {
        for (key, _) in options.entries() {
            if !OPTIONS.contains(&key.as_str()) {
                return Err(format!("unknown option \"{key}\" (known: {})", OPTIONS.join(", ")));
            }
        }
        let seconds = |key: &'static str| -> Result<Option<u64>, String> {
            match options.get(key) {
                Value::Null => Ok(None),
                Value::Int(n) if *n >= 0 => Ok(Some(n.unsigned_abs().saturating_mul(1000))),
                Value::Float(f) if *f >= 0.0 => Ok(Some((*f * 1000.0 + 0.5) as u64)),
                _ => Err(format!("\"{key}\" must be a number of seconds, 0 or more")),
            }
        };
        let pull_error = match options.get("pullError") {
            Value::Null => None,
            v => match v.text() {
                "NotFound" => Some(PullError::NotFound),
                "Unauthorized" => Some(PullError::Unauthorized),
                "Timeout" => Some(PullError::Timeout),
                _ => return Err("\"pullError\" must be NotFound, Unauthorized or Timeout".to_string()),
            },
        };
        let exit_code = match options.get("exitCode") {
            Value::Null => None,
            Value::Int(n) if (0..=255).contains(n) => Some(*n),
            _ => return Err("\"exitCode\" must be a whole number from 0 to 255".to_string()),
        };
        Ok(Behaviour {
            pull_ms: seconds("pullSeconds")?.unwrap_or(0),
            pull_error,
            exit_code,
            exit_after_ms: seconds("exitAfterSeconds")?.unwrap_or(0),
            oom_after_ms: seconds("oomAfterSeconds")?.filter(|ms| *ms > 0),
            ready_after_ms: seconds("readyAfterSeconds")?.unwrap_or(0),
            liveness_fails_after_ms: seconds("livenessFailsAfterSeconds")?.filter(|ms| *ms > 0),
            stop_ms: seconds("stopSeconds")?.unwrap_or(0),
            start_ms: seconds("startSeconds")?.unwrap_or(0),
            cpu_per_request_millis: cpu_millis(options.get("cpuPerRequest"))?,
            log: log_lines(options.get("log"))?,
        })
    }

    /// Why a container that has run for `up_ms` fails its probes, or nothing.
    pub fn fails_probe(&self, up_ms: u64) -> Option<&'static str> {
        if up_ms < self.ready_after_ms {
            Some("not ready")
        } else if self.liveness_fails_after_ms.is_some_and(|ms| up_ms > ms) {
            Some("not alive")
        } else {
            None
        }
    }
}

/// A CPU quantity (`2m`, `0.5`, 1) in thousandths.
fn cpu_millis(v: &Value) -> Result<u64, String> {
    let wrong = || "\"cpuPerRequest\" must be a CPU quantity such as 2m or 0.5".to_string();
    match v {
        Value::Null => Ok(0),
        Value::Int(n) => u64::try_from(*n).map(|n| n.saturating_mul(1000)).map_err(|_| wrong()),
        Value::Float(f) if *f >= 0.0 => Ok((*f * 1000.0 + 0.5) as u64),
        Value::Str(s) => match s.strip_suffix('m') {
            Some(millis) => millis.parse().map_err(|_| wrong()),
            None => s.parse::<f64>().ok().filter(|f| *f >= 0.0).map(|f| (f * 1000.0 + 0.5) as u64).ok_or_else(wrong),
        },
        _ => Err(wrong()),
    }
}

fn log_lines(v: &Value) -> Result<Vec<Str>, String> {
    match v {
        Value::Null => Ok(Vec::new()),
        Value::Str(line) => Ok(vec![line.clone()]),
        Value::List(lines) => lines
            .iter()
            .map(|l| match l {
                Value::Str(s) => Ok(s.clone()),
                Value::Int(n) => Ok(Str::from(n.to_string())),
                _ => Err("\"log\" must be a list of lines".to_string()),
            })
            .collect(),
        _ => Err("\"log\" must be a list of lines".to_string()),
    }
}

/// The rules for all images. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Images {
    rules: Tree<Str, Rc<Behaviour>>,
    /// Registries that cannot be reached; `*` for all.
    down: Vec<Str>,
    /// Unknown images of containers that need not run for ever exit 0 after a second, and HTTP and TCP probes
    /// succeed while the image is ready, so that any manifest gets somewhere.
    pub lenient: bool,
}

impl Images {
    /// Reads a scenario's map from image reference to options.
    ///
    /// # Errors
    /// A sentence that names the image and what is wrong.
    pub fn from_value(rules: &Value, lenient: bool) -> Result<Images, String> {
        let mut images = Images { rules: Tree::new(), down: Vec::new(), lenient };
        for (reference, options) in rules.entries() {
            images.set(reference, Behaviour::parse(options).map_err(|e| format!("image {reference}: {e}"))?);
        }
        Ok(images)
    }

    /// Reads one `kind: Image` document: `spec` holds the options, `spec.image` (else `metadata.name`) the reference.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn document(document: &Value) -> Result<(Str, Behaviour), String> {
        let mut options = document.get("spec").clone();
        let reference = options.remove("image").map_or_else(|| document.at(&["metadata", "name"]).to_str(), |v| v.to_str());
        if reference.is_empty() {
            return Err("an Image needs spec.image (or metadata.name): the image reference".to_string());
        }
        Behaviour::parse(&options).map(|b| (reference.clone(), b)).map_err(|e| format!("image {reference}: {e}"))
    }

    /// Replaces the behaviour of an image.
    pub fn set(&mut self, reference: &str, behaviour: Behaviour) {
        self.rules.insert_mut(Str::from(normal(reference)), Rc::new(behaviour));
    }

    /// A registry (`docker.io`, `*` for all) cannot be reached any more, or can again.
    pub fn set_registry(&mut self, host: &Str, down: bool) {
        self.down.retain(|h| h != host);
        if down {
            self.down.push(host.clone());
        }
    }

    /// Whether the registry of an image cannot be reached.
    pub fn is_unreachable(&self, reference: &str) -> bool {
        !self.down.is_empty() && {
            let host = registry_of(reference);
            self.down.iter().any(|h| *h == "*" || *h == *host)
        }
    }

    /// How an image behaves; `runs_to_end` for init containers and pods that are not restarted for ever.
    pub fn of(&self, reference: &str, runs_to_end: bool) -> Rc<Behaviour> {
        if let Some(rule) = self.rules.get(normal(reference).as_str()).or_else(|| self.rules.get("*")) {
            return rule.clone();
        }
        if self.lenient && runs_to_end {
            return Rc::new(Behaviour { exit_code: Some(0), exit_after_ms: 1000, ..Behaviour::default() });
        }
        Rc::new(Behaviour::default())
    }
}

/// The registry that an image comes from, as `docker.io`.
pub fn registry_of(reference: &str) -> String {
    normal(reference).split('/').next().unwrap_or("").to_string()
}

/// The full reference that a runtime knows an image by: `docker.io/library/web:1` for `web:1`.
pub fn normal(reference: &str) -> String {
    if reference == "*" {
        return "*".to_string();
    }
    let first = reference.split('/').next().unwrap_or("");
    let mut full = if !first.contains('.') && !reference.starts_with("localhost") {
        let library = if reference.contains('/') { "" } else { "library/" };
        format!("docker.io/{library}{reference}")
    } else {
        reference.to_string()
    };
    let last = full.rsplit('/').next().unwrap_or("");
    if !last.contains(':') && !last.contains('@') {
        full.push_str(":latest");
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    #[test]
    fn references_are_completed_as_a_runtime_does() {
        for (given, full) in [
            ("web:1", "docker.io/library/web:1"),
            ("nginx", "docker.io/library/nginx:latest"),
            ("bitnami/redis:7", "docker.io/bitnami/redis:7"),
            ("ghcr.io/a/b", "ghcr.io/a/b:latest"),
            ("localhost/x:2", "localhost/x:2"),
        ] {
            assert_eq!(normal(given), full);
        }
    }

    #[test]
    fn options_are_read_and_mistakes_are_named() {
        let b = Behaviour::parse(&value!({"pullSeconds": (Value::Float(1.5)), "exitCode": 3_i64, "exitAfterSeconds": 2_i64})).unwrap();
        assert_eq!((b.pull_ms, b.exit_code, b.exit_after_ms), (1500, Some(3), 2000));
        for (options, named) in [
            (value!({"pullTime": 1_i64}), "pullTime"),
            (value!({"pullError": "Lost"}), "pullError"),
            (value!({"exitCode": 300_i64}), "exitCode"),
            (value!({"stopSeconds": "x"}), "stopSeconds"),
        ] {
            assert!(Behaviour::parse(&options).unwrap_err().contains(named));
        }
    }

    #[test]
    fn an_unknown_image_runs_and_in_lenient_mode_ends_where_it_should() {
        let strict = Images::default();
        let lenient = Images { lenient: true, ..Images::default() };
        assert_eq!(strict.of("x", true).exit_code, None);
        assert_eq!(lenient.of("x", true).exit_code, Some(0));
        assert_eq!(lenient.of("x", false).exit_code, None);
    }
}
