//! Scenes to bytes with plotters: its SVG and bitmap backends, its fonts. The only file that knows plotters.

use std::sync::OnceLock;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::scene::{At, Rgb, Scene, Shape, Side, xml};

/// What the SVG asks a browser for, and the name under which the font that measures (and paints bitmaps) is registered.
const FAMILY: &str = "system-ui, Segoe UI, Roboto, Helvetica, Arial, sans-serif";

/// Plotters' coordinates are whole numbers: quarter pixels keep slopes and small type true.
const SUBPIXELS: f64 = 4.0;
/// Finished bitmaps have two pixels to each pixel of the layout, for dense screens and print.
const PNG_DENSITY: u32 = 2;
/// Sub-pixels painted at most (three bytes each); a larger picture is painted with fewer, a still larger one is refused.
const PNG_AREA_MAX: f64 = 4e7;

/// Plotters' text size is 1.24 em in SVG; for a bitmap it is the font's ascent plus descent, 1.121 em in Ubuntu Light.
const SVG_SIZE: f64 = 1.24;
const PNG_SIZE: f64 = 1.121;
/// From the top that text is hung from to its base line: 0.76 em in SVG (its `dy`), half the text size in a bitmap.
const SVG_DROP: f64 = 0.76;
const PNG_DROP: f64 = PNG_SIZE / 2.0;

/// How one backend wants its coordinates and text.
struct Form {
    scale: f64,
    text_size: f64,
    text_drop: f64,
    /// Paint a path as single segments: the bitmap joints of wide lines grow spikes (and markers hide the joints).
    split_paths: bool,
}

fn font_is_there() -> bool {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    *REGISTERED.get_or_init(|| register_font(FAMILY, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT).is_ok())
}

/// The width of a text in pixels at a font size of `em` pixels, from the embedded font, never from the system. Wide scripts and emoji, which
/// that font lacks, count one em a cluster.
pub fn text_width(text: &str, em: f64) -> f64 {
    const MEASURED_AT: f64 = 100.0;
    let mut narrow = String::with_capacity(text.len());
    let mut wide = 0usize;
    for cluster in text.graphemes(true) {
        match UnicodeWidthStr::width(cluster) {
            0 | 1 => narrow.push_str(cluster),
            columns => wide += columns / 2,
        }
    }
    let measured = if font_is_there() { FontDesc::from((FAMILY, MEASURED_AT * PNG_SIZE)).box_size(&narrow).ok() } else { None };
    let narrow_width = measured.map_or(narrow.chars().count() as f64 * 0.55, |(width, _)| f64::from(width) / MEASURED_AT);
    (narrow_width + wide as f64) * em
}

/// The scene as a stand-alone SVG document, also fit to be put inline into HTML.
pub fn svg(scene: &Scene) -> String {
    let mut raw = String::with_capacity(scene.shapes.len() * 160);
    let size = ((scene.width * SUBPIXELS) as u32, (scene.height * SUBPIXELS) as u32);
    let form = Form { scale: SUBPIXELS, text_size: SVG_SIZE, text_drop: SVG_DROP, split_paths: false };
    // Writing into a string has no way to fail; were one added, the picture would lack shapes, not the report a picture.
    let _ = paint(scene, &SVGBackend::with_string(&mut raw, size).into_drawing_area(), &form);
    finish(scene, &raw, size)
}

/// Puts plotters' elements, one per shape and in the order of the shapes, into the groups of the scene, under a root with a name, a
/// description and a view box. Plotters writes each element on a line of its own, text on three.
fn finish(scene: &Scene, raw: &str, size: (u32, u32)) -> String {
    let mut lines = raw.lines().skip(1);
    let mut out = String::with_capacity(raw.len() * 2);
    let (id, title) = (&scene.id, xml(&scene.title));
    out.push_str(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-desc\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n<title id=\"{id}-title\">{title}</title>\n\
         <desc id=\"{id}-desc\">{}</desc>\n",
        scene.width,
        scene.height,
        size.0,
        size.1,
        xml(&scene.description)
    ));
    for shape in &scene.shapes {
        match shape {
            Shape::Open { attributes, hint } => {
                out.push_str("<g ");
                out.push_str(attributes);
                out.push('>');
                if let Some(hint) = hint {
                    out.push_str("<title>");
                    out.push_str(&xml(hint));
                    out.push_str("</title>");
                }
            }
            Shape::Close => out.push_str("</g>"),
            Shape::Text { .. } => lines.by_ref().take(3).for_each(|line| out.push_str(line)),
            _ => lines.by_ref().take(1).for_each(|line| out.push_str(line)),
        }
        out.push('\n');
    }
    out.push_str("</svg>\n");
    out
}

