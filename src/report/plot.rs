//! Charts of a summary: which figures are drawn, and the arms of each as series.

use super::chart::{Chart, Point, Series};
use super::shown;
use crate::summary::{FigureSummary, PassFigure, Summary};

/// One chart a figure, over all arms, in the view `running`, with whether it is one to look at first. A figure that no arm can show is left out.
pub fn charts(summary: &Summary) -> Vec<(Chart, bool)> {
    let Some(first) = summary.arms.first() else { return vec![] };
    let seen = |chart: &Chart| chart.series.iter().any(|s| s.points.iter().any(|p| p.value.is_some()));
    first.figures.iter().map(|figure| (chart(summary, figure), figure.headline)).filter(|(chart, _)| seen(chart)).collect()
}

fn chart(summary: &Summary, figure: &FigureSummary) -> Chart {
    let series = summary.arms.iter().map(|arm| {
        let points = arm.figures.iter().find(|f| f.name == figure.name).map_or(vec![], |f| f.running.iter().map(point).collect());
        Series { label: arm.origin.arm.clone(), points }
    });
    let synthetic: Vec<&str> = summary.arms.iter().filter(|a| !a.origin.synthetic.is_empty()).map(|a| a.origin.arm.as_str()).collect();
    let note = (!synthetic.is_empty()).then(|| format!("synthetic: {}", synthetic.join(", ")));
    Chart {
        id: figure.name.clone(),
        title: shown::heading(&figure.title, &figure.how),
        unit: figure.unit.clone(),
        note,
        series: series.collect(),
    }
}

fn point(at: &PassFigure) -> Point {
    Point { pass: at.pass, value: at.value, low: at.low, high: at.high, n: at.n }
}
