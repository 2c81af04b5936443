//! Charts as a reader gets them: the degenerate ones of the field, hostile labels, and any data at all.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// An element of an SVG: its name, its attributes, its text, its children. A strict reader of what the writer may produce: every tag closed,
/// attributes quoted and unique, the five references of XML and no other, only characters that XML 1.0 allows.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    text: String,
    children: Vec<Element>,
}

impl Element {
    fn all<'a>(&'a self, class: &str, out: &mut Vec<&'a Element>) {
        if self.attributes.get("class").is_some_and(|c| c == class) {
            out.push(self);
        }
        self.children.iter().for_each(|child| child.all(class, out));
    }

    fn class(&self, class: &str) -> Vec<&Element> {
        let mut out = Vec::new();
        self.all(class, &mut out);
        out
    }

    fn named(&self, name: &str) -> Vec<&Element> {
        self.children.iter().filter(|child| child.name == name).collect()
    }

    fn texts(&self) -> Vec<String> {
        let own = (self.name == "text").then(|| self.text.clone());
        own.into_iter().chain(self.children.iter().flat_map(Element::texts)).collect()
    }
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find(';').ok_or("a bare &")? + at;
        out.push(match &rest[at..=end] {
            "&amp;" => '&',
            "&lt;" => '<',
            "&gt;" => '>',
            "&quot;" => '"',
            "&apos;" => '\'',
            other => return Err(format!("unknown reference {other}")),
        });
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

fn parse(svg: &str) -> Result<Element, String> {
    if let Some(c) = svg.chars().find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{fffe}' | '\u{ffff}')) {
        return Err(format!("{c:?} is no character of a document"));
    }
    let mut stack = vec![Element::default()];
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        stack.last_mut().ok_or("closed too often")?.text.push_str(&unescape(&rest[..at])?);
        let end = rest[at..].find('>').ok_or("an open tag")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let element = stack.pop().filter(|e| e.name == name).ok_or(format!("</{name}> closes nothing"))?;
            stack.last_mut().ok_or("closed too often")?.children.push(element);
            continue;
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let element = open_tag(tag)?;
        if closed {
            stack.last_mut().ok_or("closed too often")?.children.push(element);
        } else {
            stack.push(element);
        }
    }
    let root = stack.pop().filter(|_| stack.is_empty()).ok_or("an element is not closed")?;
    match <[Element; 1]>::try_from(root.children) {
        Ok([svg]) if rest.trim().is_empty() && root.text.trim().is_empty() => Ok(svg),
        _ => Err("not one root element".to_owned()),
    }
}

fn open_tag(tag: &str) -> Result<Element, String> {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(format!("`{name}` is no name"));
    }
    let mut element = Element { name: name.to_owned(), ..Element::default() };
    while !rest.trim().is_empty() {
        let (key, value) = rest.trim_start().split_once("=\"").ok_or(format!("`{rest}` is no attribute"))?;
        let (value, after) = value.split_once('"').ok_or("an open quotation")?;
        if element.attributes.insert(key.to_owned(), unescape(value)?).is_some() {
            return Err(format!("{key} twice"));
        }
        rest = after;
    }
    Ok(element)
}

/// One series from the files of the degenerate cases: {"pass": [..], metric: [..]}.
fn degenerate(text: &str) -> Chart {
    let columns: BTreeMap<String, Vec<Option<f64>>> = serde_json::from_str(text).unwrap();
    let (metric, values) = columns.iter().find(|(name, _)| *name != "pass").unwrap();
    let points = columns["pass"]
        .iter()
        .zip(values)
        .map(|(pass, value)| Point { pass: pass.unwrap() as u32, value: *value, low: None, high: None, n: 300 })
        .collect();
    let unit = if metric == "findings" { "count" } else { "share" };
    Chart { id: metric.clone(), title: metric.clone(), unit: unit.into(), note: None, series: vec![Series { label: "arm".into(), points }] }
}

fn drawn(chart: &Chart) -> Element {
    let text = svg(chart);
    assert_no_false_numbers(&text);
    parse(&text).unwrap()
}

/// No attribute of a drawing that is not a number where it should be one. (Labels may well hold "inf".)
fn assert_no_false_numbers(svg: &str) {
    let element = parse(svg).unwrap();
    fn look(element: &Element) {
        for (key, value) in &element.attributes {
            let is_name = matches!(key.as_str(), "data-label" | "id" | "aria-labelledby" | "font-family");
            assert!(is_name || !(value.contains("NaN") || value.contains("inf")), "{key}={value}");
        }
        element.children.iter().for_each(look);
    }
    look(&element);
}

