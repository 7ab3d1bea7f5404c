//! What kubectl makes of texts: values, messages with their lines, places for an editor.

use super::*;
use crate::api::json;

fn values(text: &str) -> Vec<String> {
    let parsed = parse(text);
    assert_eq!(parsed.error, None, "{text}");
    parsed.documents.iter().map(|d| json::write_compact(&d.value)).collect()
}

#[test]
fn texts_become_the_values_that_kubectl_sends() {
    for (text, expected) in [
        ("a: 1\n---\n# nothing\n---\nb: 2\n---\n", &[r#"{"a":1}"#, r#"{"b":2}"#][..]),
        ("---\na: 1\n--- # next\nb: 2", &[r#"{"a":1}"#, r#"{"b":2}"#]),
        ("# only\n---\n# comments\n", &[]),
        ("\u{FEFF}a: b\n---\n\u{FEFF}c: d\n", &[r#"{"a":"b"}"#, r#"{"c":"d"}"#]),
        ("a: |\r\n  x\r\n  y\r\nb: >-\r\n  x\r\n  y\r\n", &[r#"{"a":"x\ny\n","b":"x y"}"#]),
        ("a: |\n  no newline at the end", &[r#"{"a":"no newline at the end\n"}"#]),
        ("yes: no\n1: 0644\n1.5: ~\n", &[r#"{"1":420,"1.5":null,"true":false}"#]),
        ("a: 2001-12-14\nb: 12:30\nc: 1e3\n", &[r#"{"a":"2001-12-14","b":"12:30","c":1000}"#]),
        ("base: &b {x: 1, k: 2}\nuse: {<<: *b, k: 3}\n", &[r#"{"base":{"k":2,"x":1},"use":{"k":3,"x":1}}"#]),
        ("a: &x [1]\nb: *x\n", &[r#"{"a":[1],"b":[1]}"#]),
        ("a: 1\na: 2\n", &[r#"{"a":2}"#]),
        ("- a\n- - b\n  - c\n-\n  d: e\n", &[r#"["a",["b","c"],{"d":"e"}]"#]),
        ("a:\n- b\n- c\nd: [e, {f: g}, 'h''i', \"j\\n\\u00e9\"]\n", &[r#"{"a":["b","c"],"d":["e",{"f":"g"},"h'i","j\né"]}"#]),
        ("a: !!str 12\nb: !!binary aGk=\nc: !custom x\n", &[r#"{"a":"12","b":"hi","c":"x"}"#]),
        ("? complex key\n: value\n", &[r#"{"complex key":"value"}"#]),
        ("%YAML 1.1\n%TAG !k! tag:yaml.org,2002:\na: !k!str 1\n", &[]),
        ("{\"a\": 1}\n{\"b\": [true, null]}", &[r#"{"a":1}"#, r#"{"b":[true,null]}"#]),
        ("{a: 1, b: [x]}", &[r#"{"a":1,"b":["x"]}"#]),
        ("  \n", &[]),
        ("", &[]),
    ] {
        if text.starts_with('%') {
            assert!(parse(text).error.is_some(), "{text}");
        } else {
            assert_eq!(values(text), expected, "{text}");
        }
    }
}

#[test]
fn faults_have_kubectls_text_and_a_place_in_the_whole_text() {
    let manifest = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n";
    let after = |more: &str| format!("{manifest}{more}");
    let second = |more: &str| format!("a: 1\n---\n{manifest}{more}");
    for (name, text, message, line, column, code) in [
        ("too deep", after("      image: b\n"), "line 6: mapping values are not allowed in this context", 6, 12, Code::ColonInValue),
        (
            "in the second document",
            second("      image: b\n"),
            "line 6: mapping values are not allowed in this context",
            8,
            12,
            Code::ColonInValue,
        ),
        ("a tab", after("\timage: b\n"), "line 6: found a tab character that violates indentation", 6, 1, Code::Tab),
        ("a tab after a key", "a:\n\t- b\n".into(), "line 2: found character that cannot start any token", 2, 1, Code::Tab),
        (
            "a template as a key",
            "a:\n- {{ .x }}: {{ .y }}\n".into(),
            "invalid map key: map[interface {}]interface {}{\".x\":interface {}(nil)}",
            2,
            4,
            Code::Template,
        ),
        (
            "a tab in a continued line",
            "a:\n  b\n\tc: d\n".into(),
            "line 3: found a tab character that violates indentation",
            3,
            1,
            Code::Tab,
        ),
        (
            "a bare star",
            "a: b\nschedule: */5 * * * *\n".into(),
            "line 2: did not find expected alphabetic or numeric character",
            2,
            12,
            Code::MustQuote,
        ),
        ("no such anchor", "a: b\nc: *d\n".into(), "unknown anchor 'd' referenced", 2, 4, Code::UnknownAnchor),
        ("an open quote", "a: \"b\nc: d\n".into(), "line 3: found unexpected end of stream", 3, 1, Code::NotClosed),
        ("an open bracket", "a: [b\nc: d\n".into(), "line 1: did not find expected ',' or ']'", 2, 2, Code::NotClosed),
        ("indented less", "a:\n    b: 1\n  c: 2\n".into(), "line 2: did not find expected key", 3, 3, Code::Indentation),
        ("no colon", "a: 1\nb\nc: 2\n".into(), "line 3: could not find expected ':'", 3, 1, Code::Indentation),
        (
            "a template",
            "a: {{ .Values.x }}\n".into(),
            "invalid map key: map[interface {}]interface {}{\".Values.x\":interface {}(nil)}",
            1,
            5,
            Code::Template,
        ),
        ("a wrong escape", "a: \"\\d\"\n".into(), "found unknown escape character", 1, 5, Code::Escape),
        ("a control character", "a: b\nc: \u{7}\n".into(), "control characters are not allowed", 2, 4, Code::Binary),
        ("a loop", "a: &a [*a]\n".into(), "anchor 'a' value contains itself", 1, 8, Code::AliasBomb),
    ] {
        let error = parse(&text).error.unwrap_or_else(|| panic!("{name} is accepted"));
        assert_eq!(error.message, format!("error converting YAML to JSON: yaml: {message}"), "{name}");
        assert_eq!((error.position.line, error.position.column, error.code), (line, column, code), "{name}");
    }
    for (text, message) in [
        ("a: .inf\n", "error converting YAML to JSON: json: unsupported value: +Inf"),
        ("a: 1\n--- b\n", "invalid Yaml document separator: b"),
        ("{\"a\": \n", "unexpected EOF"),
        ("{\"a\": 'b' 1}", "json: offset 7: invalid character '\\'' looking for beginning of value"),
    ] {
        assert_eq!(parse(text).error.map(|e| e.message).as_deref(), Some(message), "{text}");
    }
}

#[test]
fn documents_before_a_fault_are_read() {
    let parsed = parse("a: 1\n---\nb: [\n---\nc: 3\n");
    assert_eq!(parsed.documents.len(), 1);
    assert!(parsed.error.is_some());
}

#[test]
fn hostile_texts_are_refused_soon() {
    let bomb: String = (0..30).map(|i| format!("k{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 10].join(", "))).skip(1).collect();
    let chain: String = (1..2000).map(|i| format!("k{i}: &a{i} [*a{}]\n", i - 1)).collect();
    for (name, text, code) in [
        ("aliases that multiply", format!("k0: &a0 x\n{bomb}"), Code::AliasBomb),
        ("aliases that nest", format!("k0: &a0 x\n{chain}"), Code::TooDeep),
        ("brackets", "[".repeat(200_000), Code::TooDeep),
        ("braces that may be JSON", "{\"a\":".repeat(200_000), Code::TooDeep),
        ("dashes", "- ".repeat(200_000), Code::TooDeep),
        ("question marks", "? ".repeat(200_000), Code::TooDeep),
        ("ten megabytes", "a: b\n".repeat(2_000_000), Code::TooLong),
    ] {
        let error = parse(&text).error.unwrap_or_else(|| panic!("{name} is accepted"));
        assert!(error.code == code || code == Code::TooDeep && error.code == Code::Json, "{name}: {error:?}");
    }
    let wide: String = (0..100_000).map(|i| format!("k{}: v\n", i * 7919 % 100_000)).collect();
    assert_eq!(parse(&wide).documents[0].value.entries().len(), 100_000);
    for tag in ["[!tag, x]", "a: |", "a: !", "!<", "&a", "*", "? ? ?", "{", "}", "\"\\u12", "'", "\u{85}", "- !x,y"] {
        let _ = parse(tag);
    }
}

#[test]
fn repeated_keys_are_reported_with_their_path() {
    let text = "kind: Pod\nspec:\n  containers:\n  - name: a\n    image: b\n    image: c\nkind: Pod\n";
    let document = parse(text).documents.remove(0);
    let found: Vec<(&str, usize, usize)> =
        document.duplicates.iter().map(|d| (d.path.as_str(), d.key.start.line, d.key.start.column)).collect();
    assert_eq!(found, [("spec.containers[0].image", 6, 5), ("kind", 7, 1)]);
}

#[test]
fn every_field_has_a_place() {
    let text =
        "a: 1\n---\nmetadata:\n  labels: {app.kubernetes.io/name: web, x: y}\nspec:\n  containers:\n  - name: c\n    ports:\n    - 80\n";
    let document = &parse(text).documents[1];
    for (path, line, column, exact) in [
        ("", 3, 1, true),
        ("spec", 5, 1, true),
        ("spec.containers[0]", 7, 5, true),
        ("spec.containers[0].name", 7, 5, true),
        ("spec.containers[0].ports[0]", 9, 7, true),
        ("spec.containers[0].image", 7, 5, false),
        ("spec.containers[1].image", 6, 3, false),
        ("metadata.labels.app.kubernetes.io/name", 4, 12, true),
        ("metadata.labels[app.kubernetes.io/name]", 4, 12, true),
        ("metadata.labels[x]", 4, 41, true),
        ("status.phase", 3, 1, false),
    ] {
        let place = document.locate(path).unwrap();
        let start = place.key.unwrap_or(place.value).start;
        assert_eq!((start.line, start.column, place.exact), (line, column, exact), "{path}");
    }
    for (line, column, path) in
        [(5, 1, "spec"), (7, 6, "spec.containers[0].name"), (9, 8, "spec.containers[0].ports[0]"), (4, 5, "metadata.labels")]
    {
        assert_eq!(document.path_at(Position { line, column }), path, "{line}:{column}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    let text = "a: [\"yes\", '1', \"\", ~, 1.5, x: {y: [[]], z: {}}]\nb: \"l1\\nl2\\n\\n\"\n\"? k\": \" s \"\nlong: \"aaa bbb\"\n";
    let value = parse(text).documents.remove(0).value;
    assert_eq!(parse(&write(&value)).documents[0].value, value);
}
