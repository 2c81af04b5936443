//! As much of Markdown as sections need: blank lines, fences, headings, tables and list items, in one pass over the lines.

use crate::model::Span;

/// How finely a text is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grain {
    /// Blocks between blank lines.
    Block,
    /// Lines.
    Line,
    /// Runs of lines that belong to one flow of prose: a list item, a greeting or a hard-wrapped paragraph.
    Run,
}

/// A piece of a text between separators.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub span: Span,
    /// Where the headings that open the block end, 0 without one.
    pub title_end: usize,
    /// A fenced code block or a table: nothing in it is prose.
    pub verbatim: bool,
    /// Columns before the marker, where the block's first line is a list item.
    item_indent: Option<usize>,
    /// Headings so far and nothing else: the next block belongs to them.
    heading_only: bool,
}

/// A text cut into blocks.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub blocks: Vec<Block>,
    /// Lines that are not blank (a fenced code block counts as one).
    pub lines: usize,
    /// True where a blank line stands between two of them.
    pub separated: bool,
}

/// Cuts a text into blocks. White-space-only lines are blank; lines end at LF, a CR before it belongs to the line end.
pub(super) fn scan(text: &str, grain: Grain) -> Scan {
    let lines = lines(text);
    let mut out = Scan::default();
    let mut fences = Fences::default();
    let mut open: Option<Block> = None;
    let mut after_blank = false;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let content = line.text(text);
        if is_blank(content) {
            after_blank = true;
            // A heading waits for what it heads.
            if open.is_some_and(|block| !block.heading_only) {
                out.blocks.extend(open.take());
            }
            at += 1;
            continue;
        }
        out.separated |= after_blank && out.lines > 0;
        out.lines += 1;
        let last = open.or(out.blocks.last().copied());
        let in_item = last.is_some_and(|block| block.item_indent.is_some());
        if grain == Grain::Block && open.is_none() && last.is_some_and(|block| block.is_continued_by(content)) {
            open = out.blocks.pop();
        }
        let piece = piece_at(text, &lines, at, Place { opens: open.is_none_or(|block| block.heading_only), in_item, grain }, &mut fences);
        if open.is_some_and(|block| block.ends_before(piece.kind, grain, || starts_run(lines[at - 1].text(text), content))) {
            out.blocks.extend(open.take());
        }
        let end = lines[at + piece.lines - 1].end;
        open.get_or_insert_with(|| Block::start(line.start, content)).take(piece.kind, end);
        after_blank = false;
        at += piece.lines;
    }
    out.blocks.extend(open);
    out
}

impl Block {
    fn start(at: usize, line: &str) -> Block {
        Block { span: Span::new(at, at), title_end: 0, verbatim: false, item_indent: list_item(line), heading_only: true }
    }

    fn take(&mut self, kind: Kind, end: usize) {
        self.span.end = end;
        if kind == Kind::Heading {
            self.title_end = end;
        } else {
            self.heading_only = false;
            self.verbatim = kind == Kind::Verbatim;
        }
    }

    /// True where the next piece, without a blank line before it, is not this block's any more.
    fn ends_before(&self, kind: Kind, grain: Grain, starts_run: impl Fn() -> bool) -> bool {
        !self.heading_only
            && match (kind, grain) {
                (Kind::Heading, _) | (_, Grain::Line) | (Kind::Verbatim, Grain::Run) => true,
                (Kind::Plain, Grain::Run) => self.verbatim || starts_run(),
                (_, Grain::Block) => false,
            }
    }

    /// True for a line that is indented under the list item which this block is, and is no item itself.
    fn is_continued_by(&self, line: &str) -> bool {
        self.item_indent.is_some_and(|indent| columns(line) >= indent + 2) && list_item(line).is_none()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Heading,
    Verbatim,
}

struct Piece {
    kind: Kind,
    lines: usize,
}

/// Where a line stands: whether it may open a block, and whether a list item is around it.
struct Place {
    opens: bool,
    in_item: bool,
    grain: Grain,
}

/// What starts at a line, and how many lines it takes.
fn piece_at(text: &str, lines: &[Line], at: usize, place: Place, fences: &mut Fences) -> Piece {
    let content = lines[at].text(text);
    let plain = Piece { kind: Kind::Plain, lines: 1 };
    if let Some(fence) = Fence::opened_by(content, place.in_item) {
        return fences.closing(fence, text, lines, at).map_or(plain, |end| Piece { kind: Kind::Verbatim, lines: end + 1 - at });
    }
    if atx_title(content).is_some() {
        return Piece { kind: Kind::Heading, lines: 1 };
    }
    let Some(next) = lines.get(at + 1).map(|line| line.text(text)) else { return plain };
    if place.opens && setext_title(content, next).is_some() {
        return Piece { kind: Kind::Heading, lines: 2 };
    }
    if place.grain != Grain::Block && content.contains('|') && is_delimiter_row(next) {
        let rows = lines[at..].iter().take_while(|line| line.text(text).contains('|')).count();
        return Piece { kind: Kind::Verbatim, lines: rows };
    }
    plain
}

/// The words of the headings that open a section, in order, without their marks.
pub fn heading_text(section: &str) -> Vec<&str> {
    opening(section).headings.into_iter().map(|(_, title)| title).collect()
}

/// What opens a section: its headings, each with its level (1 is the highest), and where the text under them begins.
pub(super) struct Opening<'a> {
    pub headings: Vec<(usize, &'a str)>,
    pub body: usize,
}

pub(super) fn opening(section: &str) -> Opening<'_> {
    let mut headings = Vec::new();
    let mut lines = lines_of(section).peekable();
    while let Some(line) = lines.next() {
        let content = line.text(section);
        let below = lines.peek().map_or("", |line| line.text(section));
        if let Some(title) = atx_title(content) {
            headings.push((content.trim_start().bytes().take_while(|b| *b == b'#').count(), title));
        } else if let Some(title) = setext_title(content, below) {
            headings.push((if below.trim_start().starts_with('=') { 1 } else { 2 }, title));
            lines.next();
        } else if !is_blank(content) {
            return Opening { headings, body: line.start };
        }
    }
    Opening { headings, body: section.len() }
}

