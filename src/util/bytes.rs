//! Comparing short texts, eight bytes at a time. In wasm the standard library compares byte by byte, and the simulator
//! does little else as often as looking up fields by name.

use std::cmp::Ordering;

/// As `a.cmp(b)`.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let shared = a.len().min(b.len());
    let (a_all, b_all) = (a, b);
    let (a, b) = (&a[..shared], &b[..shared]);
    let (mut x, mut y) = (a, b);
    while let (Some((p, x_rest)), Some((q, y_rest))) = (x.split_first_chunk(), y.split_first_chunk()) {
        if word(p) != word(q) {
            return word(p).to_be().cmp(&word(q).to_be());
        }
        (x, y) = (x_rest, y_rest);
    }
    // The last word may overlap the one before, which was the same.
    if let (Some(p), Some(q)) = (a.last_chunk(), b.last_chunk()) {
        if word(p) != word(q) {
            return word(p).to_be().cmp(&word(q).to_be());
        }
    } else {
        for (p, q) in x.iter().zip(y) {
            if p != q {
                return p.cmp(q);
            }
        }
    }
    a_all.len().cmp(&b_all.len())
}

/// As `a == b`. Most texts that differ do so in length or in their last letter.
#[inline(always)]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.last() == b.last() && (a.as_ptr() == b.as_ptr() || same_bytes(a, b))
}

/// Whether texts of one length are the same: the last word may overlap the one before.
fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    let (Some(p), Some(q)) = (a.last_chunk(), b.last_chunk()) else {
        return match (a.last_chunk::<4>(), b.last_chunk::<4>()) {
            (Some(p), Some(q)) => p == q && a.first_chunk::<4>() == b.first_chunk::<4>(),
            _ => a.iter().eq(b),
        };
    };
    if word(p) != word(q) {
        return false;
    }
    let (mut x, mut y) = (a, b);
    while let (Some((p, x_rest)), Some((q, y_rest))) = (x.split_first_chunk(), y.split_first_chunk()) {
        if word(p) != word(q) {
            return false;
        }
        (x, y) = (x_rest, y_rest);
    }
    true
}

/// In the order of the machine: turning it about costs more in wasm than all the rest.
#[inline(always)]
fn word(eight: &[u8; 8]) -> u64 {
    u64::from_ne_bytes(*eight)
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
            "web-6f9c8d7b5-x2x4z",
            "web-6f9c8d7b5-x2x4y",
            "web-6f9c8d7b5",
            "name",
            "nane",
            "lame",
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
