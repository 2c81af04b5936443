//! Charts: a metric against the pass index, one line per arm, as SVG and as PNG. What is drawn comes as plain data; nothing is computed here.
//!
//! A value that could not be seen breaks the line, and is never drawn as a zero. The same chart gives the same bytes on any machine: text is
//! measured and painted with an embedded font (Ubuntu Light), never with one of the system.

mod axis;
mod labels;
mod paint;
mod paired;
mod palette;
mod panel;
mod scene;
mod sheet;
#[cfg(test)]
mod tests;

use panel::{Frame, Look};
use scene::{Scene, Shape, WHITE, clean};

/// One line of a chart: an arm, as a rule.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    pub label: String,
    pub points: Vec<Point>,
}

/// A metric at one pass: its value, its interval, and the number of cases behind it. A value that is None (or not finite) was not seen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    pub pass: u32,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub n: u64,
}

/// A chart: `id` names it in file names and in the document, `title` says what the metric is, `unit` is `share` (fractions of one, shown as
/// percentages), `count`, `characters`, `USD`, or any other word; `note` stands under the title ("synthetic data").
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    pub id: String,
    pub title: String,
    pub unit: String,
    pub note: Option<String>,
    pub series: Vec<Series>,
}

/// The difference between two arms by pass, in the unit of the metric: each point with its interval and the number of pairs. `margins` are the
/// differences from which on a gate would call the candidate worse.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Paired {
    pub id: String,
    pub title: String,
    pub unit: String,
    pub points: Vec<Point>,
    pub margins: Vec<f64>,
}

const WIDTH: f64 = 720.0;
const PLOT_HEIGHT: f64 = 300.0;
const MARGIN: f64 = 16.0;
const LOOK: Look =
    Look { title: 16.0, title_lines: 1, tick: 12.0, count: 10.0, marker: 4.5, line: 2.25, steps: 5, label: Some(12.0), note: true };

/// The chart as an SVG document: named and described for screen readers, scaling with its view box, on a white ground. Groups carry classes
/// (`series`, `line`, `point`, `x-ticks`, `y-ticks`, `counts`, `labels`); each point tells its numbers to a pointer that rests on it.
pub fn svg(chart: &Chart) -> String {
    paint::svg(&single(chart))
}

/// The chart as a PNG, two pixels to each of the SVG's. Text in scripts that Ubuntu Light lacks is boxes here; the SVG shows it.
///
/// # Errors
/// Where the picture cannot be painted or encoded, in words.
pub fn png(chart: &Chart) -> Result<Vec<u8>, String> {
    paint::png(&single(chart))
}

/// The chart as one of many beside each other, which share a legend and have their titles elsewhere.
pub fn small_svg(chart: &Chart) -> String {
    paint::svg(&small(chart))
}

/// The line and marker of the series with this number, for a legend: a picture that the name beside it explains. `legend` tells it from the same
/// key in another legend of the page.
pub fn key_svg(legend: &str, number: usize) -> String {
    let style = palette::style(number);
    let (title, description) = (format!("line {}", number + 1), "as it is drawn".to_owned());
    let mut scene = Scene { id: format!("key-{legend}-{}", number + 1), title, description, width: 30.0, height: 14.0, shapes: vec![] };
    scene.line(vec![(1.0, 7.0), (29.0, 7.0)], style.colour, SMALL.line);
    style.draw_marker(&mut scene, (15.0, 7.0), SMALL.marker * 1.1, false);
    paint::svg(&scene)
}

/// Differences by pass about a line at zero, in the size of [`small_svg`].
pub fn paired_svg(paired: &Paired) -> String {
    paint::svg(&paired::scene(paired))
}

/// Charts as small multiples on one SVG sheet, with one legend: the same label has the same colour and marker throughout.
pub fn sheet_svg(title: &str, charts: &[Chart]) -> String {
    paint::svg(&sheet::scene(title, charts))
}

/// The sheet of [`sheet_svg`] as a PNG.
///
/// # Errors
/// Where the picture cannot be painted or encoded, or is too large (well over a hundred charts), in words.
pub fn sheet_png(title: &str, charts: &[Chart]) -> Result<Vec<u8>, String> {
    paint::png(&sheet::scene(title, charts))
}

fn single(chart: &Chart) -> Scene {
    let note = if chart.note.is_some() { LOOK.title * 1.2 } else { 0.0 };
    let title_lines = panel::title(chart, WIDTH - 2.0 * MARGIN, LOOK.title).len();
    let look = Look { title_lines, ..LOOK };
    let height = 2.0 * MARGIN + look.title * 2.0 + panel::more_lines(&look) + note + PLOT_HEIGHT + panel::footer(chart.series.len(), &look);
    let height = height.ceil();
    let mut scene = Scene {
        id: identifier(&chart.id),
        title: clean(&labels::brief(&chart.title)),
        description: panel::describe(chart),
        width: WIDTH,
        height,
        shapes: vec![Shape::Box { from: (0.0, 0.0), to: (WIDTH, height), colour: WHITE }],
    };
    let styles: Vec<palette::Style> = (0..chart.series.len()).map(palette::style).collect();
    let frame = Frame { left: MARGIN, top: MARGIN, right: WIDTH - MARGIN, bottom: height - MARGIN };
    panel::draw(&mut scene, chart, &styles, frame, &look);
    scene
}

/// Small enough for a telephone's screen and still read there.
const SMALL: Look = Look { title: 0.0, title_lines: 1, tick: 11.0, count: 9.5, marker: 3.6, line: 1.9, steps: 4, label: None, note: false };
const SMALL_WIDTH: f64 = 340.0;
const SMALL_PLOT: f64 = 130.0;

fn small(chart: &Chart) -> Scene {
    let (mut scene, frame) = small_scene(&chart.id, &chart.title, panel::describe(chart), chart.series.len());
    let styles: Vec<palette::Style> = (0..chart.series.len()).map(palette::style).collect();
    panel::draw(&mut scene, chart, &styles, frame, &SMALL);
    scene
}

/// An empty small scene with room for `rows` of case counts, and the frame to draw in.
fn small_scene(id: &str, title: &str, description: String, rows: usize) -> (Scene, Frame) {
    let height = (SMALL.tick * 1.6 + SMALL_PLOT + panel::footer(rows, &SMALL)).ceil();
    let frame = Frame { left: 2.0, top: 2.0, right: SMALL_WIDTH - 2.0, bottom: height - 2.0 };
    let scene = Scene {
        id: identifier(id),
        title: clean(&labels::brief(title)),
        description,
        width: SMALL_WIDTH,
        height,
        shapes: vec![Shape::Box { from: (0.0, 0.0), to: (SMALL_WIDTH, height), colour: WHITE }],
    };
    (scene, frame)
}

/// An id fit for an XML attribute and for a reference to it: letters, digits, `-` and `_`, opened by a letter.
fn identifier(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let id: String = id.chars().take(80).map(plain).collect();
    if id.starts_with(|c: char| c.is_ascii_alphabetic()) { id } else { format!("chart-{id}") }
}