#[derive(Debug, Clone, Copy)]
struct Line {
    start: usize,
    end: usize,
}

impl Line {
    fn text(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

fn lines(text: &str) -> Vec<Line> {
    lines_of(text).collect()
}

fn lines_of(text: &str) -> impl Iterator<Item = Line> {
    let mut start = 0;
    text.split_terminator('\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        Line { start: at, end: at + line.strip_suffix('\r').unwrap_or(line).len() }
    })
}

fn is_blank(line: &str) -> bool {
    line.trim_start().is_empty()
}

/// Columns of white space in front of a line; a tab goes on to the next multiple of four.
fn columns(line: &str) -> usize {
    let mut columns = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - columns % 4,
            _ => break,
        }
    }
    columns
}

/// The title of `# title`; up to three blanks of indent, a blank behind the marks.
fn atx_title(line: &str) -> Option<&str> {
    let marks = line.trim_start_matches(' ');
    let title = marks.trim_start_matches('#');
    let level = marks.len() - title.len();
    if line.len() - marks.len() > 3 || !(1..=6).contains(&level) || !(title.is_empty() || title.starts_with([' ', '\t'])) {
        return None;
    }
    let title = title.trim();
    let bare = title.trim_end_matches('#');
    Some(if bare.is_empty() || bare.ends_with([' ', '\t']) { bare.trim_end() } else { title })
}

/// The title of a line underlined with `===` or `---`. A sentence over a rule is no title, nor is a list item, quote or table row.
fn setext_title<'a>(line: &'a str, underline: &str) -> Option<&'a str> {
    let mark = underline.trim();
    let underlined = mark.len() >= 2 && (mark.bytes().all(|b| b == b'=') || mark.bytes().all(|b| b == b'-'));
    let title = line.trim();
    let titular = !title.is_empty()
        && !title.ends_with(['.', '!', '?', ':', ';', ',', '。', '！', '？'])
        && !title.starts_with('>')
        && !title.contains('|')
        && title.chars().any(char::is_alphanumeric)
        && list_item(line).is_none();
    (underlined && titular && columns(line) < 4 && columns(underline) < 4).then_some(title)
}

/// Columns in front of a list marker (`-`, `*`, `+`, `•`, `1.`, `1)`, each with a blank behind it), or None for another line.
pub(super) fn list_item(line: &str) -> Option<usize> {
    let content = line.trim_start_matches([' ', '\t']);
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => content.strip_prefix(['-', '*', '+', '•']),
        1..=9 => content[digits..].strip_prefix(['.', ')']),
        _ => None,
    }?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| columns(line))
}

/// `|---|:--:|`: the second line of a table.
fn is_delimiter_row(line: &str) -> bool {
    let row = line.trim();
    row.contains('|') && row.contains('-') && row.bytes().all(|b| matches!(b, b'|' | b'-' | b':' | b' ' | b'\t'))
}

/// In prose a line end is a soft wrap where the line was full or the next one goes on in small letters.
fn starts_run(line: &str, next: &str) -> bool {
    if list_item(next).is_some() || list_item(line).is_none() && columns(next) > columns(line) + 3 {
        return true;
    }
    let goes_on = next.trim_start().chars().next().is_some_and(char::is_lowercase);
    !goes_on && line.chars().count() < 50
}

/// An opening fence: three or more backticks or tildes.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
    indent: usize,
}

impl Fence {
    fn opened_by(line: &str, in_item: bool) -> Option<Fence> {
        let fence = Fence::marks(line)?;
        let info = &line.trim_start_matches([' ', '\t'])[fence.length..];
        // Four columns make indented code, but under a list item they are the item's own indent.
        let placed = fence.indent < 4 || in_item;
        (placed && !(fence.mark == b'`' && info.contains('`'))).then_some(fence)
    }

    fn marks(line: &str) -> Option<Fence> {
        let content = line.trim_start_matches([' ', '\t']);
        let mark = *content.as_bytes().first()?;
        let length = content.bytes().take_while(|byte| *byte == mark).count();
        (matches!(mark, b'`' | b'~') && length >= 3).then(|| Fence { mark, length, indent: columns(line) })
    }

    fn is_closed_by(self, line: &str) -> bool {
        Fence::marks(line).is_some_and(|close| {
            close.mark == self.mark && close.length >= self.length && close.indent <= self.indent + 3 && line.trim().len() == close.length
        })
    }
}

/// Finds where fences close, and remembers those that never do, so that a text of open fences is not searched again and again.
#[derive(Default)]
struct Fences {
    unclosed: Vec<Fence>,
}

impl Fences {
    /// The line that closes the fence opened at `at`. A fence that is never closed is no fence: the paragraphs behind a stray mark must
    /// not become one section.
    fn closing(&mut self, fence: Fence, text: &str, lines: &[Line], at: usize) -> Option<usize> {
        let hopeless =
            self.unclosed.iter().any(|open| open.mark == fence.mark && open.length <= fence.length && open.indent >= fence.indent);
        if hopeless {
            return None;
        }
        let found = (at + 1..lines.len()).find(|index| fence.is_closed_by(lines[*index].text(text)));
        if found.is_none() {
            self.unclosed.push(fence);
        }
        found
    }
}
