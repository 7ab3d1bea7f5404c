//! Amounts of resources: `100m`, `1.5Gi`, `2e3`. Exact integer arithmetic in billionths.
//! Follows apimachinery `pkg/api/resource/quantity.go`.

use super::Value;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

const NANOS: i128 = 1_000_000_000;
/// Upstream caps every amount at the largest int64.
const MAX: i128 = i64::MAX as i128 * NANOS;
/// Digits beyond these cannot change a capped or rounded amount.
const DIGITS: usize = 60;

/// How an amount likes to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// `12e6`
    DecimalExponent,
    /// `12Mi`
    BinarySi,
    /// `12M`
    #[default]
    DecimalSi,
}

/// An amount. Equal amounts are equal however they are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantity {
    nanos: i128,
    format: Format,
}

/// Why a text is no quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Format,
    #[error("unable to parse numeric part of quantity")]
    Number,
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

impl Quantity {
    pub const ZERO: Quantity = Quantity { nanos: 0, format: Format::DecimalSi };

    pub const fn from_int(n: i64) -> Quantity {
        Quantity { nanos: n as i128 * NANOS, format: Format::DecimalSi }
    }

    pub const fn from_milli(n: i64) -> Quantity {
        Quantity { nanos: n as i128 * 1_000_000, format: Format::DecimalSi }
    }

    /// An amount of bytes, written as `64Mi`.
    pub const fn from_bytes(n: i64) -> Quantity {
        Quantity { nanos: n as i128 * NANOS, format: Format::BinarySi }
    }

    /// Reads a quantity as Kubernetes does: rounded away from zero to billionths, capped at 2^63 - 1.
    ///
    /// # Errors
    /// If the text is no quantity; the message is Kubernetes' own.
    pub fn parse(text: &str) -> Result<Quantity, QuantityError> {
        let (negative, rest) = match text.as_bytes().first() {
            None => return Err(QuantityError::Format),
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            Some(_) => (false, text),
        };
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if number.is_empty() || (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return Err(QuantityError::Format);
        }
        let (base2, exponent, mut format) = read_suffix(suffix)?;
        let magnitude = scale(whole, fraction, base2, exponent);
        if format == Format::BinarySi && magnitude > 0 && magnitude < NANOS {
            format = Format::DecimalSi;
        }
        Ok(Quantity { nanos: if negative { -magnitude } else { magnitude }, format })
    }

    /// The quantity in a field that may hold a text or a number; `None` if it holds neither or no quantity.
    pub fn of(value: &Value) -> Option<Quantity> {
        match value {
            Value::Str(s) => Quantity::parse(s).ok(),
            Value::Int(n) => Some(Quantity::from_int(*n)),
            Value::Float(f) => Quantity::parse(&f.to_string()).ok(),
            _ => None,
        }
    }

    /// As `of`, 0 if there is none.
    pub fn of_or_zero(value: &Value) -> Quantity {
        Quantity::of(value).unwrap_or_default()
    }

    /// Whole units, rounded away from zero.
    pub fn units(self) -> i64 {
        self.scaled(NANOS)
    }

    /// Thousandths, rounded away from zero.
    pub fn milli(self) -> i64 {
        self.scaled(1_000_000)
    }

    fn scaled(self, unit: i128) -> i64 {
        let up = (self.nanos.abs() + unit - 1) / unit;
        let n = if self.nanos < 0 { -up } else { up };
        i64::try_from(n).unwrap_or(if n < 0 { i64::MIN } else { i64::MAX })
    }

    pub fn is_zero(self) -> bool {
        self.nanos == 0
    }

    pub fn is_negative(self) -> bool {
        self.nanos < 0
    }

    pub fn format(self) -> Format {
        self.format
    }

    /// The same amount, written in another format.
    pub fn written(self, format: Format) -> Quantity {
        Quantity { format, ..self }
    }

    /// The canonical text of a text, or `None` if it is no quantity.
    pub fn canonical(text: &str) -> Option<String> {
        Quantity::parse(text).ok().map(|q| q.to_string())
    }
}

/// The base (2 or not), exponent and format that a suffix stands for.
fn read_suffix(suffix: &str) -> Result<(bool, i32, Format), QuantityError> {
    let decimal = |e| Ok((false, e, Format::DecimalSi));
    let binary = |e| Ok((true, e, Format::BinarySi));
    match suffix {
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "" => decimal(0),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        _ => {
            let digits = suffix.strip_prefix(['e', 'E']).ok_or(suffix_error(suffix))?;
            let bare = digits.strip_prefix(['+', '-']).unwrap_or(digits);
            if bare.is_empty() || !bare.bytes().all(|b| b.is_ascii_digit()) {
                return Err(suffix_error(suffix));
            }
            let exponent: i32 = digits.parse().map_err(|_| QuantityError::Suffix)?;
            Ok((false, exponent, Format::DecimalExponent))
        }
    }
}

/// Letters that no suffix has break the pattern; others make an unknown suffix.
fn suffix_error(suffix: &str) -> QuantityError {
    let letters = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let sign = letters.strip_prefix(['+', '-']).unwrap_or(letters);
    if sign.bytes().all(|b| b.is_ascii_digit()) { QuantityError::Suffix } else { QuantityError::Format }
}

