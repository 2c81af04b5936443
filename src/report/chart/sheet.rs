//! Small multiples: many charts on one sheet, in three or four columns, with one legend for all.

use super::palette::{Style, style};
use super::panel::{self, Frame, Look, describe, draw, footer};
use super::scene::{INK, MUTED, Scene, Shape, Side, WHITE, clean, fit};
use super::{Chart, labels};

const LOOK: Look = Look { title: 12.0, title_lines: 1, tick: 9.0, count: 7.5, marker: 3.2, line: 1.6, steps: 4, label: None, note: false };
const MARGIN: f64 = 18.0;
const GUTTER: f64 = 22.0;
const PLOT_HEIGHT: f64 = 130.0;

fn columns(charts: usize) -> usize {
    match charts {
        0 | 1 => 1,
        2 => 2,
        3..=9 => 3,
        _ => 4,
    }
}

/// The sheet as a scene. A series of the same label has the same style in every chart, in the order in which labels first appear.
pub fn scene(title: &str, charts: &[Chart]) -> Scene {
    let columns = columns(charts.len());
    let panel_width = match columns {
        1 => 640.0,
        2 => 420.0,
        3 => 330.0,
        _ => 280.0,
    };
    let width = 2.0 * MARGIN + columns as f64 * (panel_width + GUTTER) - GUTTER;
    let names = names(charts);
    let said: Vec<String> = charts.iter().take(24).map(describe).collect();
    let mut scene = Scene {
        id: "sheet".to_owned(),
        title: clean(&labels::brief(title)),
        description: said.join(" "),
        width,
        height: 0.0,
        shapes: vec![Shape::Close],
    };
    let top = header(&mut scene, title, charts, &names);
    let most = charts.iter().map(|chart| chart.series.len()).max().unwrap_or(0);
    // Where one title needs a second line all have room for it, so that plots begin on one line too.
    let title_lines = charts.iter().map(|chart| panel::title(chart, panel_width, LOOK.title).len()).max().unwrap_or(1);
    let look = Look { title_lines, ..LOOK };
    let panel_height = look.title * 1.4 + panel::more_lines(&look) + look.tick * 0.8 + PLOT_HEIGHT + footer(most, &look);
    for (at, chart) in charts.iter().enumerate() {
        let (row, column) = (at / columns, at % columns);
        let left = MARGIN + column as f64 * (panel_width + GUTTER);
        let y = top + row as f64 * (panel_height + GUTTER);
        // Plots end on one line across a row, however many series each has.
        let spare = footer(most, &look) - footer(chart.series.len(), &look);
        let frame = Frame { left, top: y, right: left + panel_width, bottom: y + panel_height - spare };
        let styles: Vec<Style> = chart.series.iter().map(|s| style_of(&names, &s.label)).collect();
        scene.open("class=\"chart\"".to_owned(), None);
        draw(&mut scene, chart, &styles, frame, &look);
        scene.close();
    }
    let rows = charts.len().div_ceil(columns);
    scene.height = (top + rows as f64 * (panel_height + GUTTER)).ceil();
    scene.shapes[0] = Shape::Box { from: (0.0, 0.0), to: (width, scene.height), colour: WHITE };
    scene
}

/// Labels in the order of their first appearance, each with its style.
fn names(charts: &[Chart]) -> Vec<(String, Style)> {
    let mut names: Vec<(String, Style)> = Vec::new();
    for series in charts.iter().flat_map(|chart| &chart.series) {
        if !names.iter().any(|(name, _)| *name == series.label) {
            names.push((series.label.clone(), style(names.len())));
        }
    }
    names
}

fn style_of(names: &[(String, Style)], label: &str) -> Style {
    names.iter().find(|(name, _)| name == label).map_or(style(0), |(_, style)| *style)
}

/// Title, the notes of the charts (each once), and the legend; gives the y under them.
fn header(scene: &mut Scene, title: &str, charts: &[Chart], names: &[(String, Style)]) -> f64 {
    let (left, right) = (MARGIN, scene.width - MARGIN);
    let mut y = MARGIN + 16.0;
    scene.text((left, y), 17.0, Side::Start, INK, fit(&clean(title), 17.0, right - left));
    let mut notes: Vec<&str> = Vec::new();
    for note in charts.iter().filter_map(|chart| chart.note.as_deref()) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    if !notes.is_empty() {
        y += 17.0;
        scene.text((left, y), 11.0, Side::Start, MUTED, fit(&clean(&notes.join("; ")), 11.0, right - left));
    }
    if !names.is_empty() {
        y = labels::legend(scene, names, Frame { left, top: y + 10.0, right, bottom: y }, 11.0, 4.0);
    }
    y + 16.0
}
