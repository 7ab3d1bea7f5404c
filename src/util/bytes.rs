//! Comparing short texts, eight bytes at a time. In wasm the standard library compares byte by byte, and the simulator
//! does little else as often as looking up fields by name.

use std::cmp::Ordering;

/// As `a.cmp(b)`. Many differ in their first letter.
#[inline]
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    match (a.first(), b.first()) {
        (Some(x), Some(y)) if x != y => x.cmp(y),
        _ => compare_all(a, b),
    }
}

fn compare_all(a: &[u8], b: &[u8]) -> Ordering {
    let shared = a.len().min(b.len());
    let (mut x, mut y) = (a[..shared].chunks_exact(8), b[..shared].chunks_exact(8));
    for (p, q) in x.by_ref().zip(y.by_ref()) {
        let (p, q) = (word(p), word(q));
        if p != q {
            return p.cmp(&q);
        }
    }
    // `zip` stops after the last whole word of both, since both have as many.
    let rest = shared - shared % 8;
    for (p, q) in a[rest..shared].iter().zip(&b[rest..shared]) {
        if p != q {
            return p.cmp(q);
        }
    }
    a.len().cmp(&b.len())
}

/// As `a == b`. Most texts that differ do so in length or in their last letter.
#[inline]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let Some(last) = a.len().checked_sub(1) else { return true };
    a[last] == b[last] && (a.as_ptr() == b.as_ptr() || same_bytes(a, b))
}

/// Whether texts of one length are the same: the last word may overlap the one before.
fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    if a.len() < 8 {
        return a.iter().eq(b);
    }
    let last = a.len() - 8;
    word(&a[last..]) == word(&b[last..]) && a.chunks_exact(8).zip(b.chunks_exact(8)).all(|(p, q)| word(p) == word(q))
}

fn word(eight: &[u8]) -> u64 {
    u64::from_be_bytes(eight.try_into().expect("chunks of eight"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_compare_as_the_standard_library_compares_them() {
        let all = [
            "",
            "a",
            "b",
            "ab",
            "metadata",
            "metadata1",
            "metadatb",
            "generateName",
            "generation",
            "containerStatuses",
            "웹",
            "웹1",
            "\u{7f}",
        ];
        for a in all {
            for b in all {
                assert_eq!(compare(a.as_bytes(), b.as_bytes()), a.cmp(b), "{a} {b}");
                assert_eq!(same(a.as_bytes(), b.as_bytes()), a == b, "{a} {b}");
            }
        }
    }
}
