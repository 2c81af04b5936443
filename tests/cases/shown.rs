//! Cases of what people see: percentages, columns of wide text, Markdown cells, charts without enough to draw, and order.

use redraft::model::Usd;
use redraft::report::chart::{Chart, Point, Series, svg};
use redraft::report::grid::{self, Column};
use redraft::report::markdown::prose;
use redraft::report::number::percent;
use serde_json::{Value, json};

use crate::arm::TempArm;
use crate::command::{self, redraft};
use crate::sheet::{Case, Sheet};

pub fn rates(case: &Case, sheet: &mut Sheet) {
    let rates: Vec<(u64, u64)> = serde_json::from_value(case.json("rates.json")).expect("pairs of whole numbers");
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "shown_one_decimal" => sheet.eq(field, want, rates.iter().map(|(num, den)| json!(percent(*num, *den))).collect::<Value>()),
            "json" => {
                let arm = command::fine_arm(3);
                let ran = redraft(&["replay", "--quiet", "--format", "json", &arm.dir().display().to_string()]);
                let report: Value = serde_json::from_str(&ran.out).unwrap_or_default();
                sheet.holds(field, want, rates_carry_both(&report), ran.out);
            }
            _ => return false,
        }
        true
    });
}

/// True where something in a report is a rate, and every rate carries its two parts.
fn rates_carry_both(report: &Value) -> bool {
    fn walk(value: &Value, seen: &mut usize) -> bool {
        match value {
            Value::Object(map) => {
                let half = map.contains_key("num") != map.contains_key("den");
                *seen += usize::from(map.contains_key("den"));
                !half && map.values().all(|v| walk(v, seen))
            }
            Value::Array(list) => list.iter().all(|v| walk(v, seen)),
            _ => true,
        }
    }
    let mut seen = 0;
    walk(report, &mut seen) && seen > 0
}

/// Markdown with its backslash escapes undone (CommonMark, section 2.4).
fn unescaped(cell: &str) -> String {
    let mut out = String::new();
    let mut rest = cell.chars().peekable();
    while let Some(c) = rest.next() {
        let escaped = rest.next_if(|next| c == '\\' && next.is_ascii_punctuation());
        out.push(escaped.unwrap_or(c));
    }
    out
}

pub fn columns(case: &Case, sheet: &mut Sheet) {
    let list = |name: &str| -> Vec<String> { serde_json::from_value(case.json(name)).expect("a list of texts") };
    let (titles, labels) = (list("titles.json"), list("labels.json"));
    let widths: Vec<usize> = titles.iter().map(|title| grid::width(title)).collect();
    let cells: Vec<String> = labels.iter().map(|label| prose(label)).collect();
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "display_width" => sheet.eq(field, want, json!(widths)),
            "column_width" => sheet.eq(field, want, widths.iter().max().copied()),
            // What the cells show is the same; reports escape back-ticks too, so that a label is shown as it is written.
            "markdown cells" => {
                let wanted: Vec<String> = want.as_array().into_iter().flatten().filter_map(Value::as_str).map(unescaped).collect();
                sheet.eq(field, &json!(wanted), json!(cells.iter().map(|cell| unescaped(cell)).collect::<Vec<_>>()));
            }
            "markdown_pipes_unescaped_per_row" => {
                let rows: Vec<usize> = cells.iter().map(|cell| bare_pipes(&format!("| {cell} | 1 |"))).collect();
                sheet.holds(field, want, rows.iter().all(|count| *count == 3), json!(rows));
            }
            _ if name.starts_with("lines") => {
                let numbers = want
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|line| line.as_str().unwrap_or_default().rsplit(" | ").next().unwrap_or_default());
                let rows: Vec<Vec<grid::Cell>> =
                    titles.iter().zip(numbers).map(|(title, n)| vec![title.as_str().into(), n.into()]).collect();
                let shown = grid::render(&[Column::left(""), Column::left("")], &rows);
                sheet.eq(field, want, shown.lines().collect::<Value>());
            }
            _ => return false,
        }
        true
    });
}

/// Pipes that part cells, by GitHub Flavored Markdown, section 4.10.
fn bare_pipes(row: &str) -> usize {
    let (mut count, mut escaped) = (0, false);
    for c in row.chars() {
        count += usize::from(c == '|' && !escaped);
        escaped = c == '\\' && !escaped;
    }
    count
}