/// The scene as a PNG of two pixels per pixel of the layout, smoothed by averaging sub-pixels.
pub fn png(scene: &Scene) -> Result<Vec<u8>, String> {
    if !font_is_there() {
        return Err("the embedded font cannot be read".to_owned());
    }
    let pixels = scene.width * scene.height * f64::from(PNG_DENSITY * PNG_DENSITY);
    let smooth = [2u32, 1]
        .into_iter()
        .find(|smooth| pixels * f64::from(smooth * smooth) <= PNG_AREA_MAX)
        .ok_or_else(|| format!("a picture of {} x {} is too large for a PNG", scene.width, scene.height))?;
    let (width, height) = (scene.width as u32 * PNG_DENSITY, scene.height as u32 * PNG_DENSITY);
    let (wide, high) = (width * smooth, height * smooth);
    let mut buffer = vec![0xff_u8; wide as usize * high as usize * 3];
    {
        let backend = BitMapBackend::with_buffer(&mut buffer, (wide, high));
        let scale = f64::from(PNG_DENSITY * smooth);
        let form = Form { scale, text_size: PNG_SIZE, text_drop: PNG_DROP, split_paths: true };
        paint(scene, &backend.into_drawing_area(), &form)?;
    }
    encode(&averaged(&buffer, wide as usize, smooth as usize), width, height)
}

/// Each square of `side` x `side` pixels (RGB, rows of `wide` pixels) as its mean.
fn averaged(pixels: &[u8], wide: usize, side: usize) -> Vec<u8> {
    if side == 1 {
        return pixels.to_vec();
    }
    let row = wide * 3;
    let mut out = Vec::with_capacity(pixels.len() / (side * side));
    let mut sums = vec![0u16; row / side];
    for band in pixels.chunks_exact(row * side) {
        sums.fill(0);
        for line in band.chunks_exact(row) {
            for (sum, square) in sums.chunks_exact_mut(3).zip(line.chunks_exact(3 * side)) {
                for pixel in square.chunks_exact(3) {
                    for (total, value) in sum.iter_mut().zip(pixel) {
                        *total += u16::from(*value);
                    }
                }
            }
        }
        let count = (side * side) as u16;
        out.extend(sums.iter().map(|sum| ((sum + count / 2) / count) as u8));
    }
    out
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, String> {
    let failed = |e: png::EncodingError| format!("the PNG cannot be written: {e}");
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(out)
}

fn paint<DB: DrawingBackend>(scene: &Scene, area: &DrawingArea<DB, plotters::coord::Shift>, form: &Form) -> Result<(), String> {
    for shape in &scene.shapes {
        paint_shape(shape, area, form).map_err(|e| format!("the chart cannot be painted: {e}"))?;
    }
    area.present().map_err(|e| format!("the chart cannot be painted: {e}"))
}

type Painted<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

fn paint_shape<DB: DrawingBackend>(shape: &Shape, area: &DrawingArea<DB, plotters::coord::Shift>, form: &Form) -> Painted<DB> {
    let whole = |v: f64| (v * form.scale).round() as i32;
    let put = |(x, y): &At| (whole(*x), whole(*y));
    let ink = |(r, g, b): &Rgb| RGBColor(*r, *g, *b);
    match shape {
        Shape::Open { .. } | Shape::Close => Ok(()),
        Shape::Box { from, to, colour } => area.draw(&Rectangle::new([put(from), put(to)], ink(colour).filled())),
        Shape::Path { points, colour, alpha, width } => {
            let mut path: Vec<(i32, i32)> = points.iter().map(put).collect();
            let style = ink(colour).mix(*alpha).stroke_width(whole(*width).max(1) as u32);
            if !form.split_paths {
                return area.draw(&PathElement::new(path, style));
            }
            // A segment of no length has no direction, which plotters' wide lines need.
            path.dedup();
            path.windows(2).try_for_each(|ends| area.draw(&PathElement::new(ends.to_vec(), style)))
        }
        Shape::Area { points, colour, alpha } => {
            area.draw(&Polygon::new(points.iter().map(put).collect::<Vec<_>>(), ink(colour).mix(*alpha)))
        }
        Shape::Disc { centre, radius, colour } => area.draw(&Circle::new(put(centre), whole(*radius), ink(colour).filled())),
        Shape::Text { at, em, side, colour, text } => {
            let h_pos = match side {
                Side::Start => HPos::Left,
                Side::Middle => HPos::Center,
                Side::End => HPos::Right,
            };
            let colour = ink(colour);
            let style = TextStyle::from((FAMILY, em * form.scale * form.text_size)).color(&colour).pos(Pos::new(h_pos, VPos::Top));
            area.draw(&Text::new(text.as_str(), put(&(at.0, at.1 - em * form.text_drop)), style))
        }
    }
}
