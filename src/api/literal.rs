//! `value!`: objects written in the program's text.

/// A `Value` from something like JSON: `value!({"kind": "Pod", "spec": {"replicas": n}})`.
/// Keys are literals; anything in parentheses, or a lone expression, is converted with `Into<Value>`.
#[macro_export]
macro_rules! value {
    ({ $($key:literal : $val:tt),* $(,)? }) => {
        $crate::api::Value::Map($crate::api::Map::of(Box::new([$(($crate::api::Str::fixed($key), $crate::value!($val))),*])))
    };
    ([ $($val:tt),* $(,)? ]) => {
        $crate::api::Value::List($crate::api::List::of(Box::new([$($crate::value!($val)),*])))
    };
    (null) => { $crate::api::Value::Null };
    ($val:expr) => { $crate::api::Value::from($val) };
}
