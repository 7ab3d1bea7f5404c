//! Label selectors: the text of `-l`, LabelSelector objects, and plain maps.
//! Follows apimachinery `pkg/labels/selector.go` and `pkg/apis/meta/v1/helpers.go`.

use super::{Str, Value};
use crate::util::Order;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// `key=value`
    Equals,
    /// `key!=value`
    NotEquals,
    In,
    NotIn,
    Exists,
    DoesNotExist,
    GreaterThan,
    LessThan,
}

/// One condition on one label.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    pub key: Str,
    pub operator: Operator,
    /// sorted
    pub values: Vec<Str>,
}

/// All of its requirements must hold. `nothing()` matches no object, an empty selector each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selector {
    pub requirements: Vec<Requirement>,
    nothing: bool,
}

impl Requirement {
    pub fn new(key: impl Into<Str>, operator: Operator, mut values: Vec<Str>) -> Requirement {
        values.order();
        values.dedup();
        Requirement { key: key.into(), operator, values }
    }

    /// Whether a map of labels meets this. A missing label meets the negative operators.
    pub fn matches(&self, labels: &Value) -> bool {
        let label = labels.get(&self.key).as_str();
        let listed = |l: &str| self.values.iter().any(|v| *v == *l);
        match self.operator {
            Operator::Equals | Operator::In => label.is_some_and(listed),
            Operator::NotEquals | Operator::NotIn => !label.is_some_and(listed),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
            Operator::GreaterThan | Operator::LessThan => {
                let number = |s: &str| s.parse::<i64>().ok();
                match (label.and_then(number), self.values.first().and_then(|v| number(v))) {
                    (Some(a), Some(b)) => {
                        (self.operator == Operator::GreaterThan && a > b) || (self.operator == Operator::LessThan && a < b)
                    }
                    _ => false,
                }
            }
        }
    }
}

impl Selector {
    pub fn everything() -> Selector {
        Selector::default()
    }

    pub fn nothing() -> Selector {
        Selector { requirements: Vec::new(), nothing: true }
    }

    fn of(mut requirements: Vec<Requirement>) -> Selector {
        requirements.order_by(|a, b| a.key.cmp(&b.key));
        Selector { requirements, nothing: false }
    }

    /// All entries of a map, as a Service's or a node selector has it. An empty map selects everything.
    pub fn from_map(map: &Value) -> Selector {
        let equals = |(k, v): &(Str, Value)| Requirement::new(k.clone(), Operator::Equals, vec![v.to_str()]);
        Selector::of(map.entries().iter().map(equals).collect())
    }

    /// A LabelSelector object (`metav1.LabelSelectorAsSelector`): null selects nothing, an empty one everything.
    ///
    /// # Errors
    /// If an operator is unknown.
    pub fn from_object(selector: &Value) -> Result<Selector, String> {
        if selector.is_null() {
            return Ok(Selector::nothing());
        }
        let mut all = Selector::from_map(selector.get("matchLabels")).requirements;
        for e in selector.get("matchExpressions").items() {
            let operator = match e.get("operator").text() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => return Err(format!("{other:?} is not a valid label selector operator")),
            };
            all.push(Requirement::new(e.get("key").to_str(), operator, e.get("values").items().iter().map(Value::to_str).collect()));
        }
        Ok(Selector::of(all))
    }

    /// A LabelSelector object; a broken one selects nothing.
    pub fn of_object(selector: &Value) -> Selector {
        Selector::from_object(selector).unwrap_or_else(|_| Selector::nothing())
    }

    /// The text of `-l`: `app=web,tier in (a, b),!canary`.
    ///
    /// # Errors
    /// What kubectl and the server say of a text that is no selector.
    pub fn parse(text: &str) -> Result<Selector, String> {
        Parser { tokens: tokens(text), at: 0 }.parse().map(Selector::of)
    }

    pub fn matches(&self, labels: &Value) -> bool {
        !self.nothing && self.requirements.iter().all(|r| r.matches(labels))
    }

    /// Whether it selects all objects.
    pub fn is_everything(&self) -> bool {
        !self.nothing && self.requirements.is_empty()
    }

    pub fn is_nothing(&self) -> bool {
        self.nothing
    }

    /// The value that this selector demands of a label, if it demands exactly one.
    pub fn required(&self, key: &str) -> Option<&Str> {
        self.requirements
            .iter()
            .find(|r| r.key == *key && matches!(r.operator, Operator::Equals | Operator::In) && r.values.len() == 1)
            .map(|r| &r.values[0])
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, values) = (&self.key, self.values.join(","));
        match self.operator {
            Operator::Equals => write!(f, "{key}={values}"),
            Operator::NotEquals => write!(f, "{key}!={values}"),
            Operator::In => write!(f, "{key} in ({values})"),
            Operator::NotIn => write!(f, "{key} notin ({values})"),
            Operator::Exists => write!(f, "{key}"),
            Operator::DoesNotExist => write!(f, "!{key}"),
            Operator::GreaterThan => write!(f, "{key}>{values}"),
            Operator::LessThan => write!(f, "{key}<{values}"),
        }
    }
}

