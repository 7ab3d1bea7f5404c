//! Texts as codes with arguments, and the two small vocabularies that every panel uses: who wrote it, how it is.

use crate::api::Str;
use crate::diagnosis::Said;
use std::rc::Rc;

/// A text that each language says in its own way, or one that nobody translates.
#[derive(Clone, Debug, PartialEq)]
pub enum Text {
    /// A key of the string table and what its `{name}`s stand for.
    Word(&'static str, Rc<[(&'static str, Text)]>),
    /// What is said of a cause of a standstill, with its arguments.
    Said(&'static Said, Rc<[(&'static str, Str)]>),
    /// API names, reasons, messages, numbers.
    Verbatim(Str),
}

impl Text {
    /// A word without arguments.
    pub fn word(key: &'static str) -> Text {
        Text::Word(key, Rc::from([]))
    }

    /// A word with arguments.
    pub fn with<const N: usize>(key: &'static str, args: [(&'static str, Text); N]) -> Text {
        Text::Word(key, Rc::from(args))
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Text::Verbatim(s) if s.is_empty())
    }
}

impl Default for Text {
    fn default() -> Text {
        Text::Verbatim(Str::fixed(""))
    }
}

impl From<&'static str> for Text {
    fn from(s: &'static str) -> Text {
        Text::Verbatim(Str::fixed(s))
    }
}

impl From<Str> for Text {
    fn from(s: Str) -> Text {
        Text::Verbatim(s)
    }
}

impl From<String> for Text {
    fn from(s: String) -> Text {
        Text::Verbatim(s.into())
    }
}

impl From<u64> for Text {
    fn from(n: u64) -> Text {
        Text::Verbatim(n.to_string().into())
    }
}

/// Who writes: a hue and two letters. The loops after `Gc` share its grey and keep their own letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writer {
    Me,
    De,
    Rs,
    Sc,
    Ku,
    Hp,
    Ar,
    Gc,
    /// EndpointSlice.
    Es,
    /// Namespace.
    Ns,
    /// Service account.
    Sa,
    /// Root CA publisher.
    Ca,
    /// Node lifecycle.
    Nl,
    /// Node addresses.
    Ni,
    /// Taint eviction.
    Te,
    /// Pod garbage collector.
    Pg,
    /// Resource quota.
    Rq,
    /// Disruption budgets.
    Db,
    /// The API server itself.
    Ap,
}

impl Writer {
    /// The two letters of the badge.
    pub fn letters(self) -> &'static str {
        use Writer::*;
        match self {
            Me => "Me",
            De => "De",
            Rs => "Rs",
            Sc => "Sc",
            Ku => "Ku",
            Hp => "Hp",
            Ar => "Ar",
            Gc => "Gc",
            Es => "Es",
            Ns => "Ns",
            Sa => "Sa",
            Ca => "Ca",
            Nl => "Nl",
            Ni => "Ni",
            Te => "Te",
            Pg => "Pg",
            Rq => "Rq",
            Db => "Db",
            Ap => "Ap",
        }
    }

    /// The name of the hue in the style sheet.
    pub fn hue(self) -> &'static str {
        use Writer::*;
        match self {
            Me => "me",
            De => "de",
            Rs => "rs",
            Sc => "sc",
            Ku => "ku",
            Hp => "hp",
            Ar => "ar",
            _ => "gc",
        }
    }

    /// The writer's name, as in "the {loop} loop".
    pub fn name(self) -> Text {
        use Writer::*;
        match self {
            Me => "kubectl".into(),
            De => "Deployment".into(),
            Rs => "ReplicaSet".into(),
            Sc => Text::word("w.sc"),
            Ku => "kubelet".into(),
            Hp => "HPA".into(),
            Ar => "Argo CD".into(),
            Gc => "garbage collector".into(),
            Es => "EndpointSlice".into(),
            Ns => "Namespace".into(),
            Sa => "ServiceAccount".into(),
            Ca => "root CA publisher".into(),
            Nl => "node lifecycle".into(),
            Ni => Text::word("w.ni"),
            Te => Text::word("w.te"),
            Pg => "Pod GC".into(),
            Rq => Text::word("w.rq"),
            Db => Text::word("w.db"),
            Ap => "API server".into(),
        }
    }
}

/// A shape and a tone, never a hue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    Ok,
    #[default]
    Going,
    Stuck,
    Gone,
    Wanted,
}
