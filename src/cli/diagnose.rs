//! `loopscope diagnose`: plays a scenario, a manifest or a kept run and says where it is stuck. `loopscope explain`: what a code means.

use super::{files, run};
use crate::api::{Str, Value};
use crate::cluster::Cluster;
use crate::diagnosis::{self, Cause, Diagnosis};
use crate::session::Session;
use crate::value;
use std::path::Path;

/// What the words ask for.
struct Asked<'a> {
    source: Option<&'a str>,
    state: Option<&'a str>,
    until: Option<u64>,
    korean: bool,
    json: bool,
}

fn read<'a>(words: &[&'a str]) -> Result<Asked<'a>, String> {
    let mut asked = Asked { source: None, state: None, until: None, korean: false, json: false };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--state" => asked.state = Some(rest.next().ok_or("--state wants a file")?),
            "--until" => asked.until = Some(super::duration_ms(rest.next().ok_or("--until wants a time, as 30s or 5m")?)?),
            "--lang" => {
                asked.korean = match *rest.next().ok_or("--lang wants en or ko")? {
                    "ko" => true,
                    "en" => false,
                    other => return Err(format!("--lang wants en or ko, not {other}")),
                }
            }
            "--output" | "-o" => {
                asked.json = match *rest.next().ok_or("--output wants text or json")? {
                    "json" => true,
                    "text" => false,
                    other => return Err(format!("--output wants text or json, not {other}")),
                }
            }
            flag if flag.starts_with('-') => return Err(format!("unknown flag {flag}")),
            word if asked.source.is_none() => asked.source = Some(word),
            word => return Err(format!("{word:?} is one word too many")),
        }
    }
    Ok(asked)
}

/// Says where a run is stuck.
///
/// # Errors
/// What is wrong with the words, the files or the manifest.
pub fn diagnose(words: &[&str]) -> Result<(), String> {
    let asked = read(words)?;
    let world = match (asked.source, asked.state) {
        (Some(source), None) => run::play(Path::new(source), asked.until, true)?.0,
        (None, Some(path)) => {
            let text = files::read(Path::new(path))?;
            let session = Session::open(&text).map_err(|_| format!("{path}: not a run of this program, or damaged"))?;
            let mut world: Cluster = session.newest().world.clone();
            if let Some(ms) = asked.until {
                world.run_until(world.epoch().after_ms(ms).max(world.now()));
            }
            world
        }
        _ => return Err("a scenario, a manifest or --state FILE is wanted".to_string()),
    };
    if world.is_full() {
        return Err(run::full(&world));
    }
    let all = diagnosis::diagnose(&world);
    if asked.json {
        let list: Value = all.iter().map(|d| as_json(d, asked.korean)).collect();
        super::say(&serde_json::to_string_pretty(&list).map_err(|e| e.to_string())?);
    } else if all.is_empty() {
        super::say(if asked.korean { "막힌 곳이 없다" } else { "nothing is stuck" });
    } else {
        let told: Vec<String> = all.iter().map(|d| as_text(d, asked.korean)).collect();
        super::say(&told.join("\n\n"));
    }
    Ok(())
}

/// Says what a code means, or lists all codes.
///
/// # Errors
/// A code that there is not.
pub fn explain(words: &[&str]) -> Result<(), String> {
    let asked = read(words)?;
    let korean = asked.korean;
    if let Some(code) = asked.source {
        let cause = diagnosis::find(code).ok_or_else(|| format!("no cause has the code {code:?}; `loopscope explain` lists all"))?;
        super::say(&if asked.json {
            serde_json::to_string_pretty(&cause_as_json(cause, korean)).map_err(|e| e.to_string())?
        } else {
            format!("{}\n  {}\n  {}\n  {}", cause.code, cause.headline.of(korean), cause.cause.of(korean), cause.fix.of(korean))
        });
        return Ok(());
    }
    let all: Vec<&Cause> = diagnosis::ALL.iter().flat_map(|f| f.causes).collect();
    if asked.json {
        let list: Value = all.iter().map(|c| cause_as_json(c, korean)).collect();
        super::say(&serde_json::to_string_pretty(&list).map_err(|e| e.to_string())?);
    } else {
        let width = all.iter().map(|c| c.code.len()).max().unwrap_or(0);
        let lines: Vec<String> = all.iter().map(|c| format!("{:width$}  {}", c.code, c.headline.of(korean))).collect();
        super::say(&lines.join("\n"));
    }
    Ok(())
}

fn cause_as_json(cause: &Cause, korean: bool) -> Value {
    value!({
        "code": (cause.code), "headline": (cause.headline.of(korean)), "cause": (cause.cause.of(korean)), "fix": (cause.fix.of(korean))
    })
}

fn as_text(d: &Diagnosis, korean: bool) -> String {
    let cause = d.cause();
    let object = &d.object;
    let place = if object.namespace.is_empty() { String::new() } else { format!("{}/", object.namespace) };
    let more = match (d.others, korean) {
        (0, _) => String::new(),
        (n, true) => format!(" (같은 원인 {n}개 더)"),
        (n, false) => format!(" (and {n} more)"),
    };
    let labels =
        if korean { ["어디", "다음 차례", "원인", "증거", "고치기"] } else { ["where", "next move", "cause", "proof", "fix"] };
    let fill = |text: &str| diagnosis::fill(text, &d.args);
    let mut lines = vec![
        format!("{}  [{}]", fill(cause.headline.of(korean)), d.code),
        format!("  {}: {} {place}{}{more}", labels[0], object.kind, object.name),
        format!("  {}: {}", labels[1], owes(d, korean)),
        format!("  {}: {}", labels[2], fill(cause.cause.of(korean))),
        format!("  {}: $ kubectl {}", labels[3], d.proof.command),
        format!("    {}", d.proof.line.trim()),
        format!("  {}: {}", labels[4], fill(cause.fix.of(korean))),
    ];
    lines.extend(d.fixes.iter().map(|f| format!("    {}", f.line())));
    lines.join("\n")
}

fn owes(d: &Diagnosis, korean: bool) -> Str {
    match (&d.owes, korean) {
        (diagnosis::Owes::You, true) => Str::fixed("나"),
        (diagnosis::Owes::Loop(name), true) => format!("{name} 루프").into(),
        (diagnosis::Owes::Loop(name), false) => format!("the {name} loop").into(),
        (other, _) => other.name().into(),
    }
}

fn as_json(d: &Diagnosis, korean: bool) -> Value {
    let cause = d.cause();
    let fill = |text: &str| Value::from(diagnosis::fill(text, &d.args));
    let args: Value = d.args.iter().map(|(k, v)| (Str::fixed(k), Value::from(v.clone()))).collect();
    let fixes: Value = d.fixes.iter().map(|f| Value::from(f.line())).collect();
    value!({
        "code": (d.code),
        "object": {"kind": (d.object.kind.clone()), "namespace": (d.object.namespace.clone()), "name": (d.object.name.clone()), "uid": (d.object.uid.clone())},
        "others": (d.others as i64),
        "owes": (Str::from(d.owes.name())),
        "args": args,
        "headline": (fill(cause.headline.of(korean))), "cause": (fill(cause.cause.of(korean))), "fix": (fill(cause.fix.of(korean))),
        "fixes": fixes,
        "proof": {"command": (format!("kubectl {}", d.proof.command)), "line": (d.proof.line.clone())}
    })
}
