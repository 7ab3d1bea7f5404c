//! Patterns of schemas: the part of RE2 that definitions use. Groups, alternatives, classes, repetitions and anchors;
//! a pattern with anything else is not checked.

/// A pattern that can be searched for in a text.
pub struct Pattern(Node);

enum Node {
    Char(char),
    Any,
    Class(Vec<(char, char)>, bool),
    Start,
    End,
    All(Vec<Node>),
    Either(Vec<Node>),
    Repeat(Box<Node>, usize, usize),
}

/// Tries beyond which a match is taken for granted, so that no pattern can stop the world.
const STEPS_MAX: u32 = 200_000;

impl Pattern {
    /// `None` if the pattern uses something that is not understood here.
    pub fn parse(pattern: &str) -> Option<Pattern> {
        let mut parser = Parser { rest: pattern.chars().collect(), at: 0 };
        let node = parser.either()?;
        (parser.at == parser.rest.len()).then_some(Pattern(node))
    }

    /// Whether the pattern is found anywhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        let mut steps = 0;
        (0..=chars.len()).any(|start| matches(&self.0, &chars, start, &mut steps, &mut |_, _| true))
    }
}

/// Whether `node` matches from `at`, and what follows it too.
fn matches(node: &Node, text: &[char], at: usize, steps: &mut u32, then: &mut dyn FnMut(usize, &mut u32) -> bool) -> bool {
    *steps += 1;
    if *steps > STEPS_MAX {
        return true;
    }
    match node {
        Node::Char(c) => text.get(at) == Some(c) && then(at + 1, steps),
        Node::Any => text.get(at).is_some_and(|c| *c != '\n') && then(at + 1, steps),
        Node::Class(ranges, negated) => {
            text.get(at).is_some_and(|c| ranges.iter().any(|(a, b)| (a..=b).contains(&c)) != *negated) && then(at + 1, steps)
        }
        Node::Start => at == 0 && then(at, steps),
        Node::End => at == text.len() && then(at, steps),
        Node::All(nodes) => sequence(nodes, text, at, steps, then),
        Node::Either(nodes) => nodes.iter().any(|n| matches(n, text, at, steps, then)),
        Node::Repeat(inner, least, most) => repeat(inner, (*least, *most), text, at, steps, then),
    }
}

fn sequence(nodes: &[Node], text: &[char], at: usize, steps: &mut u32, then: &mut dyn FnMut(usize, &mut u32) -> bool) -> bool {
    match nodes.split_first() {
        None => then(at, steps),
        Some((first, rest)) => matches(first, text, at, steps, &mut |next, steps| sequence(rest, text, next, steps, then)),
    }
}

fn repeat(
    inner: &Node,
    (least, most): (usize, usize),
    text: &[char],
    at: usize,
    steps: &mut u32,
    then: &mut dyn FnMut(usize, &mut u32) -> bool,
) -> bool {
    if most > 0 {
        let fewer = (least.saturating_sub(1), if most == usize::MAX { most } else { most - 1 });
        // An empty round would go on for ever.
        if matches(inner, text, at, steps, &mut |next, steps| next > at && repeat(inner, fewer, text, next, steps, then)) {
            return true;
        }
    }
    least == 0 && then(at, steps)
}

struct Parser {
    rest: Vec<char>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn takes(&mut self, c: char) -> bool {
        let there = self.peek() == Some(c);
        self.at += usize::from(there);
        there
    }

    fn either(&mut self) -> Option<Node> {
        let mut all = vec![self.all()?];
        while self.takes('|') {
            all.push(self.all()?);
        }
        if all.len() == 1 { all.pop() } else { Some(Node::Either(all)) }
    }

