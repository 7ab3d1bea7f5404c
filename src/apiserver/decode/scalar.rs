//! Texts, numbers and the types that read themselves: quantities, times, base64.

use crate::api::schema::Shape;
use crate::api::{Quantity, Value, base64};

pub enum Scalar {
    Fits(Value),
    /// A value of another type: how the decoder names what it is.
    WrongType(String),
    /// A message of the type's own reader, which knows no field.
    Refused(String),
}

pub fn decode(value: &Value, shape: Shape) -> Scalar {
    match (shape, value) {
        (Shape::String, Value::Str(_)) | (Shape::Bool, Value::Bool(_)) | (Shape::Int64 | Shape::Integer, Value::Int(_)) => {
            Scalar::Fits(value.clone())
        }
        (Shape::Int32, Value::Int(n)) if i32::try_from(*n).is_ok() => Scalar::Fits(value.clone()),
        (Shape::Number, Value::Int(_) | Value::Float(_)) => Scalar::Fits(value.clone()),
        (Shape::Int32 | Shape::Int64 | Shape::Integer, Value::Int(_) | Value::Float(_)) => Scalar::WrongType(number(value)),
        (Shape::IntOrString, _) => int_or_string(value),
        (Shape::Quantity, _) => quantity(value),
        (Shape::Time, _) => time(value, false),
        (Shape::MicroTime, _) => time(value, true),
        (Shape::Bytes, Value::Str(text)) => match base64::fault(text) {
            None => Scalar::Fits(value.clone()),
            Some(at) => Scalar::Refused(format!("illegal base64 data at input byte {at}")),
        },
        _ => Scalar::WrongType(kind(value).into()),
    }
}

/// How Go's decoder names the kind of a JSON value.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    }
}

/// A number that does not fit is named itself.
fn number(value: &Value) -> String {
    format!("number {}", crate::api::json::write_compact(value))
}

fn int_or_string(value: &Value) -> Scalar {
    match value {
        Value::Str(_) => Scalar::Fits(value.clone()),
        Value::Int(n) if i32::try_from(*n).is_ok() => Scalar::Fits(value.clone()),
        Value::Int(_) | Value::Float(_) => Scalar::Refused(format!("json: cannot unmarshal {} into Go value of type int32", number(value))),
        _ => Scalar::Refused(format!("json: cannot unmarshal {} into Go value of type int32", kind(value))),
    }
}

/// Quantities are stored in their canonical form.
fn quantity(value: &Value) -> Scalar {
    let text = match value {
        Value::Str(text) => text.trim().to_string(),
        other => crate::api::json::write_compact(other),
    };
    match Quantity::parse(&text) {
        Ok(amount) => {
            let canonical = amount.to_string();
            let same = value.as_str() == Some(canonical.as_str());
            Scalar::Fits(if same { value.clone() } else { Value::from(canonical) })
        }
        Err(e) => Scalar::Refused(e.to_string()),
    }
}

/// Times are stored in UTC, in whole seconds or microseconds.
fn time(value: &Value, micro: bool) -> Scalar {
    let Value::Str(text) = value else {
        return Scalar::Refused(format!("json: cannot unmarshal {} into Go value of type string", kind(value)));
    };
    match utc(text, micro) {
        Some(written) if written == text.as_str() => Scalar::Fits(value.clone()),
        Some(written) => Scalar::Fits(Value::from(written)),
        None => {
            let layout = if micro { "2006-01-02T15:04:05.000000Z07:00" } else { "2006-01-02T15:04:05Z07:00" };
            let (rest, wanted) = unread(text);
            Scalar::Refused(format!("parsing time \"{text}\" as \"{layout}\": cannot parse \"{rest}\" as \"{wanted}\""))
        }
    }
}

/// Where a text stops being a time, and which part of the layout should be there.
fn unread(text: &str) -> (&str, &'static str) {
    let mut rest = text;
    for (part, digits) in
        [("2006", 4), ("-", 0), ("01", 2), ("-", 0), ("02", 2), ("T", 0), ("15", 2), (":", 0), ("04", 2), (":", 0), ("05", 2)]
    {
        let after = match digits {
            0 => rest.strip_prefix(part),
            n => rest.get(..n).filter(|d| d.bytes().all(|c| c.is_ascii_digit())).map(|_| &rest[n..]),
        };
        match after {
            Some(after) => rest = after,
            None => return (rest, part),
        }
    }
    (rest, "Z07:00")
}

/// The time in UTC; nothing if the text is none.
fn utc(text: &str, micro: bool) -> Option<String> {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits.bytes().all(|c| c.is_ascii_digit()).then(|| digits.parse::<i64>().ok())?
    };
    let marks = [(4, '-'), (7, '-'), (10, 'T'), (13, ':'), (16, ':')];
    if !marks.iter().all(|(at, mark)| text.get(*at..*at + 1) == Some(mark.encode_utf8(&mut [0; 4]))) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let rest = text.get(19..)?;
    let digits = rest.strip_prefix('.').map_or(0, |f| f.bytes().take_while(u8::is_ascii_digit).count());
    let (fraction, zone) = if digits > 0 { (&rest[1..=digits], &rest[digits + 1..]) } else { ("", rest) };
    let offset = match zone.as_bytes() {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let at = text.len() - zone.len();
            let minutes = number(at + 1, at + 3)? * 60 + number(at + 4, at + 6)?;
            if *sign == b'+' { minutes } else { -minutes }
        }
        _ => return None,
    };
    let seconds = civil_days(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    let micros = if micro { format!(".{:0<6.6}", fraction) } else { String::new() };
    Some(written(seconds, &micros))
}

/// Days since 1970-01-01 (Howard Hinnant's `days_from_civil`).
fn civil_days(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let of_era = y.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn written(seconds: i64, micros: &str) -> String {
    let (days, of_day) = (seconds.div_euclid(86_400) + 719_468, seconds.rem_euclid(86_400));
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}{micros}Z", of_day / 3600, of_day / 60 % 60, of_day % 60)
}
