//! The hash of a pod template, for the label `pod-template-hash`. Upstream hashes a Go struct's dump
//! (`controller.ComputeHash`); here the value itself is hashed, so the letters differ from a real cluster's.

use crate::api::Value;

/// The label by which a Deployment tells its ReplicaSets apart.
pub const POD_TEMPLATE_HASH: &str = "pod-template-hash";

/// `rand.SafeEncodeString`'s letters.
const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// The hash of a template and of how many collisions there were. The same template always has the same hash.
pub fn template_hash(template: &Value, collisions: Option<i64>) -> String {
    let mut h = Fnv(0x811c_9dc5);
    h.value(template);
    if let Some(n) = collisions {
        h.bytes(&n.to_le_bytes());
    }
    safe(&h.mixed().to_string())
}

/// Text as letters that spell no word.
pub fn safe(text: &str) -> String {
    text.bytes().map(|b| char::from(LETTERS[usize::from(b) % LETTERS.len()])).collect()
}

struct Fnv(u32);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u32::from(*b)).wrapping_mul(0x0100_0193);
        }
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.bytes(&[tag]);
        self.bytes(&(bytes.len() as u64).to_le_bytes());
        self.bytes(bytes);
    }

    fn value(&mut self, v: &Value) {
        match v {
            Value::Null => self.bytes(b"n"),
            Value::Bool(b) => self.bytes(if *b { b"t" } else { b"f" }),
            Value::Int(n) => self.tagged(b'i', &n.to_le_bytes()),
            Value::Float(f) => self.tagged(b'd', &f.to_bits().to_le_bytes()),
            Value::Str(s) => self.tagged(b's', s.as_bytes()),
            Value::List(l) => {
                self.bytes(b"[");
                l.iter().for_each(|item| self.value(item));
                self.bytes(b"]");
            }
            Value::Map(m) => {
                self.bytes(b"{");
                for (key, item) in m.iter() {
                    self.tagged(b'k', key.as_bytes());
                    self.value(item);
                }
                self.bytes(b"}");
            }
        }
    }

    /// murmur3's finalizer, so that near templates have far hashes.
    fn mixed(&self) -> u32 {
        let mut h = self.0;
        h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
        h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
        h ^ (h >> 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    #[test]
    fn equal_templates_have_one_hash_and_a_collision_gives_another() {
        let a = value!({"spec": {"containers": [{"name": "web", "image": "web:1"}]}});
        let b = value!({"spec": {"containers": [{"image": "web:1", "name": "web"}]}});
        let c = value!({"spec": {"containers": [{"name": "web", "image": "web:2"}]}});
        assert_eq!(template_hash(&a, None), template_hash(&b, None));
        assert_ne!(template_hash(&a, None), template_hash(&c, None));
        assert_ne!(template_hash(&a, None), template_hash(&a, Some(1)));
        assert!(template_hash(&a, None).bytes().all(|l| LETTERS.contains(&l)));
    }
}
