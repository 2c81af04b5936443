//! The difference between two arms, pass by pass: a mark and its interval about a line at zero, and the margins of a gate as dashes.

use super::axis::{axis, value};
use super::paint::text_width;
use super::panel::{FEW, Frame, Stage, dashes, interval, seen, tick_margin};
use super::scene::{INK, MUTED, Scene, Shape, Side, WHITE, clean};
use super::{Paired, Point, SMALL, labels, small_scene};
use crate::report::number::{ABSENT, decimal, grouped};

/// Half the width of the bars that close an interval.
const CAP: f64 = 4.0;

/// The panel as a scene.
pub fn scene(paired: &Paired) -> Scene {
    let (mut scene, frame) = small_scene(&paired.id, &paired.title, describe(paired), 1);
    let look = &SMALL;
    let mut points: Vec<&Point> = paired.points.iter().filter(|point| seen(point.value).is_some()).collect();
    points.sort_by_key(|point| point.pass);
    points.dedup_by_key(|point| point.pass);
    if points.is_empty() {
        let middle = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
        scene.text(middle, look.tick * 1.3, Side::Middle, MUTED, "no data");
        return scene;
    }
    let margins = || paired.margins.iter().copied().filter(|margin| margin.is_finite());
    let bounds = |point: &&Point| [seen(point.value), interval(point).map(|i| i.0), interval(point).map(|i| i.1)];
    let scale = axis(&paired.unit, points.iter().flat_map(bounds).flatten().chain(margins()).chain([0.0]), look.steps);
    let plot = Frame {
        left: frame.left + tick_margin(&scale, look),
        top: frame.top + look.tick * 0.8,
        right: frame.right - look.marker * 2.0,
        bottom: frame.bottom - super::panel::footer(1, look),
    };
    let passes = points.iter().map(|point| point.pass).collect();
    let stage = Stage { plot, passes, scale, look, unit: &paired.unit, marker: look.marker };
    stage.grid(&mut scene);
    rules(&mut scene, &stage, margins());
    for point in points {
        mark(&mut scene, &stage, point);
    }
    counts(&mut scene, &stage, &paired.points);
    scene
}

fn rules(scene: &mut Scene, stage: &Stage<'_>, margins: impl Iterator<Item = f64>) {
    let Frame { left, right, .. } = stage.plot;
    scene.open("class=\"zero\"".to_owned(), None);
    scene.line(vec![(left, stage.y(0.0)), (right, stage.y(0.0))], INK, 1.25);
    scene.close();
    for margin in margins {
        let y = stage.y(margin);
        scene.open("class=\"margin\"".to_owned(), Some(format!("margin: {}", amount(margin, stage.unit))));
        dashes(&[(left, y), (right, y)]).into_iter().for_each(|dash| scene.line(dash, MUTED, 1.25));
        scene.close();
    }
}

fn mark(scene: &mut Scene, stage: &Stage<'_>, point: &Point) {
    let Some(at) = seen(point.value) else { return };
    let (x, y) = (stage.x(point.pass), stage.y(at));
    scene.open(format!("class=\"point\" data-pass=\"{}\"", point.pass), Some(said(point, stage.unit)));
    if let Some((low, high)) = interval(point) {
        let (low, high) = (stage.y(low), stage.y(high));
        scene.line(vec![(x, low), (x, high)], INK, 1.5);
        [low, high].into_iter().for_each(|end| scene.line(vec![(x - CAP, end), (x + CAP, end)], INK, 1.5));
    }
    scene.shapes.push(Shape::Disc { centre: (x, y), radius: stage.marker * 1.2, colour: INK });
    if point.n < FEW {
        scene.shapes.push(Shape::Disc { centre: (x, y), radius: stage.marker * 0.7, colour: WHITE });
    }
    scene.close();
}

fn counts(scene: &mut Scene, stage: &Stage<'_>, points: &[Point]) {
    let em = stage.look.count;
    let base = stage.plot.bottom + stage.look.tick * 1.9 + em;
    scene.open("class=\"counts\"".to_owned(), None);
    let mut free = f64::NEG_INFINITY;
    for pass in stage.ticked() {
        let Some(point) = points.iter().find(|point| point.pass == pass) else { continue };
        let (x, text) = (stage.x(pass), format!("n {}", grouped(point.n)));
        let half = text_width(&text, em) / 2.0;
        if x - half >= free {
            scene.text((x, base), em, Side::Middle, MUTED, text);
            free = x + half + em * 0.5;
        }
    }
    scene.close();
}

/// A difference in words. Shares differ by points, not by percent.
fn amount(difference: f64, unit: &str) -> String {
    if unit == "share" { format!("{} points", decimal(100.0 * difference, 1)) } else { value(difference, unit) }
}

fn said(point: &Point, unit: &str) -> String {
    let at = seen(point.value).map_or(ABSENT.to_owned(), |v| amount(v, unit));
    let range = interval(point).map_or(String::new(), |(low, high)| format!(" ({} to {})", amount(low, unit), amount(high, unit)));
    format!("pass {}: {at}{range}, n {}", point.pass, point.n)
}

fn describe(paired: &Paired) -> String {
    const POINTS_SAID: usize = 24;
    let said: Vec<String> = paired.points.iter().take(POINTS_SAID).map(|point| said(point, &paired.unit)).collect();
    let margins: Vec<String> = paired.margins.iter().map(|margin| format!(" Margin: {}.", amount(*margin, &paired.unit))).collect();
    let said = if said.is_empty() { "no data".to_owned() } else { said.join("; ") };
    format!("{}: difference by pass. {said}.{}", clean(&labels::brief(&paired.title)), margins.concat())
}
