//! What a scalar's text is: YAML 1.1 as go-yaml v2 resolves it (`resolve.go`), then JSON as Go writes it.

/// A scalar as go-yaml sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer above `i64::MAX`.
    Big(u64),
    Float(f64),
    Text(String),
    /// `<<`, unquoted
    Merge,
}

const TAG: &str = "tag:yaml.org,2002:";

/// Resolves a scalar with its full tag ("" if none). `implicit` is whether it is plain.
///
/// # Errors
/// The text does not fit the tag; the error is go-yaml's message.
pub fn resolve(tag: &str, text: &str, implicit: bool) -> Result<Scalar, String> {
    let short = tag.strip_prefix(TAG);
    match (tag, short) {
        ("", _) if !implicit => Ok(Scalar::Text(text.into())),
        ("", _) => Ok(plain(text)),
        (_, Some("str" | "timestamp")) => Ok(Scalar::Text(text.into())),
        (_, Some("binary")) => match crate::api::base64::decode(text) {
            Some(bytes) => Ok(Scalar::Text(String::from_utf8_lossy(&bytes).into_owned())),
            None => Err("!!binary value contains invalid base64 data".into()),
        },
        (_, Some(wanted @ ("bool" | "int" | "float" | "null"))) => {
            let found = plain(text);
            let name = match &found {
                Scalar::Null => "null",
                Scalar::Bool(_) => "bool",
                Scalar::Int(n) if wanted == "float" => return Ok(Scalar::Float(*n as f64)),
                Scalar::Int(_) | Scalar::Big(_) => "int",
                Scalar::Float(_) => "float",
                Scalar::Text(_) => "str",
                Scalar::Merge => "merge",
            };
            if name == wanted { Ok(found) } else { Err(format!("cannot decode !!{name} `{text}` as a !!{wanted}")) }
        }
        (_, Some("merge")) if text == "<<" => Ok(Scalar::Merge),
        _ => Ok(Scalar::Text(text.into())),
    }
}

fn plain(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => return Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => return Scalar::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        "<<" => return Scalar::Merge,
        _ => {}
    }
    let number = match text.as_bytes()[0] {
        b'.' => float(text),
        b'0'..=b'9' | b'+' | b'-' => number(&text.replace('_', "")),
        _ => None,
    };
    number.unwrap_or_else(|| Scalar::Text(text.into()))
}

fn number(text: &str) -> Option<Scalar> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    integer(negative, digits, !text.starts_with(['+', '-'])).or_else(|| float(text))
}

/// Go's `ParseInt` with base 0: prefixes 0x, 0o and 0b; a leading 0 is octal. Only without a sign may it be above `i64`.
fn integer(negative: bool, digits: &str, unsigned: bool) -> Option<Scalar> {
    let lower = digits.get(..2).map(str::to_ascii_lowercase);
    let (base, digits) = match lower.as_deref() {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some(_) if digits.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = u64::from_str_radix(digits, base).ok()?;
    match i64::try_from(value) {
        Ok(n) => Some(Scalar::Int(if negative { -n } else { n })),
        Err(_) if negative && value == 1 << 63 => Some(Scalar::Int(i64::MIN)),
        Err(_) if unsigned => Some(Scalar::Big(value)),
        Err(_) => None,
    }
}

/// `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`, within range.
fn float(text: &str) -> Option<Scalar> {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|c| c.is_ascii_digit());
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let whole = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction),
        Some((whole, fraction)) => digits(whole) && (fraction.is_empty() || digits(fraction)),
        None => digits(mantissa),
    };
    if !whole || !exponent.is_none_or(|e| digits(e.strip_prefix(['-', '+']).unwrap_or(e))) {
        return None;
    }
    text.parse().ok().filter(|f: &f64| f.is_finite()).map(Scalar::Float)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_are_what_kubectl_makes_of_them() {
        let text = |s: &str| Scalar::Text(s.into());
        for (source, expected) in [
            ("y", Scalar::Bool(true)),
            ("Off", Scalar::Bool(false)),
            ("yES", text("yES")),
            ("~", Scalar::Null),
            ("", Scalar::Null),
            ("nULL", text("nULL")),
            ("0644", Scalar::Int(420)),
            ("0o17", Scalar::Int(15)),
            ("0x1F", Scalar::Int(31)),
            ("-0x1F", Scalar::Int(-31)),
            ("0b11", Scalar::Int(3)),
            ("1_000", Scalar::Int(1000)),
            ("+5", Scalar::Int(5)),
            ("0", Scalar::Int(0)),
            ("08", Scalar::Float(8.0)),
            ("1e3", Scalar::Float(1000.0)),
            ("1.", Scalar::Float(1.0)),
            (".5", Scalar::Float(0.5)),
            ("-.5", Scalar::Float(-0.5)),
            ("1e999", text("1e999")),
            ("9223372036854775807", Scalar::Int(i64::MAX)),
            ("-9223372036854775808", Scalar::Int(i64::MIN)),
            ("9223372036854775808", Scalar::Big(1 << 63)),
            ("99999999999999999999", Scalar::Float(1e20)),
            ("2001-12-14", text("2001-12-14")),
            ("12:30:45", text("12:30:45")),
            ("1.2.3", text("1.2.3")),
            ("0x", text("0x")),
            ("-", text("-")),
            ("100m", text("100m")),
            ("1Gi", text("1Gi")),
            ("_1", text("_1")),
            ("inf", text("inf")),
            ("<<", Scalar::Merge),
        ] {
            assert_eq!(resolve("", source, true), Ok(expected), "{source}");
        }
        assert_eq!(resolve("", "yes", false), Ok(text("yes")));
        assert_eq!(resolve("tag:yaml.org,2002:str", "12", true), Ok(text("12")));
        assert_eq!(resolve("tag:yaml.org,2002:float", "12", true), Ok(Scalar::Float(12.0)));
        assert_eq!(resolve("tag:yaml.org,2002:int", "x", true), Err("cannot decode !!str `x` as a !!int".into()));
    }
}
