//! The table written and read back.

use polars::prelude::{AnyValue, ParquetReader, SerReader};

use super::*;
use crate::metric::{Row, column_at};
use crate::model::{Fault, FaultKind, Stop, Usd};

fn measured(ticket: &str, passes: u32, fill: impl Fn(u32, &mut [Cell])) -> Measured {
    let row = |pass| {
        let mut cells = vec![Cell::Null; metric::columns().count()];
        fill(pass, &mut cells);
        Row { pass, cells }
    };
    let rows = (0..passes).map(row).collect();
    Measured { ticket: ticket.into(), sample: 0, stop: Stop::MaxPasses, fault: None, rows, repairs: vec![], unused: vec![] }
}

fn set(cells: &mut [Cell], name: &str, cell: impl Into<Cell>) {
    cells[column_at(name).unwrap()] = cell.into();
}

fn sample() -> Vec<Measured> {
    let mut runs = vec![measured("=1+1", 2, |pass, cells| {
        set(cells, "chars_changed", pass);
        set(cells, "preservation_previous", 0.25);
        set(cells, "no_change", pass == 0);
        set(cells, "cost_usd", Usd::parse("0.000321").unwrap());
        set(cells, "repair_names", "a;\n\"b\", c".to_string());
    })];
    runs.push(measured("007", 1, |_, _| {}));
    runs[1].fault = Some(Fault { kind: FaultKind::NoAnswer, at: "writer pass 0".into(), what: "status 500".into() });
    runs
}

fn write(dir: &Path, runs: &[Measured]) -> (Vec<u8>, String) {
    let (parquet, csv) = (dir.join("t.parquet"), dir.join("t.csv"));
    let mut table = TableWriter::create(&parquet, Some(&csv)).unwrap();
    runs.iter().for_each(|run| table.push("arm a", run).unwrap());
    table.finish().unwrap();
    (std::fs::read(&parquet).unwrap(), std::fs::read_to_string(&csv).unwrap())
}

#[test]
fn parquet_holds_what_was_pushed_in_order_and_always_in_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let (first, _) = write(dir.path(), &sample());
    let (second, _) = write(dir.path(), &sample());
    assert_eq!(first, second);
    let table = ParquetReader::new(File::open(dir.path().join("t.parquet")).unwrap()).finish().unwrap();
    assert_eq!((table.height(), table.width()), (3, 6 + metric::columns().count()));
    let cell = |name: &str, row: usize| table.column(name).unwrap().get(row).unwrap().into_static();
    assert_eq!(cell("ticket", 0), AnyValue::StringOwned("=1+1".into()));
    assert_eq!(cell("fault", 2), AnyValue::StringOwned("no_answer".into()));
    assert_eq!(
        [cell("chars_changed", 0), cell("chars_changed", 1), cell("chars_changed", 2)],
        [AnyValue::Int64(0), AnyValue::Int64(1), AnyValue::Null]
    );
    assert_eq!(cell("no_change", 1), AnyValue::Boolean(false));
    assert_eq!(cell("cost_usd", 0), AnyValue::Float64(0.000321));
    for (column, (name, kind)) in table.columns().iter().zip(all_columns()) {
        let want = match kind {
            Kind::Int => DataType::Int64,
            Kind::Real | Kind::Usd => DataType::Float64,
            Kind::Flag => DataType::Boolean,
            Kind::Text => DataType::String,
        };
        assert_eq!((column.name().as_str(), column.dtype()), (name, &want));
    }
}

#[test]
fn csv_is_safe_to_open_in_a_spreadsheet_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (_, text) = write(dir.path(), &sample());
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let at = |name: &str| all_columns().position(|(known, _)| known == name).unwrap();
    assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), all_columns().map(|(name, _)| name).collect::<Vec<_>>());
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), 3);
    let got = ["arm", "ticket", "pass", "chars_changed", "preservation_previous", "no_change", "cost_usd", "repair_names", "fault"]
        .map(|name| &rows[1][at(name)]);
    assert_eq!(got, ["arm a", "'=1+1", "1", "1", "0.25", "false", "0.000321", "a;\n\"b\", c", ""]);
    assert_eq!([&rows[2][at("ticket")], &rows[2][at("fault")]], ["007", "no_answer"]);
}

#[test]
fn many_rows_leave_in_groups_and_none_are_a_table_too() {
    let dir = tempfile::tempdir().unwrap();
    let run = measured("T", 3, |pass, cells| set(cells, "chars_changed", pass));
    let runs = vec![run; GROUP_ROWS / 3 + 2];
    write(dir.path(), &runs);
    let read = || ParquetReader::new(File::open(dir.path().join("t.parquet")).unwrap()).finish().unwrap();
    assert_eq!(read().height(), 3 * runs.len());
    write(dir.path(), &[]);
    assert_eq!(read().height(), 0);
}
