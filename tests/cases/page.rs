//! The case on hostile text in the HTML report: every field is shown as it is, and makes no element of its own.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::hostile::{self, Texts};
use crate::sheet::{Case, Sheet};
use crate::tags::{Element, elements};

pub fn hostile(case: &Case, sheet: &mut Sheet) {
    let file = case.json("findings.json");
    let benign = elements(&hostile::page(&Texts::benign())).expect("a page that is well formed");
    for finding in file["findings"].as_array().into_iter().flatten() {
        let texts = Texts::read(finding);
        let page = elements(&hostile::page(&texts)).unwrap_or_else(|e| panic!("{}: {e}", case.id));
        sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
            if name == "report.html" {
                sheet.each(&field, want, |sheet, field, name, want| expectation(sheet, field, name, want, &page, &benign, &texts));
            }
            name == "report.html"
        });
    }
}

fn expectation(sheet: &mut Sheet, field: String, name: &str, want: &Value, page: &[Element], benign: &[Element], texts: &Texts) -> bool {
    let (made, own) = (counts(page), counts(benign));
    let more = |name: &str| made.get(name).copied().unwrap_or(0) - own.get(name).copied().unwrap_or(0);
    match name {
        "script elements beyond the report's own" => sheet.eq(field, want, made.get("script").copied().unwrap_or(0) - 1),
        "elements img, svg, b created from data" => sheet.eq(field, want, more("img") + more("svg") + more("b")),
        "attributes starting with on" => {
            let names = page.iter().flat_map(|element| element.attributes.keys());
            sheet.eq(field, want, names.filter(|name| name.starts_with("on")).count());
        }
        "links with a javascript: target" => {
            let targets =
                page.iter().flat_map(|element| &element.attributes).filter(|(name, _)| ["href", "src", "action"].contains(&name.as_str()));
            sheet.eq(field, want, targets.filter(|(_, target)| target.trim().to_lowercase().starts_with("javascript:")).count());
        }
        "text shown for each field" => {
            let missing: Vec<&str> = texts.all().into_iter().filter(|text| !page.iter().any(|element| element.text == *text)).collect();
            sheet.holds(field, want, missing.is_empty(), format!("{missing:?}"));
        }
        // The page holds no data beside what it shows.
        "embedded JSON" => sheet.holds(field, want, page.iter().all(|e| e.name != "script" || e.attributes.is_empty()), "a script of data"),
        _ => return false,
    }
    true
}

fn counts(page: &[Element]) -> BTreeMap<&str, i64> {
    let mut counts = BTreeMap::new();
    for element in page {
        *counts.entry(element.name.as_str()).or_default() += 1;
    }
    counts
}
