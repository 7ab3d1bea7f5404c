//! JSONPath as client-go's `util/jsonpath` has it: fields, indexes, slices, wildcards, filters, `{range}`.
//! Left out are recursive descent and unions of names.

use super::super::fault::Fault;
use crate::api::Value;
use std::cmp::Ordering;

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(String),
    Wildcard,
    Slice(Option<i64>, Option<i64>),
    Index(i64),
    Filter { path: Vec<Step>, operator: String, value: Option<Value> },
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Path(Vec<Step>),
    Range(Vec<Step>, Vec<Part>),
}

fn wrong(text: impl Into<String>) -> Fault {
    Fault::text(format!("error parsing jsonpath {}", text.into()))
}

/// What a template prints of a value.
///
/// # Errors
/// The template is wrong.
pub fn print(template: &str, root: &Value) -> Result<String, Fault> {
    let (parts, _) = parts(&tokens(template)?, 0, false)?;
    let mut out = String::new();
    for part in &parts {
        show(part, root, root, &mut out);
    }
    Ok(out)
}

/// As `print`, but each value as JSON in a list.
///
/// # Errors
/// The template is wrong.
pub fn print_json(template: &str, root: &Value) -> Result<String, Fault> {
    let found = find(template, root)?;
    Ok(super::output::json(&found.into_iter().collect()))
}

/// The values at one path.
///
/// # Errors
/// The path is wrong.
pub fn find(path: &str, root: &Value) -> Result<Vec<Value>, Fault> {
    let inner = path.trim().strip_prefix('{').and_then(|p| p.strip_suffix('}')).unwrap_or(path);
    let steps = steps(inner.trim())?;
    Ok(walk(&steps, root, root))
}

/// `.a.b`, `a.b` and `{.a.b}` are the same for `--sort-by` and `custom-columns`.
pub fn relaxed(path: &str) -> String {
    let inner = path.trim().strip_prefix('{').and_then(|p| p.strip_suffix('}')).unwrap_or(path.trim());
    let inner = inner.strip_prefix('.').unwrap_or(inner);
    format!("{{.{inner}}}")
}

/// A value as the printer writes it: texts plainly, the rest as JSON.
pub fn text(v: &Value) -> String {
    match v {
        Value::Str(s) => s.to_string(),
        Value::Null => "<nil>".to_string(),
        other => crate::api::json::write_compact(other),
    }
}

enum Token {
    Text(String),
    Action(String),
}

fn tokens(template: &str) -> Result<Vec<Token>, Fault> {
    let mut found = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        if open > 0 {
            found.push(Token::Text(rest[..open].to_string()));
        }
        let end = end_of_action(&rest[open..]).ok_or_else(|| wrong(format!("{template}, unclosed action")))?;
        found.push(Token::Action(rest[open + 1..open + end].trim().to_string()));
        rest = &rest[open + end + 1..];
    }
    if !rest.is_empty() {
        found.push(Token::Text(rest.to_string()));
    }
    Ok(found)
}

/// The place of the brace that closes the action at the start; braces in quotes do not count.
fn end_of_action(text: &str) -> Option<usize> {
    let mut quote = None;
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '}') => return Some(i),
            _ => {}
        }
    }
    None
}

fn parts(tokens: &[Token], mut at: usize, inside: bool) -> Result<(Vec<Part>, usize), Fault> {
    let mut found = Vec::new();
    while at < tokens.len() {
        match &tokens[at] {
            Token::Text(t) => found.push(Part::Text(t.clone())),
            Token::Action(a) if a == "end" && inside => return Ok((found, at)),
            Token::Action(a) if a == "end" => return Err(wrong("not in range, nothing to end")),
            Token::Action(a) => {
                if let Some(path) = a.strip_prefix("range ") {
                    let (inner, end) = parts(tokens, at + 1, true)?;
                    found.push(Part::Range(steps(path.trim())?, inner));
                    at = end;
                } else if a.starts_with(['"', '\'']) {
                    let plain = a.trim_matches(['"', '\'']);
                    found.push(Part::Text(plain.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")));
                } else {
                    found.push(Part::Path(steps(a)?));
                }
            }
        }
        at += 1;
    }
    if inside { Err(wrong("unterminated range")) } else { Ok((found, at)) }
}

fn show(part: &Part, here: &Value, root: &Value, out: &mut String) {
    match part {
        Part::Text(t) => out.push_str(t),
        Part::Path(steps) => {
            let texts: Vec<String> = walk(steps, here, root).iter().map(text).collect();
            out.push_str(&texts.join(" "));
        }
        Part::Range(steps, inner) => {
            let found = walk(steps, here, root);
            let each: &[Value] = match found.as_slice() {
                [Value::List(l)] => &l.iter().cloned().collect::<Vec<_>>(),
                many => many,
            };
            for item in each {
                inner.iter().for_each(|p| show(p, item, root, out));
            }
        }
    }
}

fn steps(path: &str) -> Result<Vec<Step>, Fault> {
    let mut found = Vec::new();
    let mut rest = path.strip_prefix(['$', '@']).unwrap_or(path);
    while let Some(c) = rest.chars().next() {
        if c == '[' {
            let end = closing(rest).ok_or_else(|| wrong(format!("{path}, unterminated array")))?;
            found.push(bracket(rest[1..end].trim())?);
            rest = &rest[end + 1..];
            continue;
        }
        let plain = rest.strip_prefix('.').unwrap_or(rest);
        if plain.starts_with('.') {
            return Err(wrong(format!("{path}, recursive descent is not available")));
        }
        let (name, length) = field_name(plain);
        if name == "*" {
            found.push(Step::Wildcard);
        } else if !name.is_empty() {
            found.push(Step::Field(name));
        }
        rest = &plain[length..];
    }
    Ok(found)
}

/// A field's name; a backslash keeps a dot from ending it.
fn field_name(text: &str) -> (String, usize) {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '.' | '[' => return (name, i),
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            c => name.push(c),
        }
    }
    (name, text.len())
}

fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0, None);
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') if depth == 1 => return Some(i),
            (None, ']') => depth -= 1,
            _ => {}
        }
    }
    None
}

fn bracket(inner: &str) -> Result<Step, Fault> {
    if inner == "*" {
        return Ok(Step::Wildcard);
    }
    if let Some(filter) = inner.strip_prefix("?(").and_then(|f| f.strip_suffix(')')) {
        return filter_step(filter.trim());
    }
    if inner.starts_with(['\'', '"']) {
        return Ok(Step::Field(inner.trim_matches(['\'', '"']).to_string()));
    }
    let number = |t: &str| t.parse::<i64>().map_err(|_| wrong(format!("invalid array index {inner}")));
    if let Some((from, to)) = inner.split_once(':') {
        let bound = |t: &str| if t.is_empty() { Ok(None) } else { number(t).map(Some) };
        return Ok(Step::Slice(bound(from)?, bound(to)?));
    }
    Ok(Step::Index(number(inner)?))
}

fn filter_step(filter: &str) -> Result<Step, Fault> {
    for operator in ["==", "!=", ">=", "<=", ">", "<"] {
        if let Some((left, right)) = filter.split_once(operator) {
            let right = right.trim();
            let value = match right.strip_prefix(['"', '\'']) {
                Some(text) => Value::str(text.trim_end_matches(['"', '\''])),
                None => serde_json::from_str(right).map_err(|_| wrong(format!("unrecognized value {right}")))?,
            };
            return Ok(Step::Filter { path: steps(left.trim())?, operator: operator.to_string(), value: Some(value) });
        }
    }
    Ok(Step::Filter { path: steps(filter)?, operator: String::new(), value: None })
}

fn walk(steps: &[Step], here: &Value, root: &Value) -> Vec<Value> {
    let mut now = vec![here.clone()];
    for step in steps {
        now = now.iter().flat_map(|v| take(step, v, root)).collect();
    }
    now
}

fn take(step: &Step, v: &Value, root: &Value) -> Vec<Value> {
    let length = v.items().len() as i64;
    let place = |i: i64| if i < 0 { length + i } else { i };
    match step {
        Step::Field(name) => v.as_map().and_then(|m| m.get(name)).cloned().into_iter().collect(),
        Step::Wildcard if v.as_map().is_some() => v.entries().iter().map(|(_, v)| v.clone()).collect(),
        Step::Wildcard => v.items().to_vec(),
        Step::Index(i) => usize::try_from(place(*i)).ok().and_then(|i| v.items().get(i)).cloned().into_iter().collect(),
        Step::Slice(from, to) => {
            let (from, to) = (place(from.unwrap_or(0)).max(0), place(to.unwrap_or(length)).min(length));
            (from..to).filter_map(|i| v.items().get(usize::try_from(i).ok()?)).cloned().collect()
        }
        Step::Filter { path, operator, value } => {
            let fits = |item: &&Value| {
                let found = walk(path, item, root);
                match value {
                    None => !found.is_empty(),
                    Some(wanted) => found.first().is_some_and(|f| holds(f, operator, wanted)),
                }
            };
            v.items().iter().filter(fits).cloned().collect()
        }
    }
}

fn holds(found: &Value, operator: &str, wanted: &Value) -> bool {
    let order = match (found, wanted) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (a, b) => text(a).cmp(&text(b)),
    };
    match operator {
        "==" => order == Ordering::Equal,
        "!=" => order != Ordering::Equal,
        ">=" => order != Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        _ => order == Ordering::Less,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    #[test]
    fn paths_are_read_as_kubectl_reads_them() {
        let root = value!({
            "kind": "List",
            "items": [
                {"name": "a", "n": 1_i64, "labels": {"app.io/x": "y"}, "conditions": [{"type": "Ready", "status": "True"}]},
                {"name": "b", "n": 2_i64}
            ]
        });
        let table = [
            ("{.kind}", "List"),
            ("{.items[*].name}", "a b"),
            ("{.items[-1:].name}", "b"),
            ("{.items[0].labels.app\\.io/x}", "y"),
            ("{.items[0]['labels']}", r#"{"app.io/x":"y"}"#),
            (r#"{.items[?(@.name=="b")].n}"#, "2"),
            (r#"{.items[?(@.n>1)].name}"#, "b"),
            (r#"{range .items[*]}{.name}{"\t"}{.n}{"\n"}{end}"#, "a\t1\nb\t2\n"),
            (r#"x={.items[0].conditions[?(@.type=="Ready")].status}"#, "x=True"),
            ("{.nothing}", ""),
        ];
        for (template, text) in table {
            assert_eq!(print(template, &root).unwrap(), text, "{template}");
        }
        assert!(print("{.a", &root).is_err());
    }
}
