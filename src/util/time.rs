//! Simulated time: milliseconds since the start of the world, never the machine's clock.

use std::cell::RefCell;
use std::fmt;

/// The wall-clock instant of simulated time 0, in seconds since 1970: 2026-01-01T00:00:00Z.
const START_UNIX_S: u64 = 1_767_225_600;

/// An instant of simulated time, in milliseconds since the start of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// This instant plus `ms` milliseconds.
    pub fn after_ms(self, ms: u64) -> Time {
        Time(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this instant; 0 if `earlier` is later.
    pub fn since_ms(self, earlier: Time) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// As Kubernetes writes `metav1.Time`: whole seconds, UTC.
    pub fn rfc3339(self) -> String {
        thread_local! {
            /// The second that was written last: most of what happens, happens in the same one.
            static LATELY: RefCell<(u64, String)> = const { RefCell::new((u64::MAX, String::new())) };
        }
        LATELY.with_borrow_mut(|(second, text)| {
            if *second != self.0 / 1000 {
                *second = self.0 / 1000;
                text.clear();
                self.write_seconds(text);
                text.push('Z');
            }
            text.clone()
        })
    }

    /// As Kubernetes writes `metav1.MicroTime`: microseconds, UTC.
    pub fn rfc3339_micro(self) -> String {
        let mut out = String::with_capacity(27);
        self.write_seconds(&mut out);
        out.push('.');
        digits(self.0 % 1000, 3, &mut out);
        out.push_str("000Z");
        out
    }

    /// Writes date and time without a zone. By hand: the formatter takes ten times as long, and times are written often.
    fn write_seconds(self, out: &mut String) {
        let (y, mo, d, h, mi, s) = civil(START_UNIX_S + self.0 / 1000);
        for (number, width, before) in [(y, 4, ""), (mo, 2, "-"), (d, 2, "-"), (h, 2, "T"), (mi, 2, ":"), (s, 2, ":")] {
            out.push_str(before);
            digits(number, width, out);
        }
    }

    /// The instant that an RFC 3339 UTC text names, or `None` if it is no such text.
    pub fn parse_rfc3339(text: &str) -> Option<Time> {
        let b = text.as_bytes();
        if b.len() < 20 || b[4] != b'-' || b[10] != b'T' || *b.last()? != b'Z' {
            return None;
        }
        let n = |r: std::ops::Range<usize>| text.get(r)?.parse::<u64>().ok();
        let days = days_from_civil(n(0..4)? as i64, n(5..7)? as i64, n(8..10)? as i64);
        let unix = u64::try_from(days).ok()? * 86_400 + n(11..13)? * 3600 + n(14..16)? * 60 + n(17..19)?;
        let ms = if b[19] == b'.' { n(20..23).unwrap_or(0) } else { 0 };
        Some(Time(unix.checked_sub(START_UNIX_S)? * 1000 + ms))
    }

    /// Nanoseconds since 1970, as the event recorder puts them into an Event's name.
    pub fn unix_ns(self) -> u64 {
        (START_UNIX_S * 1_000_000_000).saturating_add(self.0.saturating_mul(1_000_000))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}s", self.0 / 1000, self.0 % 1000)
    }
}

/// Writes the last `width` decimal digits of a number.
fn digits(number: u64, width: u32, out: &mut String) {
    for place in (0..width).rev() {
        out.push(char::from(b'0' + (number / 10_u64.pow(place) % 10) as u8));
    }
}

/// Year, month, day, hour, minute and second of a Unix time (Howard Hinnant's `civil_from_days`).
fn civil(unix_s: u64) -> (u64, u64, u64, u64, u64, u64) {
    let (days, rest) = (unix_s / 86_400, unix_s % 86_400);
    let z = days + 719_468;
    let (era, doe) = (z / 146_097, z % 146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + u64::from(month <= 2);
    (year, month, doy - (153 * mp + 2) / 5 + 1, rest / 3600, rest / 60 % 60, rest % 60)
}

/// Days since 1970 of a civil date.
fn days_from_civil(y: i64, m: i64, d: i64) -> i64 {
    let y = if m <= 2 { y - 1 } else { y };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * (if m > 2 { m - 3 } else { m + 9 }) + 2) / 5 + d - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_kubernetes_writes_it_and_read_back() {
        for (ms, text) in [(0, "2026-01-01T00:00:00Z"), (86_400_000 * 59, "2026-03-01T00:00:00Z"), (1_999, "2026-01-01T00:00:01Z")] {
            assert_eq!(Time(ms).rfc3339(), text);
            assert_eq!(Time::parse_rfc3339(text), Some(Time(ms / 1000 * 1000)));
        }
        assert_eq!(Time(1_234).rfc3339_micro(), "2026-01-01T00:00:01.234000Z");
        assert_eq!(Time::parse_rfc3339("2026-01-01T00:00:01.234000Z"), Some(Time(1_234)));
        assert_eq!(Time::parse_rfc3339("yesterday"), None);
    }

    #[test]
    fn the_last_instant_can_be_written_and_added_to() {
        let end = Time(u64::MAX).after_ms(u64::MAX);
        assert_eq!((end, end.unix_ns()), (Time(u64::MAX), u64::MAX));
        assert!(end.rfc3339().ends_with('Z') && end.rfc3339_micro().ends_with('Z'));
    }
}