fn lines(svg: &Element) -> Vec<(String, usize)> {
    svg.class("line")
        .iter()
        .map(|line| {
            let vertices = line.children.iter().map(|path| path.attributes["points"].split_whitespace().count()).sum();
            (line.attributes["data-passes"].clone(), vertices)
        })
        .collect()
}

#[test]
fn degenerate_charts_show_what_is_there_and_no_more() {
    // points, lines (passes joined, vertices), x ticks, and values that the y axis must hold
    type Case = (&'static str, &'static str, &'static [&'static str], &'static [(&'static str, usize)], &'static [&'static str], f64);
    let cases: [Case; 5] = [
        ("single", include_str!("../../../tests/data/report/H04-plot-degenerate/single.json"), &["1"], &[], &["1"], 3.4),
        (
            "constant",
            include_str!("../../../tests/data/report/H04-plot-degenerate/constant.json"),
            &["1", "2", "3"],
            &[("1 2 3", 3)],
            &["1", "2", "3"],
            2.0,
        ),
        ("none", include_str!("../../../tests/data/report/H04-plot-degenerate/none.json"), &[], &[], &[], 0.0),
        (
            "hole",
            include_str!("../../../tests/data/report/H04-plot-degenerate/hole.json"),
            &["1", "3", "4"],
            &[("3 4", 2)],
            &["1", "2", "3", "4"],
            0.5,
        ),
        ("zero", include_str!("../../../tests/data/report/H04-plot-degenerate/zero.json"), &["1", "2"], &[("1 2", 2)], &["1", "2"], 0.0),
    ];
    for (name, file, points, joined, ticks, value) in cases {
        let chart = degenerate(file);
        let document = svg(&chart);
        assert!(!document.contains("NaN") && !document.contains("inf"), "{name}");
        let root = drawn(&chart);
        let seen: Vec<&str> = root.class("point").iter().map(|p| p.attributes["data-pass"].as_str()).collect();
        assert_eq!(seen, points, "{name}");
        let lines = lines(&root);
        assert_eq!(lines.iter().map(|(p, n)| (p.as_str(), *n)).collect::<Vec<_>>(), joined, "{name}");
        let tick_labels: Vec<String> = root.class("x-ticks").iter().flat_map(|g| g.texts()).collect();
        assert_eq!(tick_labels, ticks, "{name}");
        assert_eq!(root.texts().iter().any(|t| t == "no data"), points.is_empty(), "{name}");
        for axis in root.class("y-ticks") {
            let bound = |key: &str| axis.attributes[key].parse::<f64>().unwrap();
            assert!(bound("data-low") < bound("data-high"), "{name}");
            assert!((bound("data-low")..=bound("data-high")).contains(&value), "{name}");
            assert_eq!(bound("data-low"), 0.0, "{name}");
        }
        if name == "hole" {
            assert!(png(&chart).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
        }
    }
}

fn point(pass: u32, value: f64, n: u64) -> Point {
    Point { pass, value: Some(value), low: Some(value - 0.05), high: Some(value + 0.05), n }
}

fn chart(series: Vec<Series>) -> Chart {
    Chart { id: "c".into(), title: "Findings resolved".into(), unit: "share".into(), note: None, series }
}

#[test]
fn case_counts_stand_under_each_pass_and_few_cases_are_hollow() {
    let root = drawn(&chart(vec![
        Series { label: "a".into(), points: vec![point(1, 0.5, 300), point(2, 0.4, 29)] },
        Series { label: "b".into(), points: vec![point(1, 0.2, 30)] },
    ]));
    assert_eq!(root.class("counts")[0].texts(), ["n 300", "n 29", "n 30"]);
    let parts: Vec<usize> = root.class("point").iter().map(|p| p.children.len()).collect();
    // A hint, a white rim, the marker, and a white core where it is hollow.
    assert_eq!(parts, [3, 4, 3]);
    assert_eq!(root.class("point")[1].named("title")[0].text, "a, pass 2: 40.0% (35.0% to 45.0%), n 29");
    assert_eq!(root.class("labels")[0].texts(), ["a", "b"]);
}

#[test]
fn a_pass_that_one_arm_lacks_breaks_its_line() {
    let root = drawn(&chart(vec![
        Series { label: "a".into(), points: vec![point(1, 0.5, 300), point(3, 0.4, 300), point(4, 0.4, 300)] },
        Series { label: "b".into(), points: vec![point(4, 0.2, 300), point(2, 0.2, 300), point(1, 0.9, 300), point(3, 0.1, 300)] },
    ]));
    let joined: Vec<String> = lines(&root).into_iter().map(|(passes, _)| passes).collect();
    assert_eq!(joined, ["3 4", "1 2 3 4"]);
}