/// `whole.fraction` times 2^exponent or 10^exponent, in billionths, rounded up and capped.
fn scale(whole: &str, fraction: &str, base2: bool, exponent: i32) -> i128 {
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let digits = || whole.bytes().chain(fraction.bytes());
    if !digits().any(|b| b != b'0') {
        return 0;
    }
    let shift = 9 + if base2 { 0 } else { i64::from(exponent) } - fraction.len() as i64;
    let factor = if base2 { 1_i128 << exponent } else { 1 };
    let length = digits().skip_while(|b| *b == b'0').count();
    if length as i64 + shift > 40 || length > DIGITS && shift >= 0 {
        return MAX;
    }
    // Digits below a billionth only say whether to round up; a binary factor needs a few more of them.
    let guard = if base2 { 10 } else { 0 };
    let drop = usize::try_from(-shift - guard).unwrap_or(0);
    let kept = digits().count().saturating_sub(drop);
    let mut lost = digits().skip(kept).any(|b| b != b'0');
    let mut amount: i128 = 0;
    for b in digits().take(kept) {
        amount = amount.saturating_mul(10).saturating_add(i128::from(b - b'0'));
    }
    amount = amount.saturating_mul(factor);
    for _ in 0..shift.max(0) {
        amount = amount.saturating_mul(10);
    }
    for _ in 0..(-shift).clamp(0, guard) {
        lost |= amount % 10 != 0;
        amount /= 10;
    }
    (amount.saturating_add(i128::from(lost))).min(MAX)
}

impl fmt::Display for Quantity {
    /// The canonical form: no fraction, the largest suffix that keeps every digit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nanos == 0 {
            return f.pad("0");
        }
        let small = self.nanos.abs() < 1024 * NANOS;
        if self.format == Format::BinarySi && !small && self.nanos % NANOS == 0 {
            let (mut n, mut step) = (self.nanos / NANOS, 0);
            while n % 1024 == 0 && step < 6 {
                n /= 1024;
                step += 1;
            }
            return f.pad(&format!("{n}{}", ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"][step]));
        }
        let (mut n, mut exponent) = (self.nanos, -9);
        while n % 1000 == 0 && exponent < 18 {
            n /= 1000;
            exponent += 3;
        }
        if self.format == Format::DecimalExponent {
            return f.pad(&if exponent == 0 { n.to_string() } else { format!("{n}e{exponent}") });
        }
        let suffix = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"][((exponent + 9) / 3) as usize];
        f.pad(&format!("{n}{suffix}"))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Quantity) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Quantity) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Quantity) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl Add for Quantity {
    type Output = Quantity;
    /// Keeps the left side's format, unless that is zero.
    fn add(self, other: Quantity) -> Quantity {
        let format = if self.nanos == 0 { other.format } else { self.format };
        Quantity { nanos: self.nanos.saturating_add(other.nanos), format }
    }
}

impl AddAssign for Quantity {
    fn add_assign(&mut self, other: Quantity) {
        *self = *self + other;
    }
}

impl Neg for Quantity {
    type Output = Quantity;
    fn neg(self) -> Quantity {
        Quantity { nanos: -self.nanos, ..self }
    }
}

impl Sub for Quantity {
    type Output = Quantity;
    fn sub(self, other: Quantity) -> Quantity {
        self + -other
    }
}

impl SubAssign for Quantity {
    fn sub_assign(&mut self, other: Quantity) {
        *self = *self - other;
    }
}

impl From<Quantity> for Value {
    fn from(q: Quantity) -> Value {
        Value::from(q.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_is_written_in_its_canonical_form() {
        let table = [
            ("0", "0"),
            ("0Mi", "0"),
            ("100m", "100m"),
            ("0.1", "100m"),
            ("1000m", "1"),
            ("1.5", "1500m"),
            ("2.0", "2"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("1000Ki", "1000Ki"),
            ("512", "512"),
            ("1023Ki", "1023Ki"),
            ("0.5Ki", "512"),
            ("0.5Mi", "512Ki"),
            ("1.2Ki", "1228800m"),
            ("1000000", "1M"),
            ("1500000", "1500k"),
            ("1e3", "1e3"),
            ("12E6", "12e6"),
            ("1e0", "1"),
            ("1E", "1E"),
            ("100E", "9223372036854775807"),
            ("1.0000000001", "1000000001n"),
            ("0.0000000001", "1n"),
            ("-1.5", "-1500m"),
            ("+5", "5"),
            (".5", "500m"),
            ("5.", "5"),
            ("8Ei", "9223372036854775807"),
            ("0.000000000000001Gi", "1074n"),
        ];
        for (text, canonical) in table {
            assert_eq!(Quantity::canonical(text).as_deref(), Some(canonical), "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_kubernetes_words() {
        let table = [
            ("", QuantityError::Format),
            ("abc", QuantityError::Format),
            ("1.2.3", QuantityError::Format),
            (".", QuantityError::Format),
            ("1 Gi", QuantityError::Format),
            ("1gb", QuantityError::Format),
            ("10MM", QuantityError::Suffix),
            ("1ki", QuantityError::Suffix),
            ("1e", QuantityError::Suffix),
        ];
        for (text, error) in table {
            assert_eq!(Quantity::parse(text).err(), Some(error), "{text}");
        }
    }

    #[test]
    fn amounts_compare_and_add_whatever_their_suffix() {
        let q = |t: &str| Quantity::parse(t).unwrap();
        assert_eq!(q("1Gi"), q("1073741824"));
        assert!(q("999m") < q("1"));
        assert_eq!((q("100m") + q("1")).to_string(), "1100m");
        assert_eq!((q("64Mi") + q("64Mi")).to_string(), "128Mi");
        assert_eq!((Quantity::ZERO + q("64Mi")).to_string(), "64Mi");
        assert_eq!((q("1") - q("250m")).milli(), 750);
        assert_eq!((q("1500m").units(), q("1n").milli(), q("64Mi").units()), (2, 1, 67_108_864));
    }
}
