//! Two texts line by line: what stayed, what came, what went.

use crate::session::view::{DiffLine, Sign, Writer};

/// Beyond this many differing lines the middle is shown as replaced as a whole.
const MIDDLE_MAX: usize = 400;

/// `new` with the lines of `old` that it replaced, each where it stood.
pub fn lines_between(old: &str, new: &str, writer: Option<Writer>) -> Vec<DiffLine> {
    let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let line = |sign: Sign, text: &str| DiffLine { sign, text: text.into(), writer: writer.filter(|_| sign != Sign::Same) };
    let mut out: Vec<DiffLine> = b[..head].iter().map(|t| line(Sign::Same, t)).collect();
    for (sign, text) in middle(&a[head..a.len() - tail], &b[head..b.len() - tail]) {
        out.push(line(sign, text));
    }
    out.extend(b[b.len() - tail..].iter().map(|t| line(Sign::Same, t)));
    out
}

/// The longest common subsequence of the lines in between, as a list of edits.
fn middle<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<(Sign, &'a str)> {
    let mut out = Vec::new();
    if a.len() > MIDDLE_MAX || b.len() > MIDDLE_MAX {
        out.extend(a.iter().map(|t| (Sign::Removed, *t)));
        out.extend(b.iter().map(|t| (Sign::Added, *t)));
        return out;
    }
    let width = b.len() + 1;
    let mut best = vec![0u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            best[i * width + j] =
                if a[i] == b[j] { best[(i + 1) * width + j + 1] + 1 } else { best[(i + 1) * width + j].max(best[i * width + j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            out.push((Sign::Same, b[j]));
            i += 1;
            j += 1;
        } else if i < a.len() && (j == b.len() || best[(i + 1) * width + j] >= best[i * width + j + 1]) {
            out.push((Sign::Removed, a[i]));
            i += 1;
        } else {
            out.push((Sign::Added, b[j]));
            j += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(old: &str, new: &str) -> String {
        let sign = |s| match s {
            Sign::Same => ' ',
            Sign::Added => '+',
            Sign::Removed => '-',
        };
        lines_between(old, new, None).iter().map(|l| format!("{}{}", sign(l.sign), l.text)).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_changed_line_stands_where_the_old_one_stood() {
        for (name, old, new, expected) in [
            ("nothing", "a\nb", "a\nb", " a| b"),
            ("one line", "a\nb\nc", "a\nx\nc", " a|-b|+x| c"),
            ("more at the end", "a", "a\nb", " a|+b"),
            ("all gone", "a\nb", "", "-a|-b"),
            ("two places", "a\nb\nc\nd", "x\nb\nc\ny", "-a|+x| b| c|-d|+y"),
        ] {
            assert_eq!(drawn(old, new), expected, "{name}");
        }
    }
}
