//! One chart in one rectangle: frame, ribbons, lines, markers, and the numbers around them.

use super::axis::{Axis, axis, tame, value};
use super::labels;
use super::paint::text_width;
use super::palette::Style;
use super::scene::{At, FAINT, FRAME, INK, MUTED, Scene, Shape, Side, clean, fit, wrap, xml};
use super::{Chart, Point, Series};
use crate::report::number::{ABSENT, grouped};

/// Fewer cases than this behind a point make it hollow.
pub const FEW: u64 = 30;
/// Series whose case counts get a row each; of more, one row shows the range.
const COUNT_ROWS: usize = 6;
/// Series whose intervals are filled; of more, the fillings would lie on each other as one grey, and bars alone are drawn.
const FILLED_MAX: usize = 3;

/// Sizes in pixels of one way to draw a panel.
#[derive(Clone, Copy)]
pub struct Look {
    pub title: f64,
    /// Lines that the title has room for: one or two.
    pub title_lines: usize,
    pub tick: f64,
    pub count: f64,
    pub marker: f64,
    pub line: f64,
    pub steps: usize,
    /// Labels at the line ends (else a legend elsewhere names the series), and their size.
    pub label: Option<f64>,
    /// A line for the note under the title.
    pub note: bool,
}

/// A rectangle in pixels; y grows downwards.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// A value that can be drawn: there, and finite.
pub fn seen(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.is_finite())
}

pub fn interval(point: &Point) -> Option<(f64, f64)> {
    let (low, high) = (seen(point.low)?, seen(point.high)?);
    Some((low.min(high), low.max(high)))
}

/// The height of what stands under a plot: the passes, and the case counts of `series`.
pub fn footer(series: usize, look: &Look) -> f64 {
    let rows = if series > COUNT_ROWS { 1 } else { series };
    look.tick * 1.9 + rows as f64 * look.count * 1.3 + look.count * 0.4
}

/// Draws the chart into `frame`; `styles` has one entry per series.
pub fn draw(scene: &mut Scene, chart: &Chart, styles: &[Style], frame: Frame, look: &Look) {
    let top = header(scene, chart, frame, look);
    let values = || chart.series.iter().flat_map(|s| &s.points).filter(|p| seen(p.value).is_some());
    if values().next().is_none() {
        let middle = ((frame.left + frame.right) / 2.0, (top + frame.bottom) / 2.0);
        scene.text(middle, look.tick * 1.3, Side::Middle, MUTED, "no data");
        return;
    }
    let bounds = values().flat_map(|p| [seen(p.value), interval(p).map(|i| i.0), interval(p).map(|i| i.1)]).flatten();
    let scale = axis(&chart.unit, bounds, look.steps);
    let margin = tick_margin(&scale, look);
    let label_column = look.label.map_or(look.marker * 2.0, |em| labels::column(&chart.series, em));
    let plot = Frame {
        left: frame.left + margin,
        top: top + look.tick * 0.8,
        right: frame.right - label_column,
        bottom: frame.bottom - footer(chart.series.len(), look),
    };
    let passes = passes(chart);
    // Markers of many passes would cover their own line.
    let marker = look.marker.min(0.28 * (plot.right - plot.left) / passes.len() as f64).max(1.0);
    let stage = Stage { plot, passes, scale, look, unit: &chart.unit, marker };
    stage.grid(scene);
    stage.counts(scene, chart, styles);
    let mut lines: Vec<Vec<Mark>> = chart.series.iter().enumerate().map(|(number, series)| stage.marks(number, series)).collect();
    stage.part(&mut lines);
    for (series, (marks, style)) in chart.series.iter().zip(lines.iter().zip(styles)) {
        scene.open(format!("class=\"series\" data-label=\"{}\"", xml(&clean(&labels::brief(&series.label)))), None);
        stage.ribbon(scene, marks, style, chart.series.len() <= FILLED_MAX);
        stage.line(scene, marks, style);
        scene.close();
    }
    for (series, (marks, style)) in chart.series.iter().zip(lines.iter().zip(styles)) {
        stage.points(scene, series, marks, style);
    }
    if let Some(em) = look.label {
        let ends: Vec<labels::End> = chart.series.iter().zip(&lines).map(|(series, marks)| stage.end(series, marks)).collect();
        labels::draw(scene, &ends, styles, plot, em, look.marker);
    }
}

