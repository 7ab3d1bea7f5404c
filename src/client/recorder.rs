//! Turns what a loop wants recorded into Event objects: counts what repeats, sums up what resembles, drops what is too much.
//! Follows client-go `tools/record/events_cache.go` (EventCorrelator) and, for the scheduler, `tools/events` (series).

use super::controller::Recorded;
use crate::api::resource::EVENTS;
use crate::api::{Object, PatchType, Request, Resource, Str};
use crate::util::Time;
use crate::util::Tree;
use crate::util::draws::hex;
use crate::value;

/// Events of one source about one object for one reason: this many at once, then one in five minutes.
const SPAM_BURST: i64 = 25;
const SPAM_REFILL_MS: u64 = 300_000;
/// More than this many events that differ only in their message, within this time, become one.
const SIMILAR_MAX: u32 = 10;
const SIMILAR_WITHIN_MS: u64 = 600_000;
const COMBINED: &str = "(combined from similar events): ";
/// A series of the events.k8s.io API ends when nothing was said for this long.
const SERIES_WITHIN_MS: u64 = 360_000;

/// `events.events.k8s.io`, the API that the scheduler uses.
pub const NEW_EVENTS: Resource = Resource::fixed("events.events.k8s.io");

/// Which API a component records with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Core,
    /// `action` and the reporting instance are part of it
    New {
        action: &'static str,
    },
}

#[derive(Clone, Debug)]
struct Bucket {
    tokens: i64,
    refilled: Time,
}

#[derive(Clone, Debug)]
struct Similar {
    messages: Tree<Str, ()>,
    last: Time,
}

#[derive(Clone, Debug)]
struct Said {
    name: Str,
    count: i64,
    last: Time,
    /// It was not only counted.
    stored: bool,
}

/// The memory of one component's recorder.
#[derive(Clone, Default)]
pub struct Recorder {
    spam: Tree<Str, Bucket>,
    similar: Tree<Str, Similar>,
    said: Tree<Str, Said>,
    made: u64,
}

/// Who says it.
#[derive(Clone, Debug)]
pub struct Source {
    pub component: &'static str,
    /// the node of a kubelet, otherwise ""
    pub host: Str,
    pub manager: &'static str,
    pub style: Style,
}

impl Recorder {
    /// The request that records an event, or none if the correlator drops it.
    pub fn record(&mut self, event: &Recorded, source: &Source, now: Time) -> Option<Request> {
        match source.style {
            Style::Core => self.record_core(event, source, now),
            Style::New { action } => self.record_new(event, source, action, now),
        }
    }

    #[inline(never)]
    fn record_core(&mut self, event: &Recorded, source: &Source, now: Time) -> Option<Request> {
        let about = Str::of(&[source.component, "|", event.about.kind(), "|", event.about.uid()]);
        let alike = Str::of(&[&about, "|", event.kind, "|", &event.reason]);
        let combined = self.combines(event, &alike, now);
        let message = if combined { Str::of(&[COMBINED, &event.message]) } else { event.message.clone() };
        let said_key = if combined { alike.clone() } else { Str::of(&[&alike, "|", &event.field_path, "|", &message]) };
        let known = self.said.get(&said_key).cloned();
        let count = known.as_ref().map_or(0, |said| said.count) + 1;
        let written = self.spam_allows(&alike, now);
        let stored = known.as_ref().is_some_and(|said| said.stored);
        let name = known.map_or_else(|| self.name(&event.about, now), |said| said.name);
        // What is dropped is counted all the same.
        self.said.insert_mut(said_key, Said { name: name.clone(), count, last: now, stored: stored || written });
        if !written {
            return None;
        }
        let namespace = namespace_of(&event.about);
        if stored {
            let patch = value!({"count": count, "lastTimestamp": (now.rfc3339()), "message": (message)});
            return Some(Request::patch(PatchType::Strategic, &EVENTS, namespace, name, patch).by(source.manager));
        }
        let mut involved = event.about.reference();
        if !event.field_path.is_empty() {
            involved.set("fieldPath", event.field_path.clone());
        }
        let mut from = value!({"component": (source.component)});
        if !source.host.is_empty() {
            from.set("host", source.host.clone());
        }
        let at = Str::from(now.rfc3339());
        let (reporter, instance) = if combined { Default::default() } else { (Str::fixed(source.component), source.host.clone()) };
        let object = value!({
            "apiVersion": "v1", "count": count, "eventTime": null, "firstTimestamp": (at.clone()), "involvedObject": involved,
            "kind": "Event", "lastTimestamp": at, "message": message, "metadata": {"name": name, "namespace": (namespace.clone())},
            "reason": (event.reason.clone()), "reportingComponent": reporter, "reportingInstance": instance,
            "source": from, "type": (event.kind)
        });
        Some(Request::create(&EVENTS, Object(object)).by(source.manager))
    }

