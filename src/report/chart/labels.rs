//! Names of series: at the ends of their lines, pushed apart where they would touch, or in a legend.

use super::Series;
use super::paint::text_width;
use super::palette::Style;
use super::panel::Frame;
use super::scene::{At, FRAME, INK, MUTED, Scene, Shape, Side, clean, fit};

/// Pixels a label may take beside the plot.
const LABEL_MAX: f64 = 170.0;
/// From the plot's edge to a label's marker, and from there to its text.
const GAP: f64 = 20.0;
const MARKER_GAP: f64 = 10.0;

/// A series' name and where its line ends (None where it has no point).
pub struct End {
    pub label: String,
    pub at: Option<At>,
    pub reaches_end: bool,
}

/// A label held to a length that no reader or screen reader minds; pictures cut it further, to their width.
pub fn brief(label: &str) -> String {
    const LETTERS: usize = 120;
    if label.chars().nth(LETTERS).is_none() {
        return label.to_owned();
    }
    label.chars().take(LETTERS).chain(['\u{2026}']).collect()
}

fn named(label: &str, has_points: bool) -> String {
    let label = clean(&brief(label));
    if has_points { label } else { format!("{label} (no data)") }
}

/// The width that the labels of these series take beside the plot.
pub fn column(series: &[Series], em: f64) -> f64 {
    let has_points = |s: &Series| s.points.iter().any(|p| super::panel::seen(p.value).is_some());
    let widest = series.iter().map(|s| text_width(&named(&s.label, has_points(s)), em)).fold(0.0, f64::max);
    GAP + MARKER_GAP + widest.min(LABEL_MAX) * 1.06
}

/// Draws the labels to the right of the plot, each as near its line's end as the others allow; those without a line come last.
pub fn draw(scene: &mut Scene, ends: &[End], styles: &[Style], plot: Frame, em: f64, marker: f64) {
    let floor = plot.bottom - em * 0.5;
    let height = em * 1.35;
    let room = (((plot.bottom - plot.top) / height).floor() as usize + 1).max(1);
    let mut order: Vec<usize> = (0..ends.len()).collect();
    let wanted = |i: usize| ends[i].at.map_or(floor, |(_, y)| y);
    order.sort_by(|a, b| wanted(*a).total_cmp(&wanted(*b)).then(a.cmp(b)));
    let left_out = order.len().saturating_sub(room);
    if left_out > 0 {
        order.sort_unstable();
        order.truncate(room - 1);
        order.sort_by(|a, b| wanted(*a).total_cmp(&wanted(*b)).then(a.cmp(b)));
    }
    let mut heights: Vec<f64> = order.iter().map(|i| wanted(*i)).collect();
    if left_out > 0 {
        heights.push(f64::MAX);
    }
    let places = apart(&heights, height, plot.top, plot.bottom);
    let x = plot.right + GAP;
    scene.open("class=\"labels\"".to_owned(), None);
    for (i, y) in order.iter().zip(&places) {
        let End { label, at, reaches_end } = &ends[*i];
        if let (Some((end_x, end_y)), true) = (at, *reaches_end) {
            let points = vec![(end_x + marker * 1.6, *end_y), (plot.right + 2.0, *end_y), (x - marker * 1.6, *y)];
            scene.shapes.push(Shape::Path { points, colour: FRAME, alpha: 0.8, width: 0.75 });
        }
        styles[*i].draw_marker(scene, (x, *y), marker * 0.9, false);
        let text = fit(&named(label, at.is_some()), em, LABEL_MAX);
        scene.text((x + MARKER_GAP, y + em * 0.35), em, Side::Start, INK, text);
    }
    if let (true, Some(y)) = (left_out > 0, places.last()) {
        scene.text((x + MARKER_GAP, y + em * 0.35), em, Side::Start, MUTED, format!("and {} more", left_out + 1));
    }
    scene.close();
}

/// Places for labels `height` apart, within `top..bottom` as far as they fit, in the order of `wanted` (ascending), moved as little as that
/// allows: neighbours that touch become one block around the mean of what they want, until no two blocks touch.
fn apart(wanted: &[f64], height: f64, top: f64, bottom: f64) -> Vec<f64> {
    struct Block {
        /// Sum of the places wanted for the block's first label.
        sum: f64,
        count: usize,
    }
    let start = |block: &Block| {
        let last = bottom - (block.count - 1) as f64 * height;
        (block.sum / block.count as f64).min(last).max(top)
    };
    let mut blocks: Vec<Block> = Vec::new();
    for want in wanted {
        let mut block = Block { sum: want.clamp(top, bottom), count: 1 };
        while let Some(above) = blocks.pop() {
            if start(&above) + above.count as f64 * height <= start(&block) {
                blocks.push(above);
                break;
            }
            let shift = above.count as f64 * height * block.count as f64;
            block = Block { sum: above.sum + block.sum - shift, count: above.count + block.count };
        }
        blocks.push(block);
    }
    let places = |block: &Block| {
        let first = start(block);
        (0..block.count).map(move |k| first + k as f64 * height)
    };
    blocks.iter().flat_map(places).collect()
}

/// A row of markers and names, broken where it is full. Gives the y under it.
pub fn legend(scene: &mut Scene, names: &[(String, Style)], frame: Frame, em: f64, marker: f64) -> f64 {
    let (mut x, mut y) = (frame.left, frame.top + em);
    scene.open("class=\"legend\"".to_owned(), None);
    for (name, style) in names {
        let text = fit(&clean(&brief(name)), em, LABEL_MAX * 1.5);
        let width = 26.0 + text_width(&text, em) * 1.06 + 18.0;
        if x + width > frame.right && x > frame.left {
            (x, y) = (frame.left, y + em * 1.7);
        }
        let middle = y - em * 0.35;
        scene.line(vec![(x, middle), (x + 20.0, middle)], style.colour, 2.0);
        style.draw_marker(scene, (x + 10.0, middle), marker, false);
        scene.text((x + 26.0, y), em, Side::Start, INK, text);
        x += width;
    }
    scene.close();
    y + em * 0.6
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_move_only_where_they_touch() {
        for (wanted, want) in [
            (vec![10.0, 50.0], vec![10.0, 50.0]),
            (vec![50.0, 50.0], vec![45.0, 55.0]),
            (vec![0.0, 2.0], vec![0.0, 10.0]),
            (vec![99.0, 100.0], vec![90.0, 100.0]),
            (vec![40.0, 52.0, 54.0], vec![38.666666666666664, 48.666666666666664, 58.666666666666664]),
        ] {
            assert_eq!(apart(&wanted, 10.0, 0.0, 100.0), want);
        }
    }

    proptest! {
        #[test]
        fn placed_labels_never_touch(mut wanted in prop::collection::vec(-50.0..150.0f64, 0..11)) {
            wanted.sort_by(f64::total_cmp);
            let places = apart(&wanted, 10.0, 0.0, 100.0);
            prop_assert_eq!(places.len(), wanted.len());
            prop_assert!(places.windows(2).all(|w| w[1] - w[0] >= 10.0 - 1e-6), "{:?}", places);
            prop_assert!(places.iter().all(|y| (-1e-6..=100.0 + 1e-6).contains(y)), "{:?}", places);
        }
    }
}
