//! How many passes pay: the plot, and each arm's sentences and tables.

use super::figures::{figure, legend, more};
use super::write::Page;
use super::{Arms, scrolled};
use crate::passes::Study;
use crate::report::block::Block;
use crate::report::chart::Chart;
use crate::report::grid::Align;
use crate::report::passes;

pub const TITLE: &str = "How many passes pay";

pub fn gains(page: &mut Page, study: &Study, arms: &Arms<'_>) {
    page.el("section", &[("id", "gains"), ("aria-labelledby", "gains-title")], |page| {
        page.put("h2", &[("id", "gains-title")], TITLE);
        let about = "A draft is correct where every required check of its ticket holds. Every pass is judged over all judged tickets, each with its \
                     last state carried forward; the net gain is tickets made correct less tickets made incorrect, per 100.";
        page.put("p", &[("class", "muted")], about);
        legend(page, arms, "gains");
        page.el("div", &[("class", "charts")], |page| {
            for chart in passes::charts(study) {
                figure(page, Chart { title: format!("{} ({})", chart.title, chart.unit), ..chart });
            }
        });
        for (at, arm) in study.arms.iter().enumerate() {
            let blocks = passes::of_arm(arm);
            let Some((first, tables)) = blocks.split_first() else { continue };
            page.el("h3", &[], |page| arms.name(page, at));
            first.lead.iter().for_each(|line| page.put("p", &[("class", "muted")], line));
            page.el("ul", &[], |page| first.notes.iter().for_each(|line| page.put("li", &[], line)));
            let (pass_by_pass, others) = tables.split_at(tables.len().min(1));
            pass_by_pass.iter().for_each(|block| table(page, block, &arms.label(at)));
            if !others.is_empty() {
                more(page, "First, last and best draft, lift, outcomes", |page| {
                    others.iter().for_each(|block| table(page, block, &arms.label(at)));
                });
            }
        }
    });
}

fn table(page: &mut Page, block: &Block, arm: &str) {
    scrolled(page, &format!("{arm}: {}", block.title), |page| {
        page.el("table", &[], |page| {
            page.put("caption", &[], &format!("{}: {}", block.title, block.lead.join(" ")));
            page.el("thead", &[], |page| {
                page.el("tr", &[], |page| {
                    for (at, (head, align)) in block.columns.iter().enumerate() {
                        // The first cell of a row is its head, and stands left.
                        let number = at > 0 && *align == Align::Right;
                        page.put("th", if number { &[("scope", "col"), ("class", "n")] } else { &[("scope", "col")] }, head);
                    }
                });
            });
            page.el("tbody", &[], |page| {
                for row in &block.rows {
                    page.el("tr", &[], |page| {
                        for (at, (cell, (_, align))) in row.iter().zip(&block.columns).enumerate() {
                            if at == 0 {
                                page.put("th", &[("scope", "row")], cell);
                            } else {
                                page.put("td", if *align == Align::Right { &[("class", "n")] } else { &[] }, cell);
                            }
                        }
                    });
                }
            });
        });
    });
}
