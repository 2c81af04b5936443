//! How series are told apart: by colour, by marker, and from the seventh on also by dashes.
//!
//! The colours were searched for, not picked: blue and vermillion of Okabe and Ito, then the colours that keep every pair apart under normal
//! vision and under each of the three dichromacies. Smallest distances of a pair in CIE Lab (1976, D65), and of a colour to white, as the test
//! below measures them:
//!
//! | vision | pair | to white |
//! |---|---|---|
//! | normal | 26.5 | 52.9 |
//! | protanopia | 26.4 | 46.3 |
//! | deuteranopia | 26.2 | 40.5 |
//! | tritanopia | 26.7 | 53.2 |
//!
//! Against white each colour has a contrast of 3.2 or more (WCAG 2.2, success criterion 1.4.11, asks for 3).

use super::scene::{At, Rgb, Scene, Shape, WHITE};

pub const COLOURS: [Rgb; 6] =
    [(0x00, 0x72, 0xb2), (0xd5, 0x5e, 0x00), (0x11, 0x44, 0x00), (0x99, 0x11, 0xff), (0xbb, 0x77, 0x99), (0x77, 0x33, 0x55)];

/// Outlines for a radius of one, of about the area of the disc; the first marker is the disc itself.
const OUTLINES: [&[At]; 6] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.3), (1.2, 0.8), (-1.2, 0.8)],
    &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
    &[(0.0, 1.3), (1.2, -0.8), (-1.2, -0.8)],
    &[
        (-0.45, -1.25),
        (0.45, -1.25),
        (0.45, -0.45),
        (1.25, -0.45),
        (1.25, 0.45),
        (0.45, 0.45),
        (0.45, 1.25),
        (-0.45, 1.25),
        (-0.45, 0.45),
        (-1.25, 0.45),
        (-1.25, -0.45),
        (-0.45, -0.45),
    ],
];

/// What marks one series. The same number is the same style in every chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub colour: Rgb,
    marker: usize,
    pub dashed: bool,
}

/// The style of the series with this number: 6 x 6 combinations of colour and marker before one comes again.
pub fn style(number: usize) -> Style {
    let (turn, colour) = (number / COLOURS.len(), number % COLOURS.len());
    Style { colour: COLOURS[colour], marker: (colour + turn) % OUTLINES.len(), dashed: turn % 2 == 1 }
}

impl Style {
    /// The marker over a white rim that parts it from what lies below; hollow where too few cases stand behind it.
    pub fn draw_marker(&self, scene: &mut Scene, centre: At, radius: f64, hollow: bool) {
        self.draw_outline(scene, centre, radius * 1.35, WHITE);
        self.draw_outline(scene, centre, radius, self.colour);
        if hollow {
            self.draw_outline(scene, centre, radius * 0.55, WHITE);
        }
    }

    fn draw_outline(&self, scene: &mut Scene, centre: At, radius: f64, colour: Rgb) {
        let outline = OUTLINES[self.marker];
        scene.shapes.push(if outline.is_empty() {
            Shape::Disc { centre, radius, colour }
        } else {
            let points = outline.iter().map(|(x, y)| (centre.0 + x * radius, centre.1 + y * radius)).collect();
            Shape::Area { points, colour, alpha: 1.0 }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Matrix = [[f64; 3]; 3];

    /// Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009
    /// (doi:10.1109/TVCG.2009.113): the matrices of severity 1.0, on linear RGB.
    const VISIONS: [(&str, Matrix); 4] = [
        ("normal", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        ("protanopia", [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
        ("deuteranopia", [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]),
        ("tritanopia", [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]),
    ];

    /// IEC 61966-2-1.
    fn linear((r, g, b): Rgb) -> [f64; 3] {
        [r, g, b].map(|v| {
            let v = f64::from(v) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn seen(colour: Rgb, vision: &Matrix) -> [f64; 3] {
        let rgb = linear(colour);
        vision.map(|row| row.iter().zip(rgb).map(|(m, v)| m * v).sum::<f64>().clamp(0.0, 1.0))
    }

    /// CIE 15:2004, white point D65.
    fn lab([r, g, b]: [f64; 3]) -> [f64; 3] {
        let f = |t: f64| if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 };
        let x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
        let y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
        let z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    #[test]
    fn series_are_told_apart_by_every_eye() {
        for (name, vision) in &VISIONS {
            let colours = COLOURS.map(|colour| lab(seen(colour, vision)));
            let white = lab(seen(WHITE, vision));
            let mut pair = f64::INFINITY;
            for (i, a) in colours.iter().enumerate() {
                for b in &colours[i + 1..] {
                    pair = pair.min(distance(*a, *b));
                }
            }
            let paper = colours.iter().map(|c| distance(*c, white)).fold(f64::INFINITY, f64::min);
            println!("{name}: pair {pair:.1}, white {paper:.1}");
            assert!(pair >= 25.0, "{name}: two colours are {pair:.1} apart");
            assert!(paper >= 40.0, "{name}: a colour is {paper:.1} from white");
        }
    }

    #[test]
    fn every_colour_stands_out_from_white_paper() {
        for colour in COLOURS {
            let [r, g, b] = linear(colour);
            let contrast = 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05);
            assert!(contrast >= 3.2, "{colour:?} has {contrast:.2}");
        }
    }

    #[test]
    fn thirty_six_series_look_different() {
        let styles: Vec<Style> = (0..36).map(style).collect();
        for (i, a) in styles.iter().enumerate() {
            assert!(styles[i + 1..].iter().all(|b| (a.colour, a.marker) != (b.colour, b.marker)), "{i}");
        }
        assert!(!style(5).dashed && style(6).dashed);
    }
}
