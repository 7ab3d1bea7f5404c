//! The order in which go-yaml writes keys (`yaml.v2`, `sorter.go`).

use std::cmp::Ordering;

/// go-yaml's order of keys: letters after all else, numbers by their value.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(i) = (0..x.len().min(y.len())).find(|i| x[*i] != y[*i]) else { return x.len().cmp(&y.len()) };
    match (x[i].is_alphabetic(), y[i].is_alphabetic()) {
        (true, true) => return x[i].cmp(&y[i]),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // Zeros within a number count, those before it do not.
    let inside = |c: &char| c.is_numeric();
    let zero = x[i] == '0' || y[i] == '0';
    let started = zero && x[..i].iter().rev().take_while(|c| inside(c)).any(|c| *c != '0');
    let number = |s: &[char]| {
        let digits = s[i..].iter().take_while(|c| inside(c));
        digits.fold((i64::from(started), i), |(n, end), c| {
            (n.wrapping_mul(10).wrapping_add(i64::from(u32::from(*c)) - i64::from(u32::from('0'))), end + 1)
        })
    };
    number(&x).cmp(&number(&y)).then(x[i].cmp(&y[i]))
}