    /// Whether an event is one of so many alike that one Event stands for all that follow.
    #[inline(never)]
    fn combines(&mut self, event: &Recorded, alike: &Str, now: Time) -> bool {
        let fresh = || Similar { messages: Tree::new(), last: now };
        let mut similar = self.similar.get(alike).cloned().unwrap_or_else(fresh);
        if now.since_ms(similar.last) > SIMILAR_WITHIN_MS {
            similar = fresh();
        }
        similar.messages.insert_mut(event.message.clone(), ());
        similar.last = now;
        let many = similar.messages.size() >= SIMILAR_MAX as usize;
        if many {
            // Upstream forgets any one of them, so what it remembers still goes by its own name when it is said again.
            let any = (self.made as usize).wrapping_add(event.message.len()) % similar.messages.size();
            similar.messages = similar.messages.keys().enumerate().filter(|(i, _)| *i != any).map(|(_, m)| (m.clone(), ())).collect();
        }
        self.similar.insert_mut(alike.clone(), similar);
        many
    }

    fn spam_allows(&mut self, key: &Str, now: Time) -> bool {
        let mut bucket = self.spam.get(key).cloned().unwrap_or(Bucket { tokens: SPAM_BURST, refilled: now });
        let refill = i64::try_from(now.since_ms(bucket.refilled) / SPAM_REFILL_MS).unwrap_or(SPAM_BURST);
        if refill > 0 {
            bucket.tokens = (bucket.tokens + refill).min(SPAM_BURST);
            bucket.refilled = now;
        }
        let allowed = bucket.tokens > 0;
        bucket.tokens -= i64::from(allowed);
        self.spam.insert_mut(key.clone(), bucket);
        allowed
    }

    #[inline(never)]
    fn record_new(&mut self, event: &Recorded, source: &Source, action: &'static str, now: Time) -> Option<Request> {
        let namespace = namespace_of(&event.about);
        // What is said does not count, but the version of what it is said about does.
        let version = event.about.meta().get("resourceVersion").text();
        let key = Str::of(&[source.component, "|", action, "|", event.kind, "|", &event.reason, "|", event.about.uid(), "|", version]);
        let at = now.rfc3339_micro();
        if let Some(said) = self.said.get(&key).cloned()
            && now.since_ms(said.last) < SERIES_WITHIN_MS
        {
            let count = said.count + 1;
            let patch = value!({"series": {"count": count, "lastObservedTime": at}});
            self.said.insert_mut(key, Said { count, last: now, ..said.clone() });
            // The first repetition starts the series; later ones are written with the next heartbeat of it.
            return (count == 2).then(|| Request::patch(PatchType::Strategic, &NEW_EVENTS, namespace, said.name, patch).by(source.manager));
        }
        let name = self.name(&event.about, now);
        self.said.insert_mut(key, Said { name: name.clone(), count: 1, last: now, stored: true });
        let object = value!({
            "action": action, "apiVersion": "events.k8s.io/v1", "eventTime": at, "kind": "Event",
            "metadata": {"name": name, "namespace": namespace}, "note": (event.message.clone()), "reason": (event.reason.clone()),
            "regarding": (event.about.reference()), "reportingController": (source.component),
            "reportingInstance": (Str::of(&[source.component, "-vm"])), "type": (event.kind)
        });
        Some(Request::create(&NEW_EVENTS, Object(object)).by(source.manager))
    }