#[test]
fn equal_values_are_drawn_side_by_side() {
    let arm = |label: &str| Series { label: label.into(), points: vec![point(0, 0.5, 300)] };
    let root = drawn(&chart(vec![arm("a"), arm("b")]));
    let at = |group: &Element| match group.children.last().unwrap() {
        disc if disc.name == "circle" => disc.attributes["cx"].parse::<f64>().unwrap(),
        outline => {
            let xs: Vec<f64> =
                outline.attributes["points"].split_whitespace().map(|p| p.split_once(',').unwrap().0.parse().unwrap()).collect();
            xs.iter().sum::<f64>() / xs.len() as f64
        }
    };
    let points = root.class("point");
    assert!(at(points[1]) - at(points[0]) > 20.0);
}

#[test]
fn screen_readers_get_a_name_and_the_values() {
    let mut one = chart(vec![Series { label: "<b>&\"'".into(), points: vec![point(1, 0.5, 300)] }]);
    one.id = "1 \"x\"><script>".into();
    one.note = Some("synthetic data".into());
    let root = drawn(&one);
    assert_eq!(root.attributes["role"], "img");
    assert_eq!(root.attributes["aria-labelledby"], "chart-1--x---script--title chart-1--x---script--desc");
    assert_eq!(root.named("title")[0].text, "Findings resolved");
    assert_eq!(root.named("desc")[0].text, "Findings resolved (share) by pass. synthetic data. <b>&\"': pass 1 50.0%.");
    assert!(root.attributes.contains_key("viewBox"));
    assert!(root.attributes["font-family"].ends_with("sans-serif"));
    assert_eq!(svg(&one).matches("font-family").count(), 1);
}

#[test]
fn a_sheet_gives_one_label_one_style() {
    let arm = |label: &str, value| Series { label: label.into(), points: vec![point(1, value, 300)] };
    let charts = [chart(vec![arm("a", 0.1), arm("b", 0.9)]), chart(vec![arm("b", 0.5)]), chart(vec![])];
    let text = sheet_svg("All", &charts);
    let root = parse(&text).unwrap();
    assert_eq!(root.class("legend")[0].texts(), ["a", "b"]);
    assert_eq!(root.class("chart").len(), 3);
    let fill = |group: &Element| group.children.last().unwrap().attributes["fill"].clone();
    let points = root.class("point");
    assert_eq!(points.iter().map(|p| fill(p)).collect::<Vec<_>>(), ["#0072B2", "#D55E00", "#D55E00"]);
    assert!(root.texts().iter().any(|t| t == "no data"));
    assert!(sheet_png("All", &charts).unwrap().len() > 1000);
    assert!(parse(&sheet_svg("", &[])).is_ok());
}

#[test]
fn same_chart_same_bytes() {
    let one = chart((0..9).map(|i| Series { label: format!("arm {i}"), points: vec![point(1, 0.1 * f64::from(i), 300)] }).collect());
    let threads: Vec<(String, Vec<u8>)> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..2).map(|_| scope.spawn(|| (svg(&one), png(&one).unwrap()))).collect();
        running.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(threads[0], threads[1]);
}

