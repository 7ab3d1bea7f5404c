//! Aligns tab-separated cells in columns as Go's text/tabwriter does: a column is a block of neighbouring lines that all
//! have a cell there which ends with a tab.

/// Aligns `text`: each column is as wide as its widest cell plus `padding`, at least `minimum`.
pub fn align(text: &str, minimum: usize, padding: usize) -> String {
    let lines: Vec<Vec<&str>> = text.split('\n').map(|l| l.split('\t').collect()).collect();
    let mut out = String::with_capacity(text.len() * 2);
    let mut widths = Vec::new();
    format(&lines, &mut widths, (minimum, padding), &mut out);
    // Each line was written with a line break; the text had one less.
    out.pop();
    out
}

fn format(lines: &[Vec<&str>], widths: &mut Vec<usize>, (minimum, padding): (usize, usize), out: &mut String) {
    let column = widths.len();
    let mut start = 0;
    let mut at = 0;
    while at < lines.len() {
        if column + 1 >= lines[at].len() {
            at += 1;
            continue;
        }
        write_lines(&lines[start..at], widths, out);
        start = at;
        let mut width = minimum;
        while at < lines.len() && column + 1 < lines[at].len() {
            width = width.max(lines[at][column].chars().count() + padding);
            at += 1;
        }
        widths.push(width);
        format(&lines[start..at], widths, (minimum, padding), out);
        widths.pop();
        start = at;
    }
    write_lines(&lines[start..], widths, out);
}

fn write_lines(lines: &[Vec<&str>], widths: &[usize], out: &mut String) {
    for line in lines {
        for (i, cell) in line.iter().enumerate() {
            out.push_str(cell);
            if i + 1 < line.len() {
                let width = widths.get(i).copied().unwrap_or(0);
                out.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count())));
            }
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_ends_where_a_line_has_no_cell() {
        let text = "a:\tb\nlonger:\tc\nno cell\nx:\ty\n  k\tlong\tz\n  kk\tl\tz\n";
        assert_eq!(align(text, 0, 2), "a:       b\nlonger:  c\nno cell\nx:    y\n  k   long  z\n  kk  l     z\n");
    }
}
