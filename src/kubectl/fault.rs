//! What ends a command early, written as kubectl's `cmdutil.CheckErr` writes it.

use super::context::Output;
use crate::api::Status;

#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// A failure of the program itself; written after `error: `.
    Text(String),
    /// Written as it is.
    Plain(String),
    /// The server's refusal.
    Server(Status),
    /// Several, each on its own line.
    Many(Vec<Fault>),
}

impl From<Status> for Fault {
    fn from(status: Status) -> Fault {
        Fault::Server(status)
    }
}

impl Fault {
    pub fn text(text: impl Into<String>) -> Fault {
        Fault::Text(text.into())
    }

    /// A wrong use of the command, with a hint at the help.
    pub fn usage(command: &str, text: impl AsRef<str>) -> Fault {
        Fault::Text(format!("{}\nSee 'kubectl {command} -h' for help and examples", text.as_ref()))
    }

    /// One fault as it is, several together; `Ok` if there is none.
    pub fn all(mut faults: Vec<Fault>) -> Result<(), Fault> {
        match faults.len() {
            0 => Ok(()),
            1 => Err(faults.remove(0)),
            _ => Err(Fault::Many(faults)),
        }
    }

    pub fn is_not_found(&self) -> bool {
        matches!(self, Fault::Server(s) if s.is_not_found())
    }

    /// The message without what kubectl puts in front.
    pub fn message(&self) -> String {
        match self {
            Fault::Text(t) | Fault::Plain(t) => t.clone(),
            Fault::Server(s) => s.message.to_string(),
            Fault::Many(all) => all.iter().map(Fault::message).collect::<Vec<_>>().join("\n"),
        }
    }

    /// `error when VERB "SOURCE": …`, unless there is no source.
    pub fn at_source(self, verb: &str, source: &str) -> Fault {
        if source.is_empty() {
            return self;
        }
        let wrap = |m: &str| format!("error when {verb} \"{source}\": {m}");
        match self {
            Fault::Server(s) => Fault::Server(Status { message: wrap(&s.message).into(), ..s }),
            other => Fault::Text(wrap(&other.message())),
        }
    }

    /// Ends a command with this fault.
    pub fn end(self, mut out: Output) -> Output {
        out.exit = 1;
        let text = self.written();
        if !text.is_empty() {
            out.stderr.push_str(text.trim_end_matches('\n'));
            out.stderr.push('\n');
        }
        out
    }

    fn written(&self) -> String {
        match self {
            Fault::Text(t) if t.starts_with("error: ") => t.clone(),
            Fault::Text(t) => format!("error: {t}"),
            Fault::Plain(t) => t.clone(),
            Fault::Server(s) if s.is_invalid() => invalid(s),
            Fault::Server(s) => from_server(s),
            Fault::Many(all) => all.iter().map(|f| f.in_list() + "\n").collect(),
        }
    }

    fn in_list(&self) -> String {
        match self {
            Fault::Server(s) => from_server(s),
            Fault::Many(all) => all.iter().map(Fault::in_list).collect::<Vec<_>>().join("\n"),
            other => other.message(),
        }
    }
}

fn from_server(s: &Status) -> String {
    if s.reason.is_empty() {
        format!("Error from server: {}", s.message)
    } else {
        format!("Error from server ({}): {}", s.reason, s.message)
    }
}

/// An `Invalid` refusal: the object once, then what is wrong with each field.
fn invalid(s: &Status) -> String {
    let mut text = String::from("The request is invalid");
    let (kind, name) = (s.details.get("kind").text(), s.details.get("name").text());
    let causes = s.details.get("causes").items();
    if s.details.is_null() {
        return if s.message.is_empty() { text } else { format!("{text}: {}", s.message) };
    }
    if !kind.is_empty() || !name.is_empty() {
        text = format!("The {kind} \"{name}\" is invalid");
    } else if causes.is_empty() && !s.message.is_empty() {
        text = format!("{text}: {}", s.message);
    }
    let lines: Vec<String> = causes.iter().map(|c| format!("{}: {}", c.get("field").text(), c.get("message").text())).collect();
    match lines.as_slice() {
        [] => text,
        [one] => format!("{text}: {one}"),
        many => many.iter().fold(format!("{text}: "), |t, line| t + "\n* " + line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::status::Cause;

    #[test]
    fn refusals_read_as_kubectl_writes_them() {
        let one = Cause::new("spec.selector", "FieldValueRequired", "Required value");
        let two = Cause::new("spec.replicas", "FieldValueInvalid", "Invalid value: -1: must be greater than or equal to 0");
        let table = [
            (Fault::text("no objects passed to apply"), "error: no objects passed to apply\n"),
            (Status::not_found("pods", "x").into(), "Error from server (NotFound): pods \"x\" not found\n"),
            (
                Fault::from(Status::already_exists("configmaps", "a")).at_source("creating", "a.yaml"),
                "Error from server (AlreadyExists): error when creating \"a.yaml\": configmaps \"a\" already exists\n",
            ),
            (
                Status::invalid("Deployment.apps", "web", std::slice::from_ref(&one)).into(),
                "The Deployment \"web\" is invalid: spec.selector: Required value\n",
            ),
            (
                Status::invalid("Deployment.apps", "web", &[one, two]).into(),
                "The Deployment \"web\" is invalid: \n* spec.selector: Required value\n* spec.replicas: Invalid value: -1: must be greater than or equal to 0\n",
            ),
        ];
        for (fault, text) in table {
            let out = fault.end(Output::default());
            assert_eq!((out.exit, out.stderr.as_str()), (1, text));
        }
    }
}