/// The width that the labels of the value axis take beside the plot.
pub fn tick_margin(scale: &Axis, look: &Look) -> f64 {
    let widest = scale.ticks.iter().map(|(_, label)| text_width(label, look.tick)).fold(text_width("pass", look.tick), f64::max);
    widest * 1.06 + 8.0
}

/// The title with its unit, on one line or two.
pub fn title(chart: &Chart, width: f64, em: f64) -> Vec<String> {
    // Browsers' own fonts run up to a tenth wider than the one that measures.
    wrap(&format!("{} ({})", clean(&chart.title), clean(&chart.unit)), em, width / 1.1)
}

/// The height of a title's further lines.
pub fn more_lines(look: &Look) -> f64 {
    look.title_lines.saturating_sub(1) as f64 * look.title * 1.2
}

/// Title and note; gives the y under them.
fn header(scene: &mut Scene, chart: &Chart, frame: Frame, look: &Look) -> f64 {
    if look.title == 0.0 {
        return frame.top;
    }
    let width = frame.right - frame.left;
    let mut y = frame.top + look.title;
    for line in title(chart, width, look.title) {
        scene.text((frame.left, y), look.title, Side::Start, INK, line);
        y += look.title * 1.2;
    }
    let base = frame.top + look.title + more_lines(look);
    match &chart.note {
        Some(note) if look.note => {
            let em = look.title * 0.75;
            scene.text((frame.left, base + em * 1.5), em, Side::Start, MUTED, fit(&clean(note), em, width / 1.1));
            base + em * 2.0
        }
        _ => base + look.title * 0.4,
    }
}

/// Every pass that some series has, ascending.
fn passes(chart: &Chart) -> Vec<u32> {
    let mut all: Vec<u32> = chart.series.iter().flat_map(|s| &s.points).map(|p| p.pass).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A point that is seen, where it is drawn. `rank` is the place of its pass among all: neighbours in rank are joined.
struct Mark<'a> {
    point: &'a Point,
    value: f64,
    at: At,
    rank: usize,
    series: usize,
}

/// The plot's rectangle with its two scales.
pub struct Stage<'a> {
    pub plot: Frame,
    pub passes: Vec<u32>,
    pub scale: Axis,
    pub look: &'a Look,
    pub unit: &'a str,
    pub marker: f64,
}