/// Series of {pass: [...], METRIC: [... or null]} in files of their own; expectations by file name without its ending.
pub fn charts(case: &Case, sheet: &mut Sheet) {
    let drawn: Vec<(String, String)> = case
        .files
        .iter()
        .filter_map(|file| file.strip_suffix(".json").map(|name| (name.to_owned(), svg(&chart(name, &case.json(file))))))
        .collect();
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "each" => {
                let sound = |text: &str| {
                    well_formed(text) && !["NaN", "nan", "inf"].iter().any(|bad| visible(text).iter().any(|t| t.contains(bad)))
                };
                sheet.holds(field, want, drawn.iter().all(|(_, text)| sound(text)), "not well-formed, or a value that is no number");
            }
            "x ticks" => {
                let whole = |text: &str| group(text, "x-ticks").iter().flat_map(|g| visible(g)).all(|label| label.parse::<u32>().is_ok());
                sheet.holds(field, want, drawn.iter().all(|(_, text)| whole(text)), "a tick that is no pass");
            }
            _ => {
                let Some((_, text)) = drawn.iter().find(|(known, _)| known == name) else { return false };
                sheet.each(&field, want, |sheet, field, name, want| one_chart(sheet, field, name, want, text));
            }
        }
        true
    });
}

fn one_chart(sheet: &mut Sheet, field: String, name: &str, want: &Value, text: &str) -> bool {
    let ticks = |class: &str| group(text, class).iter().flat_map(|g| visible(g)).collect::<Vec<_>>();
    let bound = |name: &str| group(text, "y-ticks").iter().find_map(|axis| attribute(axis, name)?.parse::<f64>().ok()).unwrap_or(f64::NAN);
    let range = || (bound("data-low"), bound("data-high"));
    match name {
        "points" => sheet.eq(field, want, group(text, "point").len()),
        "x_tick_labels" => sheet.eq(field, want, json!(ticks("x-ticks"))),
        "text" => sheet.holds(field, want, want.as_str().is_some_and(|want| visible(text).iter().any(|t| t == want)), json!(visible(text))),
        "y_axis" => {
            let (low, high) = range();
            match want.as_str().unwrap_or_default() {
                "contains 0 and does not go below it" => sheet.holds(field, want, low == 0.0 && high > 0.0, format!("{low} to {high}")),
                words => match words.strip_prefix("spans more than one value and contains ").and_then(|n| n.parse::<f64>().ok()) {
                    Some(value) => sheet.holds(field, want, low < high && (low..=high).contains(&value), format!("{low} to {high}")),
                    None => return false,
                },
            }
        }
        "line_segments" => sheet.eq(field, want, segments(text)),
        _ => return false,
    }
    true
}

fn chart(name: &str, file: &Value) -> Chart {
    let (metric, values) = file.as_object().into_iter().flatten().find(|(key, _)| *key != "pass").expect("a metric");
    let unit = if metric.ends_with("_rate") { "share" } else { "findings" };
    let passes = file["pass"].as_array().cloned().unwrap_or_default();
    let point = |(pass, value): (&Value, &Value)| Point {
        pass: pass.as_u64().unwrap_or(0) as u32,
        value: value.as_f64(),
        n: 1,
        ..Point::default()
    };
    let points = passes.iter().zip(values.as_array().into_iter().flatten()).map(point).collect();
    Chart { id: name.into(), title: metric.clone(), unit: unit.into(), note: None, series: vec![Series { label: "arm".into(), points }] }
}

/// The elements of a class, tags and all.
fn group<'s>(svg: &'s str, class: &str) -> Vec<&'s str> {
    let mark = format!("class=\"{class}\"");
    let opens = svg.match_indices(&mark).filter_map(|(at, _)| svg[..at].rfind('<'));
    opens.filter_map(|from| element(&svg[from..])).collect()
}

/// The element that a text begins with, up to its end tag.
fn element(text: &str) -> Option<&str> {
    let name: String = text[1..].chars().take_while(|c| c.is_alphanumeric()).collect();
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let (mut depth, mut at) = (0usize, 0);
    loop {
        let rest = &text[at..];
        let next_open = rest.find(&open);
        let next_close = rest.find(&close);
        match (next_open, next_close) {
            (Some(o), c) if c.is_none_or(|c| o < c) => {
                let end = at + o + rest[o..].find('>')?;
                at = end + 1;
                if text.as_bytes().get(end - 1) == Some(&b'/') {
                    if depth == 0 {
                        return Some(&text[..at]);
                    }
                } else {
                    depth += 1;
                }
            }
            (_, Some(c)) => {
                at += c + close.len();
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(&text[..at]);
                }
            }
            _ => return None,
        }
    }
}

/// The texts that an SVG shows: those of its text elements, not its titles and descriptions.
fn visible(svg: &str) -> Vec<String> {
    let texts = svg.match_indices("<text").filter_map(|(at, _)| element(&svg[at..]));
    texts
        .map(|text| {
            let inner = text.split_once('>').and_then(|(_, rest)| rest.rsplit_once("</")).map_or("", |(inner, _)| inner);
            inner.trim().replace("&amp;", "&").replace("&lt;", "<")
        })
        .collect()
}

fn attribute<'s>(element: &'s str, name: &str) -> Option<&'s str> {
    element.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split_once('"')).map(|(value, _)| value)
}

