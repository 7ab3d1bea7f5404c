//! Texts as kubectl prints them.

use super::*;
use crate::value;

#[test]
fn strings_are_quoted_when_they_would_be_read_as_something_else() {
    for (text, written) in [
        ("plain", "plain"),
        ("", "\"\""),
        ("yes", "\"yes\""),
        ("y", "\"y\""),
        ("null", "\"null\""),
        ("~", "\"~\""),
        ("1", "\"1\""),
        ("0644", "\"0644\""),
        ("1e3", "\"1e3\""),
        ("1.5", "\"1.5\""),
        ("12:30", "\"12:30\""),
        ("<<", "\"<<\""),
        ("=", "="),
        ("1Gi", "1Gi"),
        ("100m", "100m"),
        ("2026-11-30", "\"2026-11-30\""),
        ("2026-11-30T17:49:21Z", "\"2026-11-30T17:49:21Z\""),
        ("2026-11-30T17:49:21.123456Z", "\"2026-11-30T17:49:21.123456Z\""),
        ("2026-11-30T17:49:21+09:00", "\"2026-11-30T17:49:21+09:00\""),
        ("2026-13-30", "2026-13-30"),
        ("2026-02-29", "2026-02-29"),
        ("*/5 * * * *", "'*/5 * * * *'"),
        ("a: b", "'a: b'"),
        ("a:b", "a:b"),
        ("a #b", "'a #b'"),
        ("a#b", "a#b"),
        ("-", "'-'"),
        ("-x", "-x"),
        ("--- x", "'--- x'"),
        ("it's", "it's"),
        ("'quoted'", "'''quoted'''"),
        ("\"quoted\"", "'\"quoted\"'"),
        ("{}", "'{}'"),
        ("[a]", "'[a]'"),
        ("%d", "'%d'"),
        ("@x", "'@x'"),
        (" lead", "' lead'"),
        ("trail ", "'trail '"),
        ("tab\there", "\"tab\\there\""),
        ("한국어", "한국어"),
        ("😀", "\"\\U0001F600\""),
        ("carriage\r", "\"carriage\\r\""),
        ("bell\u{7}", "\"bell\\a\""),
        ("\u{1}", "\"\\x01\""),
        ("a\\b", "a\\b"),
    ] {
        assert_eq!(write(&value!({"k": (Value::str(text))})), format!("k: {written}\n"), "{text:?}");
    }
}

#[test]
fn texts_of_several_lines_are_blocks() {
    for (text, written) in [
        ("a\nb\n", "|\n  a\n  b\n"),
        ("a\nb", "|-\n  a\n  b\n"),
        ("a\n\n", "|+\n  a\n\n"),
        ("\n", "|2+\n\n"),
        ("  a\nb\n", "|2\n    a\n  b\n"),
        ("a\n\n  b\n", "|\n  a\n\n    b\n"),
        ("a \nb\n", "\"a \\nb\\n\"\n"),
        ("a\nb ", "\"a\\nb \"\n"),
        ("a\tb\nc\n", "\"a\\tb\\nc\\n\"\n"),
        ("#!/bin/sh\r\necho\r\n", "\"#!/bin/sh\\r\\necho\\r\\n\"\n"),
    ] {
        assert_eq!(write(&value!({"k": (Value::str(text))})), format!("k: {written}"), "{text:?}");
    }
}

#[test]
fn collections_are_laid_out_as_kubectl_does() {
    let item = value!({"name": "x", "args": ["a", ["b", "c"], {"d": 1_i64}], "empty": {}, "none": [], "nil": null});
    let v = value!({"items": [(item)], "text": ["l1\nl2\n"], "z10": true, "z9": (Value::Float(1.5)), "Z": 2_i64});
    let expected = "\
Z: 2
items:
- args:
  - a
  - - b
    - c
  - d: 1
  empty: {}
  name: x
  nil: null
  none: []
text:
- |
  l1
  l2
z9: 1.5
z10: true
";
    assert_eq!(write(&v), expected);
    assert_eq!(write(&Value::map()), "{}\n");
    assert_eq!(write(&value!([1_i64, {"a": 1_i64, "b": 2_i64}])), "- 1\n- a: 1\n  b: 2\n");
    assert_eq!(write(&value!("x")), "x\n");
}

#[test]
fn long_lines_are_wrapped_at_spaces() {
    let words = "word ".repeat(17);
    let text = |before: &str, after: &str| Value::str(format!("{before}{words}{after}"));
    let v = value!({"k": (text("", "end")), "q": (text("'", "end")), "d": (text("\t", " end"))});
    let full = "word ".repeat(15);
    let expected = format!("d: \"\\t{full}word\n  word  end\"\nk: {full}word\n  word end\nq: '''{full}word\n  word end'\n");
    assert_eq!(write(&v), expected);
}

#[test]
fn long_keys_and_keys_of_several_lines_need_a_question_mark() {
    let long = "k".repeat(129);
    let v: Value = [(crate::api::Str::from(long.as_str()), value!({"a": 1_i64}))].into_iter().collect();
    assert_eq!(write(&v), format!("? {long}\n: a: 1\n"));
    assert_eq!(write(&value!({"a\nb": 1_i64})), "? |-\n  a\n  b\n: 1\n");
    assert_eq!(write(&value!({"": 1_i64, "yes": 2_i64})), "\"\": 1\n\"yes\": 2\n");
}