impl fmt::Display for Selector {
    /// As `kubectl describe` and a Scale's `status.selector` have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.requirements.iter().map(ToString::to_string).collect();
        f.pad(&all.join(","))
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Mark(&'static str),
    End,
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Token::Word(w) => w,
            Token::Mark(m) => m,
            Token::End => "",
        }
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(mark) = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"].into_iter().find(|m| rest.starts_with(m)) {
            found.push(Token::Mark(mark));
            rest = rest[mark.len()..].trim_start();
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || "=!(),><".contains(c)).unwrap_or(rest.len());
            found.push(Token::Word(rest[..end].to_string()));
            rest = rest[end..].trim_start();
        }
    }
    found.push(Token::End);
    found
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

fn wrong(found: &Token, expected: &str) -> String {
    format!("unable to parse requirement: found '{}', expected: {expected}", found.text())
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn parse(mut self) -> Result<Vec<Requirement>, String> {
        let mut all = Vec::new();
        loop {
            match self.peek() {
                Token::End if all.is_empty() => return Ok(all),
                Token::Word(_) | Token::Mark("!") => all.push(self.requirement()?),
                other => return Err(wrong(other, "!, identifier, or 'end of string'").replace("unable to parse requirement: ", "")),
            }
            match self.next() {
                Token::End => return Ok(all),
                Token::Mark(",") => match self.peek() {
                    Token::Word(_) | Token::Mark("!") => {}
                    other => return Err(format!("found '{}', expected: identifier after ','", other.text())),
                },
                other => return Err(format!("found '{}', expected: ',' or 'end of string'", other.text())),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        if *self.peek() == Token::Mark("!") {
            self.next();
            let key = self.key()?;
            return Ok(Requirement::new(key, Operator::DoesNotExist, Vec::new()));
        }
        let key = self.key()?;
        if matches!(self.peek(), Token::Mark(",") | Token::End) {
            return Ok(Requirement::new(key, Operator::Exists, Vec::new()));
        }
        let (operator, many) = match self.next() {
            Token::Mark("=" | "==") => (Operator::Equals, false),
            Token::Mark("!=") => (Operator::NotEquals, false),
            Token::Mark(">") => (Operator::GreaterThan, false),
            Token::Mark("<") => (Operator::LessThan, false),
            Token::Word(w) if w == "in" => (Operator::In, true),
            Token::Word(w) if w == "notin" => (Operator::NotIn, true),
            other => return Err(wrong(&other, "in, notin, =, ==, !=, gt, lt")),
        };
        let values = if many { self.values()? } else { vec![self.one_value()?] };
        for v in &values {
            check_value(&key, v)?;
        }
        if matches!(operator, Operator::GreaterThan | Operator::LessThan) && values[0].parse::<i64>().is_err() {
            return Err("for 'Gt', 'Lt' operators, the value must be an integer".to_string());
        }
        Ok(Requirement::new(key, operator, values))
    }

    fn key(&mut self) -> Result<Str, String> {
        match self.next() {
            Token::Word(w) => Ok(Str::from(w)),
            other => Err(wrong(&other, "identifier")),
        }
    }

    fn one_value(&mut self) -> Result<Str, String> {
        match self.peek() {
            Token::End | Token::Mark(",") => Ok(Str::default()),
            Token::Word(_) => Ok(Str::from(self.next().text())),
            other => Err(wrong(other, "identifier")),
        }
    }

    fn values(&mut self) -> Result<Vec<Str>, String> {
        if *self.peek() != Token::Mark("(") {
            return Err(format!("unable to parse requirement: found '{}' expected: '('", self.peek().text()));
        }
        self.next();
        let mut found = Vec::new();
        loop {
            match self.next() {
                Token::Word(w) => {
                    found.push(Str::from(w));
                    match self.next() {
                        Token::Mark(",") if *self.peek() == Token::Mark(")") => found.push(Str::default()),
                        Token::Mark(",") => {}
                        Token::Mark(")") => return Ok(found),
                        other => return Err(wrong(&other, "',' or ')'")),
                    }
                }
                Token::Mark(",") => found.push(Str::default()),
                Token::Mark(")") => {
                    if found.is_empty() {
                        found.push(Str::default());
                    }
                    return Ok(found);
                }
                other => return Err(wrong(&other, "',', ')' or identifier")),
            }
        }
    }
}

/// `validation.IsValidLabelValue`, with kubectl's words.
fn check_value(key: &str, value: &str) -> Result<(), String> {
    let inner = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    let edge = |b: Option<&u8>| b.is_none_or(|b| b.is_ascii_alphanumeric());
    let bytes = value.as_bytes();
    if value.len() > 63 {
        return Err(format!("values[0][{key}]: Invalid value: {value:?}: must be no more than 63 bytes"));
    }
    if bytes.iter().copied().all(inner) && edge(bytes.first()) && edge(bytes.last()) {
        return Ok(());
    }
    Err(format!(
        "values[0][{key}]: Invalid value: {value:?}: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
         and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', \
         regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    #[test]
    fn a_text_selects_what_kubectl_would_select() {
        let labels = value!({"app": "web", "tier": "front", "n": "5"});
        let table = [
            ("", true),
            ("app=web", true),
            ("app==web,tier=front", true),
            ("app = web , tier != back", true),
            ("app!=web", false),
            ("missing!=x", true),
            ("app in (web, api)", true),
            ("app notin (api)", true),
            ("missing notin (a)", true),
            ("app", true),
            ("!app", false),
            ("!missing", true),
            ("n>4", true),
            ("n<4", false),
            ("app=", false),
            ("tier in (a,front),app", true),
        ];
        for (text, expected) in table {
            assert_eq!(Selector::parse(text).unwrap().matches(&labels), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for text in ["=web", "app in web", "app=a b", "app=web,", "app in (a", "n>x", "app=-bad-", ","] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
        assert_eq!(Selector::parse("app in web").unwrap_err(), "unable to parse requirement: found 'web' expected: '('");
    }

    #[test]
    fn an_object_selects_as_labels_and_expressions_say_and_null_selects_nothing() {
        let s = Selector::from_object(&value!({
            "matchLabels": {"app": "web"},
            "matchExpressions": [{"key": "tier", "operator": "In", "values": ["b", "a"]}, {"key": "x", "operator": "DoesNotExist"}]
        }))
        .unwrap();
        assert_eq!(s.to_string(), "app=web,tier in (a,b),!x");
        assert!(s.matches(&value!({"app": "web", "tier": "a"})));
        assert!(!s.matches(&value!({"app": "web", "tier": "a", "x": ""})));
        assert!(!Selector::of_object(&Value::Null).matches(&value!({"app": "web"})));
        assert!(Selector::of_object(&value!({})).matches(&Value::Null));
        assert!(Selector::from_object(&value!({"matchExpressions": [{"key": "a", "operator": "Is"}]})).is_err());
        assert_eq!(s.required("app").map(Str::as_str), Some("web"));
    }
}
