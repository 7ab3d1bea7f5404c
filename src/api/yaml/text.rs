//! The text that is scanned, and where one is in it.

/// A place in a document's text; all count from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// In characters.
    pub index: usize,
    pub line: usize,
    /// In characters.
    pub column: usize,
}

pub struct Text<'a> {
    bytes: &'a [u8],
    place: usize,
    pub mark: Mark,
}

impl<'a> Text<'a> {
    pub fn new(text: &'a str) -> Text<'a> {
        Text { bytes: text.as_bytes(), place: 0, mark: Mark::default() }
    }

    /// The byte so far ahead, 0 after the end (no text that is scanned holds one).
    pub fn at(&self, ahead: usize) -> u8 {
        self.bytes.get(self.place + ahead).copied().unwrap_or(0)
    }

    pub fn is_end(&self) -> bool {
        self.place >= self.bytes.len()
    }

    pub fn is_break(&self, ahead: usize) -> bool {
        match self.at(ahead) {
            b'\n' | b'\r' => true,
            0xC2 => self.at(ahead + 1) == 0x85,
            0xE2 => self.at(ahead + 1) == 0x80 && matches!(self.at(ahead + 2), 0xA8 | 0xA9),
            _ => false,
        }
    }

    pub fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.at(ahead), b' ' | b'\t')
    }

    /// A line break or the end.
    pub fn is_breakz(&self, ahead: usize) -> bool {
        self.at(ahead) == 0 || self.is_break(ahead)
    }

    pub fn is_blankz(&self, ahead: usize) -> bool {
        self.is_blank(ahead) || self.is_breakz(ahead)
    }

    pub fn is_word(&self) -> bool {
        let c = self.at(0);
        c.is_ascii_alphanumeric() || c == b'_' || c == b'-'
    }

    /// `---` or `...` alone at the beginning of a line.
    pub fn is_document_mark(&self, c: u8) -> bool {
        self.mark.column == 0 && (0..3).all(|i| self.at(i) == c) && self.is_blankz(3)
    }

    pub fn is_any_document_mark(&self) -> bool {
        self.is_document_mark(b'-') || self.is_document_mark(b'.')
    }

    fn width(&self) -> usize {
        match self.at(0) {
            0..0x80 => 1,
            0x80..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        }
    }

    /// Goes one character ahead.
    pub fn skip(&mut self) {
        self.place = (self.place + self.width()).min(self.bytes.len());
        self.mark.index += 1;
        self.mark.column += 1;
    }

    pub fn skip_blanks(&mut self) {
        while self.is_blank(0) {
            self.skip();
        }
    }

    pub fn skip_comment(&mut self) {
        if self.at(0) == b'#' {
            while !self.is_breakz(0) {
                self.skip();
            }
        }
    }

    /// Goes over a line break, if here is one.
    pub fn skip_line(&mut self) {
        self.read_line(&mut Vec::new());
    }

    /// Copies one character.
    pub fn read(&mut self, into: &mut Vec<u8>) {
        let from = self.place;
        self.skip();
        into.extend_from_slice(&self.bytes[from..self.place]);
    }

    /// Copies a line break, if here is one, as a newline; those of Unicode stay.
    pub fn read_line(&mut self, into: &mut Vec<u8>) {
        if !self.is_break(0) {
            return;
        }
        let from = self.place;
        if self.at(0) == b'\r' && self.at(1) == b'\n' {
            self.place += 2;
            self.mark.index += 2;
        } else {
            self.place += self.width();
            self.mark.index += 1;
        }
        if self.place - from == 3 {
            into.extend_from_slice(&self.bytes[from..self.place])
        } else {
            into.push(b'\n')
        }
        self.mark.column = 0;
        self.mark.line += 1;
    }
}

/// Whether a plain scalar may begin with this byte wherever it stands.
pub fn starts_plain(c: u8) -> bool {
    !matches!(
        c,
        b'-' | b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%' | b'@' | b'`'
    )
}

/// Text gathered from whole characters.
pub fn string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}