/// Pairs of passes between which a line is drawn: each line tells its passes, and must have as many points.
fn segments(svg: &str) -> Value {
    let mut found = vec![];
    for line in group(svg, "line") {
        let passes: Vec<u32> =
            attribute(line, "data-passes").into_iter().flat_map(|list| list.split(' ')).filter_map(|p| p.parse().ok()).collect();
        let drawn: usize = line
            .match_indices("points=\"")
            .map(|(at, _)| line[at + 8..].split('"').next().unwrap_or_default().split_whitespace().count())
            .sum();
        found.extend(
            passes.windows(2).map(|pair| if drawn == passes.len() { json!(pair) } else { json!(format!("{drawn} points for {passes:?}")) }),
        );
    }
    json!(found)
}

/// Every tag is closed in its order; attributes are quoted; no bare ampersand.
fn well_formed(svg: &str) -> bool {
    let mut open: Vec<&str> = vec![];
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        let Some(end) = rest[at..].find('>') else { return false };
        let tag = &rest[at + 1..at + end];
        rest = &rest[at + end + 1..];
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(name) if open.pop() != Some(name) => return false,
            Some(_) => {}
            None => open.push(tag.split([' ', '\n']).next().unwrap_or(tag)),
        }
    }
    let reference = |part: &str| ["amp;", "lt;", "gt;", "quot;", "apos;", "#"].iter().any(|name| part.starts_with(name));
    open.is_empty() && svg.contains("<svg") && svg.split('&').skip(1).all(reference)
}

/// The dataset's order, whatever the threads; sums that no order changes; reports that are the same bytes anywhere.
pub fn order(case: &Case, sheet: &mut Sheet) {
    let rows = case.rows("dataset.jsonl");
    let record = |row: &Value, step: u64, role: &str, text: &str| json!({"ticket": row["ticket"], "step": step, "role": role, "response": {"status": 200, "stop_reason": "end_turn", "text": text}});
    // The recording stands in another order than the dataset.
    let records: Vec<Value> =
        rows.iter().rev().flat_map(|row| [record(row, 0, "writer", "Draft."), record(row, 1, "critic", "APPROVED")]).collect();
    let arms = [TempArm::new(&records, Some(&rows), None), TempArm::new(&records, Some(&rows), None)];
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "row order" => {
                for jobs in [1, 2, 8] {
                    let ids: Vec<String> = arms[0].replay(jobs).0.into_iter().map(|run| run.ticket).collect();
                    sheet.eq(format!("{field}: {jobs} jobs"), want, json!(ids));
                }
            }
            "sum of costs.json" => {
                let costs: Vec<Usd> =
                    case.json("costs.json").as_array().into_iter().flatten().filter_map(|n| Usd::parse(&n.to_string())).collect();
                sheet.eq(field.clone(), want, costs.iter().copied().sum::<Usd>().to_string());
                sheet.eq(format!("{field}, backwards"), want, costs.iter().rev().copied().sum::<Usd>().to_string());
            }
            _ if name.starts_with("sha256 of") || name.starts_with("run time") => {
                same_reports(sheet, &field, want, &arms);
            }
            _ => return false,
        }
        true
    });
}

/// Reports of one arm from two folders and with 1, 2 and 8 jobs: the same files, byte for byte, and no path in them.
fn same_reports(sheet: &mut Sheet, field: &str, want: &Value, arms: &[TempArm; 2]) {
    let mut first: Option<Vec<(String, Vec<u8>)>> = None;
    for (arm, jobs) in [(&arms[0], "1"), (&arms[0], "2"), (&arms[1], "8")] {
        let out = arm.root().join(format!("out{jobs}"));
        let ran = redraft(&["replay", "--quiet", "--jobs", jobs, "--out", &out.display().to_string(), &arm.dir().display().to_string()]);
        sheet.holds(format!("{field}: {jobs} jobs end well"), want, ran.code == Some(0), &ran.err);
        let files = command::files(&out);
        sheet.holds(format!("{field}: {jobs} jobs write files"), want, !files.is_empty(), "none");
        let root = arm.root().display().to_string();
        let path =
            files.iter().find(|(_, bytes)| bytes.windows(root.len()).any(|part| part == root.as_bytes())).map(|(name, _)| name.clone());
        sheet.holds(format!("{field}: {jobs} jobs, no path"), want, path.is_none(), format!("{path:?}"));
        match &first {
            None => first = Some(files),
            Some(first) => {
                let other: Vec<&String> = first.iter().zip(&files).filter(|(a, b)| a != b).map(|(a, _)| &a.0).collect();
                sheet.holds(
                    format!("{field}: {jobs} jobs, same bytes"),
                    want,
                    first.len() == files.len() && other.is_empty(),
                    format!("{other:?}"),
                );
            }
        }
    }
}
