//! Seeded draws. Each is a hash of (seed, purpose, object, how-manieth), never the next number of a
//! running generator: people who act in different order see the same names for the same objects.

use crate::util::Tree;

/// The source of every random choice in the world. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Draws {
    seed: u64,
    /// How often there was a draw, by the hash of what it was about.
    drawn: Tree<u64, u32>,
}

/// The letters that Kubernetes makes random names of.
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

impl Draws {
    pub fn new(seed: u64) -> Draws {
        Draws { seed, drawn: Tree::new() }
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The draw for the `nth` time that `purpose` asks about `object`, without counting.
    pub fn at(&self, purpose: &str, object: &str, nth: u64) -> u64 {
        mix(self.about(purpose, object) ^ mix(nth))
    }

    fn about(&self, purpose: &str, object: &str) -> u64 {
        hash(hash(self.seed ^ 0x9e37_79b9_7f4a_7c15, purpose.as_bytes()), object.as_bytes())
    }

    /// The next draw of `purpose` about `object`.
    pub fn next(&mut self, purpose: &'static str, object: &str) -> u64 {
        let about = self.about(purpose, object);
        let nth = self.drawn.get(&about).copied().unwrap_or(0);
        self.drawn.insert_mut(about, nth + 1);
        mix(about ^ mix(u64::from(nth)))
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&self, purpose: &str, object: &str, nth: u64, low: u64, high: u64) -> u64 {
        low + self.at(purpose, object, nth) % (high - low + 1)
    }
}

/// `length` letters of the alphabet for random names, from one draw.
pub fn suffix(draw: u64, length: usize) -> String {
    let mut rest = draw;
    (0..length)
        .map(|_| {
            let letter = ALPHABET[(rest % 27) as usize];
            rest /= 27;
            char::from(letter)
        })
        .collect()
}

/// A version 4 UUID from one draw.
pub fn uuid(draw: u64) -> String {
    let (a, b) = (mix(draw), mix(draw ^ 0x5bd1_e995));
    let mut out = String::with_capacity(36);
    for (number, width, before) in
        [(a >> 32, 8, ""), (a >> 16, 4, "-"), (0x4000 | a & 0xfff, 4, "-"), (0x8000 | (b >> 48) & 0x3fff, 4, "-"), (b, 12, "-")]
    {
        out.push_str(before);
        hex(number, width, &mut out);
    }
    out
}

/// Writes the last `width` hexadecimal digits of a number.
pub fn hex(number: u64, width: u32, out: &mut String) {
    for place in (0..width).rev() {
        let digit = (number >> (4 * place) & 15) as u8;
        out.push(char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }));
    }
}

/// FNV-1a over `bytes`, starting from `state`.
pub fn hash(state: u64, bytes: &[u8]) -> u64 {
    let mut h = state ^ 0xcbf2_9ce4_8422_2325;
    for b in bytes {
        h = (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mix(h)
}

/// The finalizer of splitmix64: every input bit moves every output bit.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_in_which_objects_ask_does_not_matter() {
        let (mut a, mut b) = (Draws::new(42), Draws::new(42));
        let (a1, a2) = (a.next("name", "web-"), a.next("name", "api-"));
        let (b2, b1) = (b.next("name", "api-"), b.next("name", "web-"));
        assert_eq!((a1, a2), (b1, b2));
        assert_ne!(a.next("name", "web-"), a1);
    }

    #[test]
    fn names_use_the_letters_of_kubernetes() {
        assert!(suffix(Draws::new(1).at("name", "x", 0), 5).bytes().all(|c| ALPHABET.contains(&c)));
        assert_eq!(uuid(7).len(), 36);
    }
}
