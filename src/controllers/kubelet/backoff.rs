//! Restart and pull back-offs: client-go `util/flowcontrol/backoff.go` without its jitter, which the kubelet leaves at 0.

use crate::api::Str;
use crate::util::Time;

pub const INITIAL_MS: u64 = 10_000;
pub const MAX_MS: u64 = 300_000;

/// The back-off of one container or image.
#[derive(Clone, Debug)]
struct Entry {
    key: Str,
    delay_ms: u64,
    updated: Time,
}

/// The back-offs of one pod, by container or image.
#[derive(Clone, Debug, Default)]
pub struct Backoff(Vec<Entry>);

impl Backoff {
    fn find(&self, key: &str) -> Option<&Entry> {
        self.0.iter().find(|e| e.key == *key)
    }

    /// The present delay, 0 if there is none.
    pub fn delay_ms(&self, key: &str) -> u64 {
        self.find(key).map_or(0, |e| e.delay_ms)
    }

    /// When the back-off that began at `since` ends, if it has not ended at `now`.
    pub fn until(&self, key: &str, since: Time, now: Time) -> Option<Time> {
        let entry = self.find(key)?;
        // A container that ran well for twice the longest back-off starts anew.
        if since.since_ms(entry.updated) > 2 * MAX_MS {
            return None;
        }
        Some(since.after_ms(entry.delay_ms)).filter(|end| *end > now)
    }

    /// As `until`, counted from the last `next`.
    pub fn until_since_update(&self, key: &str, now: Time) -> Option<Time> {
        let updated = self.find(key)?.updated;
        self.until(key, updated, now)
    }

    /// Notes another failure: the delay doubles.
    pub fn next(&mut self, key: &str, at: Time) {
        match self.0.iter_mut().find(|e| e.key == *key) {
            Some(e) if at.since_ms(e.updated) <= 2 * MAX_MS => {
                e.delay_ms = (e.delay_ms * 2).min(MAX_MS);
                e.updated = at;
            }
            Some(e) => {
                e.delay_ms = INITIAL_MS;
                e.updated = at;
            }
            None => self.0.push(Entry { key: Str::from(key), delay_ms: INITIAL_MS, updated: at }),
        }
    }
}

/// As Go prints a duration: `10s`, `1m20s`, `1.003s`, `15ms`.
pub fn go_duration(ms: u64) -> String {
    if ms == 0 {
        return "0s".to_string();
    }
    if ms < 1000 {
        return format!("{ms}ms");
    }
    let (hours, minutes, rest) = (ms / 3_600_000, ms / 60_000 % 60, ms % 60_000);
    let mut seconds = format!("{}", rest / 1000);
    if !rest.is_multiple_of(1000) {
        seconds.push_str(format!(".{:03}", rest % 1000).trim_end_matches('0'));
    }
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, m) => format!("{m}m{seconds}s"),
        (h, m) => format!("{h}h{m}m{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_up_to_five_minutes_and_is_forgotten_after_ten() {
        let mut b = Backoff::default();
        let mut at = Time(0);
        for expected in [10, 20, 40, 80, 160, 300, 300] {
            b.next("a", at);
            assert_eq!(b.delay_ms("a"), expected * 1000);
            assert_eq!(b.until("a", at, at), Some(at.after_ms(expected * 1000)));
            at = at.after_ms(expected * 1000);
        }
        assert_eq!(b.until("a", at.after_ms(700_000), at.after_ms(700_000)), None);
        b.next("a", at.after_ms(700_000));
        assert_eq!(b.delay_ms("a"), 10_000);
    }

    #[test]
    fn durations_are_written_as_go_does() {
        for (ms, text) in
            [(0, "0s"), (15, "15ms"), (1003, "1.003s"), (10_000, "10s"), (80_000, "1m20s"), (300_000, "5m0s"), (3_600_000, "1h0m0s")]
        {
            assert_eq!(go_duration(ms), text);
        }
    }
}
