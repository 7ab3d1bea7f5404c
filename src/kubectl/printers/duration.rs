//! Lengths of time as kubectl shows them: apimachinery's `duration.HumanDuration`.

use crate::api::Value;
use crate::util::Time;

/// How long ago an instant was; `<unknown>` if it is not known.
pub fn since(timestamp: &Value, now: Time) -> String {
    match Time::parse_rfc3339(timestamp.text()) {
        Some(then) => human(now.0 as i64 - then.0 as i64),
        None => "<unknown>".to_string(),
    }
}

/// A length of time in milliseconds, in at most two units.
pub fn human(ms: i64) -> String {
    let seconds = ms / 1000;
    if seconds < -1 {
        return "<invalid>".to_string();
    }
    if seconds < 0 {
        return "0s".to_string();
    }
    if seconds < 120 {
        return format!("{seconds}s");
    }
    let pair = |a: i64, unit: &str, b: i64, small: &str| if b == 0 { format!("{a}{unit}") } else { format!("{a}{unit}{b}{small}") };
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match hours {
        _ if minutes < 10 => pair(minutes, "m", seconds % 60, "s"),
        _ if minutes < 180 => format!("{minutes}m"),
        _ if hours < 8 => pair(hours, "h", minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if hours < 192 => pair(hours / 24, "d", hours % 24, "h"),
        _ if hours < 24 * 365 * 2 => format!("{}d", hours / 24),
        _ if hours < 24 * 365 * 8 => pair(hours / 24 / 365, "y", hours / 24 % 365, "d"),
        _ => format!("{}y", hours / 24 / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_written_as_kubectl_writes_them() {
        let (second, minute, hour, day) = (1000, 60_000, 3_600_000, 86_400_000);
        let table = [
            (0, "0s"),
            (-1500, "0s"),
            (-2500, "<invalid>"),
            (119 * second, "119s"),
            (120 * second, "2m"),
            (9 * minute + 59 * second, "9m59s"),
            (10 * minute + 5 * second, "10m"),
            (179 * minute, "179m"),
            (3 * hour + minute, "3h1m"),
            (9 * hour, "9h"),
            (2 * day, "2d"),
            (2 * day + hour, "2d1h"),
            (9 * day, "9d"),
            (800 * day, "2y70d"),
        ];
        for (ms, text) in table {
            assert_eq!(human(ms), text);
        }
    }
}
