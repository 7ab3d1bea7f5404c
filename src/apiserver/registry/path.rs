//! Where a field is: `spec.containers[0].ports[1].containerPort`, written out only when something is wrong there.

use crate::api::Str;

enum Segment<'a> {
    Field(&'a str),
    Index(usize),
    Key(&'a str),
}

/// A path from the object's root; each step borrows the one before.
pub struct Path<'a> {
    before: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

impl<'a> Path<'a> {
    pub fn root(field: &'a str) -> Path<'a> {
        Path { before: None, segment: Segment::Field(field) }
    }

    pub fn child(&'a self, field: &'a str) -> Path<'a> {
        Path { before: Some(self), segment: Segment::Field(field) }
    }

    pub fn index(&'a self, i: usize) -> Path<'a> {
        Path { before: Some(self), segment: Segment::Index(i) }
    }

    pub fn key(&'a self, key: &'a str) -> Path<'a> {
        Path { before: Some(self), segment: Segment::Key(key) }
    }

    fn write(&self, out: &mut String) {
        if let Some(before) = self.before {
            before.write(out);
        }
        match self.segment {
            Segment::Field(name) => {
                if self.before.is_some() {
                    out.push('.');
                }
                out.push_str(name);
            }
            Segment::Index(i) => out.push_str(&format!("[{i}]")),
            Segment::Key(key) => out.push_str(&format!("[{key}]")),
        }
    }
}

impl From<&Path<'_>> for Str {
    fn from(path: &Path) -> Str {
        let mut out = String::new();
        path.write(&mut out);
        Str::from(out)
    }
}

impl From<Path<'_>> for Str {
    fn from(path: Path) -> Str {
        Str::from(&path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_as_in_error_messages() {
        let spec = Path::root("spec");
        let containers = spec.child("containers");
        let first = containers.index(0);
        let limits = first.child("limits");
        assert_eq!(Str::from(limits.key("cpu")), "spec.containers[0].limits[cpu]");
    }
}