impl Stage<'_> {
    pub fn x(&self, pass: u32) -> f64 {
        let Frame { left, right, .. } = self.plot;
        let inset = (right - left) * 0.06 + self.look.marker;
        match (self.passes.first(), self.passes.last()) {
            (Some(first), Some(last)) if first < last => {
                let place = f64::from(pass - first) / f64::from(last - first);
                left + inset + place * (right - left - 2.0 * inset)
            }
            _ => (left + right) / 2.0,
        }
    }

    pub fn y(&self, value: f64) -> f64 {
        self.plot.bottom - self.scale.place(value) * (self.plot.bottom - self.plot.top)
    }

    pub fn grid(&self, scene: &mut Scene) {
        let Frame { left, right, bottom, .. } = self.plot;
        let em = self.look.tick;
        scene.open("class=\"grid\"".to_owned(), None);
        for (v, _) in &self.scale.ticks {
            let y = self.y(*v);
            scene.line(vec![(left, y), (right, y)], FAINT, 1.0);
        }
        let floor = self.y(tame(0.0).max(self.scale.low));
        scene.line(vec![(left, floor), (right, floor)], FRAME, 1.0);
        scene.close();
        scene.open(format!("class=\"y-ticks\" data-low=\"{:e}\" data-high=\"{:e}\"", self.scale.low, self.scale.high), None);
        for (v, label) in &self.scale.ticks {
            scene.text((left - 7.0, self.y(*v) + em * 0.35), em, Side::End, MUTED, label.clone());
        }
        scene.close();
        let base = bottom + em * 1.5;
        scene.text((left - 7.0, base), em, Side::End, MUTED, "pass");
        scene.open("class=\"x-ticks\"".to_owned(), None);
        for pass in self.ticked() {
            let x = self.x(pass);
            scene.line(vec![(x, bottom), (x, bottom + 3.0)], FRAME, 1.0);
            scene.text((x, base), em, Side::Middle, INK, pass.to_string());
        }
        scene.close();
    }

    /// The passes that are labelled: all, or as many from the first on as stand clear of each other.
    pub fn ticked(&self) -> Vec<u32> {
        let widest = self.passes.iter().map(|pass| text_width(&pass.to_string(), self.look.tick)).fold(0.0, f64::max);
        let apart = widest.max(text_width("n 0000", self.look.count)) + self.look.count;
        let mut free = f64::NEG_INFINITY;
        let clear = |pass: &u32| {
            let x = self.x(*pass);
            let fits = x >= free;
            free = if fits { x + apart } else { free };
            fits
        };
        self.passes.iter().copied().filter(clear).collect()
    }

    /// The number of cases behind each point, a row a series in its colour; of many series their range.
    fn counts(&self, scene: &mut Scene, chart: &Chart, styles: &[Style]) {
        let em = self.look.count;
        let first = self.plot.bottom + self.look.tick * 1.9 + em;
        let many = chart.series.len() > COUNT_ROWS;
        let rows = if many { 1 } else { chart.series.len() };
        scene.open("class=\"counts\"".to_owned(), None);
        for (row, style) in styles.iter().enumerate().take(rows) {
            let base = first + row as f64 * em * 1.3;
            let colour = if many { MUTED } else { style.colour };
            let series = if many { &chart.series[..] } else { &chart.series[row..=row] };
            for pass in self.ticked() {
                let at_pass = || series.iter().flat_map(|s| &s.points).filter(|p| p.pass == pass).map(|p| p.n);
                let text = match (at_pass().min(), at_pass().max()) {
                    (Some(least), Some(most)) if least < most => format!("n {}\u{2013}{}", grouped(least), grouped(most)),
                    (Some(n), _) => format!("n {}", grouped(n)),
                    _ => continue,
                };
                scene.text((self.x(pass), base), em, Side::Middle, colour, text);
            }
        }
        scene.close();
    }

    fn marks<'a>(&self, number: usize, series: &'a Series) -> Vec<Mark<'a>> {
        let mut marks: Vec<Mark> = series
            .points
            .iter()
            .filter_map(|point| {
                let value = seen(point.value)?;
                let rank = self.passes.binary_search(&point.pass).ok()?;
                Some(Mark { point, value, at: (self.x(point.pass), self.y(value)), rank, series: number })
            })
            .collect();
        marks.sort_by_key(|mark| mark.rank);
        marks
    }

    /// Moves points that would cover each other at one pass a little aside, in the order of their series: arms that start from the same
    /// drafts have the same values there.
    fn part(&self, lines: &mut [Vec<Mark>]) {
        let width = self.plot.right - self.plot.left;
        let spacing = 0.6 * width / self.passes.len().max(1) as f64;
        for rank in 0..self.passes.len() {
            let mut here: Vec<&mut Mark> = lines.iter_mut().flatten().filter(|mark| mark.rank == rank).collect();
            here.sort_by(|a, b| a.at.1.total_cmp(&b.at.1));
            for crowd in here.chunk_by_mut(|a, b| b.at.1 - a.at.1 < 0.6 * self.marker) {
                crowd.sort_by_key(|mark| mark.series);
                let last = (crowd.len() - 1) as f64;
                let step = (self.marker * 2.6).min(spacing / crowd.len() as f64);
                for (k, mark) in crowd.iter_mut().enumerate() {
                    mark.at.0 += (k as f64 - last / 2.0) * step;
                }
            }
        }
    }

    fn ribbon(&self, scene: &mut Scene, marks: &[Mark], style: &Style, filled: bool) {
        let bounds: Vec<Option<(f64, f64)>> = marks.iter().map(|m| interval(m.point).map(|(l, h)| (self.y(l), self.y(h)))).collect();
        let mut at = 0;
        while at < marks.len() {
            let joined = |i: usize| i + 1 < marks.len() && marks[i + 1].rank == marks[i].rank + 1 && bounds[i + 1].is_some();
            let end = if bounds[at].is_some() { (at..).find(|i| !joined(*i)).unwrap_or(at) } else { at };
            let run = || marks[at..=end].iter().zip(&bounds[at..=end]).filter_map(|(m, b)| b.map(|b| (m.at.0, b)));
            if end > at && filled {
                let points = run().map(|(x, (low, _))| (x, low)).chain(run().rev().map(|(x, (_, high))| (x, high))).collect();
                scene.shapes.push(Shape::Area { points, colour: style.colour, alpha: 0.13 });
            }
            // A lone point has no ribbon to stand in, and a narrow ribbon hides its ends: a thin bar shows the interval itself.
            for (x, (low, high)) in run() {
                scene.shapes.push(Shape::Path { points: vec![(x, low), (x, high)], colour: style.colour, alpha: 0.45, width: 1.25 });
            }
            at = end + 1;
        }
    }

    /// The line, broken wherever a pass of the chart was not seen in this series.
    fn line(&self, scene: &mut Scene, marks: &[Mark], style: &Style) {
        for run in marks.chunk_by(|a, b| b.rank == a.rank + 1).filter(|run| run.len() > 1) {
            let passes: Vec<String> = run.iter().map(|m| m.point.pass.to_string()).collect();
            scene.open(format!("class=\"line\" data-passes=\"{}\"", passes.join(" ")), None);
            let points: Vec<At> = run.iter().map(|m| m.at).collect();
            if style.dashed {
                dashes(&points).into_iter().for_each(|dash| scene.line(dash, style.colour, self.look.line));
            } else {
                scene.line(points, style.colour, self.look.line);
            }
            scene.close();
        }
    }

    fn points(&self, scene: &mut Scene, series: &Series, marks: &[Mark], style: &Style) {
        let label = clean(&labels::brief(&series.label));
        for mark in marks {
            let Point { pass, n, .. } = mark.point;
            let range = interval(mark.point)
                .map_or(String::new(), |(low, high)| format!(" ({} to {})", value(low, self.unit), value(high, self.unit)));
            let hint = format!("{label}, pass {pass}: {}{range}, n {n}", value(mark.value, self.unit));
            scene.open(format!("class=\"point\" data-pass=\"{pass}\""), Some(hint));
            style.draw_marker(scene, mark.at, self.marker, *n < FEW);
            scene.close();
        }
    }

    fn end(&self, series: &Series, marks: &[Mark]) -> labels::End {
        let at = marks.last().map(|mark| mark.at);
        let reaches_end = marks.last().is_some_and(|mark| mark.rank + 1 == self.passes.len());
        labels::End { label: series.label.clone(), at, reaches_end }
    }
}