    /// `name.NANOSECONDS` in hexadecimal; simulated time has milliseconds, a counter stands for the rest.
    fn name(&mut self, about: &Object, now: Time) -> Str {
        self.made += 1;
        let ns = now.unix_ns() + (self.made.wrapping_mul(7919)) % 1_000_000;
        let mut digits = String::with_capacity(16);
        hex(ns, 16 - ns.leading_zeros() / 4, &mut digits);
        Str::of(&[about.name(), ".", &digits])
    }
}

/// Events about objects without a namespace go to `default`.
fn namespace_of(about: &Object) -> Str {
    match about.namespace() {
        "" => Str::fixed("default"),
        _ => about.meta().get("namespace").to_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str) -> Recorded {
        let about = Object(value!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "default", "uid": "u"}}));
        Recorded { about, field_path: Str::default(), kind: "Normal", reason: Str::fixed("Killing"), message: Str::from(message) }
    }

    fn source() -> Source {
        Source { component: "kubelet", host: Str::fixed("node-a"), manager: "kubelet", style: Style::Core }
    }

    #[test]
    fn what_is_said_again_is_counted() {
        let mut r = Recorder::default();
        let first = r.record(&said("x"), &source(), Time(0)).unwrap();
        let second = r.record(&said("x"), &source(), Time(1000)).unwrap();
        assert_eq!(first.verb, crate::api::Verb::Create);
        assert_eq!(second.body.get("count").int(), 2);
        assert_eq!(second.name.as_str(), first.body.at(&["metadata", "name"]).text());
    }

    #[test]
    fn the_tenth_event_that_differs_only_in_its_message_is_combined() {
        let mut r = Recorder::default();
        let messages: Vec<String> =
            (0..10).map(|i| r.record(&said(&format!("{i}")), &source(), Time(i)).unwrap().body.get("message").text().to_string()).collect();
        assert_eq!(messages[8], "8");
        assert_eq!(messages[9], "(combined from similar events): 9");
    }

    #[test]
    fn what_is_combined_is_one_event_that_is_counted() {
        let mut r = Recorder::default();
        let written: Vec<Request> = (0..14).map(|i| r.record(&said(&format!("{i}")), &source(), Time(i)).unwrap()).collect();
        assert_eq!(written.iter().filter(|w| w.verb == crate::api::Verb::Create).count(), 10);
        let name = written[9].body.at(&["metadata", "name"]).text();
        for (w, count) in written[10..].iter().zip(2..) {
            assert_eq!((w.name.as_str(), w.body.get("count").int()), (name, count));
        }
        assert_eq!(written[13].body.get("message").text(), "(combined from similar events): 13");
    }

    #[test]
    fn the_newer_api_counts_by_the_version_spoken_of_and_not_by_words() {
        let scheduler = Source { component: "default-scheduler", style: Style::New { action: "Scheduling" }, ..source() };
        let of_version = |version: &str, message: &str| {
            let mut event = said(message);
            event.about.0.set_at(&["metadata", "resourceVersion"], Str::from(version));
            event
        };
        let mut r = Recorder::default();
        let mut verb = |version: &str, message: &str| r.record(&of_version(version, message), &scheduler, Time(0)).map(|w| w.verb);
        assert_eq!(verb("1", "no room"), Some(crate::api::Verb::Create));
        assert_eq!(verb("1", "no port"), Some(crate::api::Verb::Patch(PatchType::Strategic)), "a series begins");
        assert_eq!(verb("1", "no room"), None, "it is only counted");
        assert_eq!(verb("2", "no room"), Some(crate::api::Verb::Create), "another version is another matter");
    }

    #[test]
    fn one_source_cannot_flood_one_object() {
        let mut r = Recorder::default();
        let written = (0..40).filter(|_| r.record(&said("x"), &source(), Time(0)).is_some()).count();
        assert_eq!(written, 25);
        let other = Recorded { reason: Str::fixed("BackOff"), ..said("x") };
        assert!(r.record(&other, &source(), Time(0)).is_some(), "another reason has its own budget");
        let later = r.record(&said("x"), &source(), Time(300_001)).unwrap();
        assert_eq!(later.body.get("count").int(), 41, "what was dropped was counted");
    }
}