    fn all(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            let one = self.one()?;
            nodes.push(self.repeated(one)?);
        }
        Some(Node::All(nodes))
    }

    fn one(&mut self) -> Option<Node> {
        match self.next()? {
            '.' => Some(Node::Any),
            '^' => Some(Node::Start),
            '$' => Some(Node::End),
            '(' => {
                if self.takes('?') && !self.takes(':') {
                    return None;
                }
                let inner = self.either()?;
                self.takes(')').then_some(inner)
            }
            '[' => self.class(),
            '\\' => self.escape().map(|(ranges, negated)| Node::Class(ranges, negated)),
            '*' | '+' | '?' => None,
            c => Some(Node::Char(c)),
        }
    }

    fn repeated(&mut self, node: Node) -> Option<Node> {
        let bounds = match self.peek() {
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('?') => (0, 1),
            Some('{') => return self.counted(node),
            _ => return Some(node),
        };
        self.at += 1;
        // Lazy or greedy: the same texts match.
        self.takes('?');
        Some(Node::Repeat(Box::new(node), bounds.0, bounds.1))
    }

    fn counted(&mut self, node: Node) -> Option<Node> {
        let end = self.rest[self.at..].iter().position(|c| *c == '}')? + self.at;
        let inside: String = self.rest[self.at + 1..end].iter().collect();
        self.at = end + 1;
        let (least, most) = match inside.split_once(',') {
            None => (inside.parse().ok()?, inside.parse().ok()?),
            Some((least, "")) => (least.parse().ok()?, usize::MAX),
            Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
        };
        Some(Node::Repeat(Box::new(node), least, most))
    }

    fn class(&mut self) -> Option<Node> {
        let negated = self.takes('^');
        let mut ranges = Vec::new();
        let mut is_first = true;
        loop {
            let c = self.next()?;
            if c == ']' && !is_first {
                return Some(Node::Class(ranges, negated));
            }
            is_first = false;
            let low = match c {
                '\\' => {
                    let (escaped, inverse) = self.escape()?;
                    match (&escaped[..], inverse) {
                        (_, true) => return None,
                        ([(a, b)], false) if a == b => *a,
                        _ => {
                            ranges.extend(escaped);
                            continue;
                        }
                    }
                }
                '[' if self.peek() == Some(':') => return None,
                c => c,
            };
            let is_range = self.peek() == Some('-') && self.rest.get(self.at + 1).is_some_and(|c| *c != ']');
            if !is_range {
                ranges.push((low, low));
                continue;
            }
            self.at += 1;
            let high = match self.next()? {
                '\\' => self.next()?,
                c => c,
            };
            ranges.push((low, high));
        }
    }

    /// What follows a backslash, as ranges, and whether they are inverted.
    fn escape(&mut self) -> Option<(Vec<(char, char)>, bool)> {
        const WORD: [(char, char); 4] = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
        const SPACE: [(char, char); 5] = [(' ', ' '), ('\t', '\t'), ('\n', '\n'), ('\r', '\r'), ('\x0c', '\x0c')];
        let c = self.next()?;
        match c {
            'd' | 'D' => Some((vec![('0', '9')], c == 'D')),
            'w' | 'W' => Some((WORD.to_vec(), c == 'W')),
            's' | 'S' => Some((SPACE.to_vec(), c == 'S')),
            'n' => Some((vec![('\n', '\n')], false)),
            't' => Some((vec![('\t', '\t')], false)),
            'r' => Some((vec![('\r', '\r')], false)),
            c if c.is_ascii_alphanumeric() => None,
            c => Some((vec![(c, c)], false)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_re2_does() {
        for (pattern, text, expected) in [
            ("^[a-z]+$", "oven", true),
            ("^[a-z]+$", "Oven", false),
            ("ve", "oven", true),
            ("^(a|b)*c{2,3}$", "abbacc", true),
            ("^(a|b)*c{2,3}$", "abbac", false),
            (r"^\d+(\.\d+)?$", "12.5", true),
            (r"^\d+(\.\d+)?$", "12.", false),
            ("^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$", "web-1", true),
            ("^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$", "web-", false),
            (r"^[\w.-]+@[\w.-]+$", "a.b@c-d.e", true),
            ("^[^/]+$", "a/b", false),
            ("(a*)*$", "aaab", true),
        ] {
            assert_eq!(Pattern::parse(pattern).unwrap().is_match(text), expected, "{pattern} on {text}");
        }
        assert!(Pattern::parse(r"\p{L}").is_none());
    }
}