fn any_value() -> impl Strategy<Value = Option<f64>> {
    let special =
        prop::sample::select(vec![0.0, -0.0, 1.0, 1e308, -1e308, 5e-324, 1e-300, 1e15, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
    prop_oneof![2 => Just(None), 4 => (0.0..1.0f64).prop_map(Some), 2 => special.prop_map(Some), 2 => any::<f64>().prop_map(Some)]
}

fn any_text() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(vec![
        "</text><script>alert(1)</script>".to_owned(),
        "]]>&amp;&#0;\u{0}\u{1b}[31m\u{ffff}\u{fffe}\u{7f}\u{85}".to_owned(),
        "\u{202e}gnp.exe".to_owned(),
        "e\u{301}".repeat(400),
        "\u{301}".repeat(400),
        "👩‍👩‍👧".repeat(90),
        "a\n\r\n\"'b".to_owned(),
    ]);
    prop_oneof!["[a-z ]{0,12}", "\\PC{0,30}", hostile, any::<String>()]
}

fn any_chart(series_max: usize, points_max: usize) -> impl Strategy<Value = Chart> {
    let pass = prop_oneof![4 => 0u32..6, 1 => any::<u32>()];
    let n = prop_oneof![0u64..400, any::<u64>()];
    let points =
        (pass, any_value(), any_value(), any_value(), n).prop_map(|(pass, value, low, high, n)| Point { pass, value, low, high, n });
    let series = (any_text(), prop::collection::vec(points, 0..points_max)).prop_map(|(label, points)| Series { label, points });
    let unit = prop_oneof![prop::sample::select(vec!["share", "count", "characters", "USD"]).prop_map(str::to_owned), any_text()];
    (any_text(), any_text(), unit, prop::option::of(any_text()), prop::collection::vec(series, 0..series_max))
        .prop_map(|(id, title, unit, note, series)| Chart { id, title, unit, note, series })
}

/// Every shape is inside its picture: nothing is cut off, whatever the data.
fn assert_inside(svg: &Element) {
    let size: Vec<f64> = svg.attributes["viewBox"].split(' ').map(|v| v.parse().unwrap()).collect();
    fn look(element: &Element, size: &[f64]) {
        for (key, value) in &element.attributes {
            let pairs: Vec<(f64, f64)> = match key.as_str() {
                "points" => value
                    .split_whitespace()
                    .map(|p| p.split_once(',').unwrap())
                    .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
                    .collect(),
                "x" | "cx" | "x1" => vec![(value.parse().unwrap(), 0.0)],
                "y" | "cy" | "y1" => vec![(0.0, value.parse().unwrap())],
                _ => continue,
            };
            assert!(pairs.iter().all(|(x, y)| (0.0..=size[2]).contains(x) && (0.0..=size[3]).contains(y)), "{key}={value}");
        }
        element.children.iter().for_each(|child| look(child, size));
    }
    look(svg, &size);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_chart_is_well_formed(chart in any_chart(9, 8)) {
        let text = svg(&chart);
        let root = parse(&text);
        prop_assert!(root.is_ok(), "{:?}", root.err());
        assert_no_false_numbers(&text);
        let root = root.unwrap();
        assert_inside(&root);
        let seen = chart.series.iter().flat_map(|s| &s.points).filter(|p| p.value.is_some_and(f64::is_finite)).count();
        prop_assert_eq!(root.class("point").len(), seen);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn many_series_and_passes_are_well_formed(chart in any_chart(60, 60)) {
        let text = svg(&chart);
        prop_assert!(parse(&text).is_ok());
        assert_inside(&parse(&text).unwrap());
    }

    #[test]
    fn any_sheet_is_well_formed(charts in prop::collection::vec(any_chart(5, 5), 0..12), title in any_text()) {
        let text = sheet_svg(&title, &charts);
        prop_assert!(parse(&text).is_ok());
        assert_no_false_numbers(&text);
        assert_inside(&parse(&text).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    #[test]
    fn any_chart_can_be_a_bitmap(chart in any_chart(9, 6)) {
        prop_assert!(png(&chart).is_ok());
    }
}

fn paired(values: &[Option<f64>], margins: &[f64]) -> Paired {
    let point = |(pass, value): (usize, &Option<f64>)| {
        let bound = |by: f64| value.map(|v| v + by);
        Point { pass: pass as u32, value: *value, low: bound(-0.05), high: bound(0.05), n: 20 + 20 * pass as u64 }
    };
    let points = values.iter().enumerate().map(point).collect();
    Paired { id: "d".into(), title: "Drafts <correct>".into(), unit: "share".into(), points, margins: margins.to_vec() }
}

#[test]
fn a_difference_is_drawn_about_a_line_at_zero() {
    for (values, margins, seen) in [
        (&[Some(0.0), Some(-0.1), Some(0.2)][..], &[0.05][..], 3),
        (&[Some(0.3), None, Some(0.4)], &[], 2),
        (&[Some(0.0)], &[0.0], 1),
        (&[Some(f64::NAN), Some(-3e300)], &[f64::NAN, f64::INFINITY], 1),
        (&[None], &[0.02], 0),
        (&[], &[], 0),
    ] {
        let text = paired_svg(&paired(values, margins));
        assert_no_false_numbers(&text);
        let root = parse(&text).unwrap();
        assert_eq!(root.class("point").len(), seen, "{values:?}");
        let drawn = if seen > 0 { margins.iter().filter(|m| m.is_finite()).count() } else { 0 };
        assert_eq!((root.class("zero").len(), root.class("margin").len()), (usize::from(seen > 0), drawn), "{values:?}");
        for axis in root.class("y-ticks") {
            let bound = |key: &str| axis.attributes[key].parse::<f64>().unwrap();
            assert!(bound("data-low") <= 0.0 && 0.0 <= bound("data-high"), "zero is always in sight: {values:?}");
        }
    }
    assert!(paired_svg(&paired(&[Some(-0.023)], &[])).contains("pass 0: -2.3 points (-7.3 points to 2.7 points), n 20"));
}

#[test]
fn a_small_chart_has_no_title_of_its_own_in_the_picture() {
    let chart = Chart { title: "Findings".into(), ..degenerate(include_str!("../../../tests/data/report/H04-plot-degenerate/hole.json")) };
    let root = parse(&small_svg(&chart)).unwrap();
    assert!(root.texts().iter().all(|text| !text.contains("Findings")));
    assert_eq!(root.class("point").len(), 3);
    assert!(parse(&small_svg(&Chart::default())).is_ok());
}