/// The polyline as dashes of six pixels with gaps of four.
pub fn dashes(points: &[At]) -> Vec<Vec<At>> {
    const PERIOD: f64 = 10.0;
    const DASH: f64 = 6.0;
    let mut out = Vec::new();
    for ends in points.windows(2) {
        let [(x0, y0), (x1, y1)] = [ends[0], ends[1]];
        let length = ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)).sqrt();
        let along = |d: f64| (x0 + (x1 - x0) * d / length, y0 + (y1 - y0) * d / length);
        let count = (length / PERIOD).ceil().min(1000.0) as usize;
        out.extend((0..count).map(|k| k as f64 * PERIOD).map(|d| vec![along(d), along((d + DASH).min(length))]));
    }
    out
}

/// What the chart holds, in words: for those who do not see it.
pub fn describe(chart: &Chart) -> String {
    const SERIES_SAID: usize = 12;
    const POINTS_SAID: usize = 24;
    let mut out = format!("{} ({}) by pass.", clean(&labels::brief(&chart.title)), clean(&labels::brief(&chart.unit)));
    if let Some(note) = &chart.note {
        out.push_str(&format!(" {}.", clean(&labels::brief(note))));
    }
    for series in chart.series.iter().take(SERIES_SAID) {
        let said: Vec<String> = series
            .points
            .iter()
            .take(POINTS_SAID)
            .map(|p| format!("pass {} {}", p.pass, seen(p.value).map_or(ABSENT.to_owned(), |v| value(v, &chart.unit))))
            .collect();
        let said = if said.is_empty() { "no data".to_owned() } else { said.join(", ") };
        let more = if series.points.len() > POINTS_SAID { ", and more" } else { "" };
        out.push_str(&format!(" {}: {said}{more}.", clean(&labels::brief(&series.label))));
    }
    if chart.series.len() > SERIES_SAID {
        out.push_str(&format!(" And {} more series.", chart.series.len() - SERIES_SAID));
    }
    out
}
