//! Base64 as Go's standard encoding reads and writes it, for Secrets and binary data.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes; nothing if this is not padded base64. Line breaks are passed over.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    fault(text).is_none().then(|| {
        let digits = text.bytes().filter_map(digit);
        let (mut bits, mut held, mut out) = (0_u32, 0, Vec::with_capacity(text.len() / 4 * 3));
        for value in digits {
            bits = bits << 6 | value;
            held += 6;
            if held >= 8 {
                held -= 8;
                out.push((bits >> held) as u8);
            }
        }
        out
    })
}

fn digit(c: u8) -> Option<u32> {
    DIGITS.iter().position(|d| *d == c).map(|d| d as u32)
}

/// Where base64 breaks off, in bytes from the beginning, as Go's `CorruptInputError` counts.
pub fn fault(text: &str) -> Option<usize> {
    let mut digits = 0;
    let mut rest = text.bytes().enumerate().filter(|(_, c)| !matches!(c, b'\n' | b'\r'));
    while let Some((at, c)) = rest.next() {
        if c == b'=' {
            let missing = digits % 4;
            match missing {
                2 => match rest.next() {
                    Some((_, b'=')) => {}
                    Some((other, _)) => return Some(other - 1),
                    None => return Some(text.len()),
                },
                3 => {}
                _ => return Some(at),
            }
            return rest.next().map(|(extra, _)| extra);
        }
        if digit(c).is_none() {
            return Some(at);
        }
        digits += 1;
    }
    (digits % 4 != 0).then(|| text.len() - digits % 4)
}

pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, i| bits << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for place in 0..4 {
            let used = place <= chunk.len();
            out.push(if used { DIGITS[(bits >> (18 - 6 * place) & 63) as usize] as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_there_and_back() {
        for (plain, coded) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("hallo welt", "aGFsbG8gd2VsdA==")] {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode(coded).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(decode("YW\nJj").as_deref(), Some(&b"abc"[..]));
    }

    #[test]
    fn a_fault_is_where_go_finds_it() {
        for (text, at) in
            [("hunter2!", 7), ("s3cr3t p4ss", 6), ("YQ", 0), ("YQ=", 3), ("YQ=a", 2), ("ab\ncde", 5), ("YQ==YQ", 4), ("=", 0), ("plain", 4)]
        {
            assert_eq!(fault(text), Some(at), "{text}");
        }
    }
}
