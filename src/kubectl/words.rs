//! Splits a command line into words as POSIX sh does; nothing is expanded.

/// A quote that is never closed, or a backslash at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unterminated quote or escape in the command")]
pub struct SplitError;

/// The words of `line`.
///
/// # Errors
/// A quote is not closed, or a backslash ends the line.
pub fn split(line: &str) -> Result<Vec<String>, SplitError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '#' if word.is_none() => break,
            '\'' => word.get_or_insert_default().push_str(&single_quoted(&mut rest)?),
            '"' => word.get_or_insert_default().push_str(&double_quoted(&mut rest)?),
            '\\' => match rest.next().ok_or(SplitError)? {
                '\n' => {}
                c => word.get_or_insert_default().push(c),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// What a shell would understand in `line` and a prompt for kubectl alone does not: a pipe, a redirection, a second command, a
/// substitution. What stands in quotes is text.
pub fn shell_sign(line: &str) -> Option<&'static str> {
    const SIGNS: [&str; 8] = ["&&", "||", "|", ">", "<", ";", "$(", "`"];
    let (mut quote, mut at) = (None, 0);
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        at += c.len_utf8();
        match (quote, c) {
            (Some('\''), '\\') => {}
            (_, '\\') => at += line[at..].chars().next().map_or(0, char::len_utf8),
            (None, '\'' | '"') => quote = Some(c),
            (None, '#') if line[..at - 1].ends_with([' ', '\t']) => return None,
            (Some(q), c) if q == c => quote = None,
            (Some('\''), _) => {}
            (within, _) => {
                let is_sign = |s: &&&str| rest.starts_with(**s) && (within.is_none() || matches!(**s, "$(" | "`"));
                if let Some(sign) = SIGNS.iter().find(is_sign) {
                    return Some(sign);
                }
            }
        }
    }
    None
}

fn single_quoted(rest: &mut std::str::Chars<'_>) -> Result<String, SplitError> {
    let mut text = String::new();
    loop {
        match rest.next().ok_or(SplitError)? {
            '\'' => return Ok(text),
            c => text.push(c),
        }
    }
}

fn double_quoted(rest: &mut std::str::Chars<'_>) -> Result<String, SplitError> {
    let mut text = String::new();
    loop {
        match rest.next().ok_or(SplitError)? {
            '"' => return Ok(text),
            '\\' => match rest.next().ok_or(SplitError)? {
                '\n' => {}
                c @ ('"' | '\\' | '$' | '`') => text.push(c),
                c => text.extend(['\\', c]),
            },
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_shell_understands_is_noticed_outside_of_quotes() {
        let table = [
            ("get pods | grep web", Some("|")),
            ("get pods > out.txt", Some(">")),
            ("apply -f - < a.yaml", Some("<")),
            ("get pods && get deploy", Some("&&")),
            ("get pods; get deploy", Some(";")),
            ("delete pod $(kubectl get pod -o name)", Some("$(")),
            (r#"delete pod "$(kubectl get pod -o name)""#, Some("$(")),
            ("delete pod `x`", Some("`")),
            ("get pods -o jsonpath='{.items[?(@.a>1)]};|$('", None),
            (r#"annotate pod x note="a | b; c""#, None),
            (r"annotate pod x note=a\|b", None),
            ("get pods # a | b", None),
            ("get pods", None),
        ];
        for (line, sign) in table {
            assert_eq!(shell_sign(line), sign, "{line}");
        }
    }

    #[test]
    fn words_are_split_as_sh_does() {
        let table = [
            ("get pod  -o wide", vec!["get", "pod", "-o", "wide"]),
            (r#"patch x -p '{"a": "b c"}'"#, vec!["patch", "x", "-p", r#"{"a": "b c"}"#]),
            (r#"a "b \"c\" \d" e\ f"#, vec!["a", r#"b "c" \d"#, "e f"]),
            ("a '' b", vec!["a", "", "b"]),
            ("a # b", vec!["a"]),
            ("a#b", vec!["a#b"]),
        ];
        for (line, words) in table {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
        assert_eq!(split("a 'b"), Err(SplitError));
        assert_eq!(split("a \\"), Err(SplitError));
    }
}
