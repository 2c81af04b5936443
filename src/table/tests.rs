//! The table written and read back.

use std::fs::File;
use std::path::Path;

use polars::prelude::{AnyValue, Column, DataFrame, ParquetReader, ParquetWriter, SerReader};

use super::*;
use crate::ledger::Header;
use crate::metric::{Cell, Measured, Row, column_at};
use crate::model::{Fault, FaultKind, Stop, Usd};

/// Rows of a row group, as the writer makes them.
const GROUP_ROWS: usize = 8192;

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
    let mut table = TableWriter::create(&parquet, Some(&csv), &[]).unwrap();
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

fn header(arm: &str) -> Header {
    let spec = serde_json::json!({"version": 1, "prompt": "two\nlines and \u{1f600}"});
    Header {
        v: 1,
        arm: arm.into(),
        dataset: "set".into(),
        dataset_digest: "d".into(),
        recording_digest: "r".into(),
        spec,
        ..Header::default()
    }
}

fn read(path: &Path, arm: &str) -> Result<Vec<Vec<Measured>>, String> {
    let mut tickets = vec![];
    let mut keep = |ticket| {
        tickets.push(ticket);
        Ok(())
    };
    let shown = |e: crate::error::Error| e.to_string().replace(&format!("{}/", path.parent().unwrap().display()), "");
    Reader::open(path).map_err(shown)?.each(arm, &mut keep).map_err(shown)?;
    Ok(tickets)
}

/// Two arms, tickets with several samples, every kind of cell, and texts that CSV must keep apart.
fn two_arms() -> Vec<(&'static str, Vec<Vec<Measured>>)> {
    let arm = |shift: u32| {
        let ids = ["=1+1", "'=1", "'plain", "007", "\u{202e}a,\"b\"\r\n", "-"];
        let tickets = ids.iter().enumerate().map(|(i, id)| {
            let run = |sample: u32| {
                let mut run = measured(id, 1 + (i as u32 + sample) % 3, |pass, cells| {
                    set(cells, "chars_changed", pass + shift);
                    set(cells, "preservation_previous", 1.0 / f64::from(3 + pass));
                    set(cells, "no_change", pass == 0);
                    set(cells, "cost_usd", Usd::parse("1234.000000000321").unwrap());
                    if pass == 1 {
                        set(cells, "repair_names", "fence; =x".to_string());
                    }
                });
                run.sample = sample;
                if run.rows.len() > 1 {
                    run.repairs = vec!["fence".into(), "=x".into()];
                }
                run
            };
            let mut runs = vec![run(0), run(2)];
            if i == 3 {
                runs[1].stop = Stop::Fault;
                runs[1].fault = Some(Fault { kind: FaultKind::NoAnswer, at: String::new(), what: "a table keeps the kind alone".into() });
            }
            runs
        });
        tickets.collect()
    };
    vec![("set/a", arm(0)), ("b", arm(5))]
}

fn write_arms(dir: &Path, arms: &[(&str, Vec<Vec<Measured>>)], headers: &[Header]) {
    let mut table = TableWriter::create(&dir.join("t.parquet"), Some(&dir.join("t.csv")), headers).unwrap();
    for (arm, tickets) in arms {
        tickets.iter().flatten().for_each(|run| table.push(arm, run).unwrap());
    }
    table.finish().unwrap();
}

#[test]
fn what_was_written_is_read_back_from_either_form() {
    let dir = tempfile::tempdir().unwrap();
    let arms = two_arms();
    let headers = [header("set/a"), header("b")];
    write_arms(dir.path(), &arms, &headers);
    for name in ["t.parquet", "t.csv"] {
        let path = dir.path().join(name);
        let table = Reader::open(&path).unwrap();
        assert_eq!(table.arms(), ["set/a", "b"]);
        for ((arm, tickets), header) in arms.iter().zip(&headers) {
            assert_eq!(&read(&path, arm).unwrap(), tickets, "{name} {arm}");
            assert_eq!(table.header(arm), (name == "t.parquet").then_some(header));
        }
    }
    // A file of headers and no row is a table of empty arms.
    write_arms(dir.path(), &[], &headers);
    assert_eq!(Reader::open(&dir.path().join("t.parquet")).unwrap().arms(), ["set/a", "b"]);
    assert_eq!(read(&dir.path().join("t.parquet"), "b").unwrap(), Vec::<Vec<Measured>>::new());
}

#[test]
fn many_groups_come_back_whole() {
    let dir = tempfile::tempdir().unwrap();
    let one = |i: usize| vec![measured(&format!("T{i}"), 3, |pass, cells| set(cells, "chars_changed", pass + i as u32))];
    let tickets: Vec<Vec<Measured>> = (0..GROUP_ROWS).map(one).collect();
    write_arms(dir.path(), &[("a", tickets.clone())], &[]);
    assert!(read(&dir.path().join("t.parquet"), "a").unwrap() == tickets);
}

/// A table of another tool, with these columns.
fn foreign(path: &Path, columns: Vec<Column>) {
    let height = columns.first().map_or(0, Column::len);
    let mut frame = DataFrame::new(height, columns).unwrap();
    ParquetWriter::new(File::create(path).unwrap()).finish(&mut frame).unwrap();
}

#[test]
fn columns_are_found_by_name_and_held_to_their_type() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.parquet");
    let text = |name: &str, values: &[&str]| Column::new(name.into(), values);
    let whole = |name: &str, values: &[i64]| Column::new(name.into(), values);
    let base =
        || vec![whole("pass", &[0, 1]), text("stop", &["approved", "approved"]), text("ticket", &["A", "A"]), text("other", &["", "x"])];
    let with = |more: Vec<Column>| {
        foreign(&path, base().into_iter().filter(|c| !more.iter().any(|m| m.name() == c.name())).chain(more.clone()).collect());
        read(&path, "x")
    };
    let tickets = with(vec![whole("chars_changed", &[4, 5]), Column::full_null("no_change".into(), 2, &DataType::Boolean)]).unwrap();
    let cells = |run: &Measured, name: &str| run.rows.iter().map(|row| row.cell(column_at(name).unwrap()).clone()).collect::<Vec<_>>();
    assert_eq!((tickets.len(), tickets[0].len(), tickets[0][0].rows.len()), (1, 1, 2));
    assert_eq!(cells(&tickets[0][0], "chars_changed"), [Cell::Int(4), Cell::Int(5)]);
    assert_eq!(cells(&tickets[0][0], "cost_usd"), [Cell::Null, Cell::Null]);
    for (more, want) in [
        (text("chars_changed", &["4", "5"]), "column `chars_changed` is of type str; expected i64"),
        (whole("no_change", &[0, 1]), "column `no_change` is of type i64; expected bool"),
        (Column::new("chars_changed".into(), [0.5, 1.0]), "column `chars_changed` is of type f64; expected i64"),
        (text("stop", &["approved", "aproved"]), "row 2: stop: `aproved` is not known; did you mean `approved`?"),
        (text("stop", &["approved", "fault"]), "row 2: ticket `A`: stop and fault differ from those of the run's row before"),
        (text("fault", &["", "missing"]), "row 1: fault: `` is not known"),
        (whole("pass", &[1, 1]), "row 2: ticket `A`: sample 0 pass 1 after sample 0 pass 1; expected samples and passes in order"),
        (whole("pass", &[0, 5000]), "row 2: pass: expected a number from 0 to 1001, found 5000"),
        (whole("pass", &[0, -1]), "row 2: pass: expected a number from 0 to 1001, found -1"),
        (whole("sample", &[0, 1 << 40]), "row 2: sample: expected 0 or more, found 1099511627776"),
        (Column::new("ticket".into(), [Some("A"), None]), "row 2: ticket: expected an id, found nothing"),
        (Column::new("arm".into(), [Some("x"), None]), "row 2: arm: expected a name, found nothing"),
    ] {
        let got = with(vec![more]).unwrap_err();
        assert!(got.starts_with(&format!("x.parquet: {want}")), "{got}");
    }
    foreign(&path, vec![whole("pass", &[0])]);
    assert!(read(&path, "x").unwrap_err().starts_with("x.parquet: no column `ticket`; expected a table as"));
    foreign(&path, vec![whole("pass", &[0, 0, 0]), text("stop", &["approved"; 3]), text("ticket", &["A", "B", "A"])]);
    let want = "x.parquet: row 3: ticket `A` comes again after another one; expected the rows of a ticket together";
    assert_eq!(read(&path, "x").unwrap_err(), want);
}

#[test]
fn a_wrong_cell_of_csv_names_line_and_column() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.csv");
    for (text, want) in [
        (
            "ticket,pass,stop,chars_changed\nA,0,approved,1\nA,1,approved,one\n",
            "x.csv:3: column `chars_changed`: expected a whole number, found \"one\"",
        ),
        ("ticket,pass,stop\nA,0\n", "x.csv:2: not readable as CSV"),
        ("ticket,pass\nA,0\n", "x.csv: no column `stop`"),
        ("", "x.csv: no column `ticket`"),
        ("PAR1", "x.csv: not readable as Parquet"),
    ] {
        std::fs::write(&path, text).unwrap();
        let got = read(&path, "x").unwrap_err();
        assert!(got.starts_with(want), "{got}");
    }
}

/// Cut anywhere or with any byte changed, a file is read or refused with its name; nothing panics, and no memory is set aside for what is
/// not there. Both as it is written here and packed, as others write it.
#[test]
fn damaged_parquet_is_refused_and_never_a_panic() {
    const PLACES: usize = 150;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("damaged.parquet");
    let attempt = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let read = Reader::open(&path).and_then(|table| table.each("b", &mut |_| Ok(())));
        if let Err(e) = &read {
            assert_eq!(e.path.as_deref(), Some(&*path), "{e}");
        }
        read.is_err()
    };
    write_arms(dir.path(), &two_arms(), &[header("set/a"), header("b")]);
    let whole = dir.path().join("t.parquet");
    let mut frame = ParquetReader::new(File::open(&whole).unwrap()).finish().unwrap();
    let packed = dir.path().join("packed.parquet");
    ParquetWriter::new(File::create(&packed).unwrap()).finish(&mut frame).unwrap();
    for whole in [whole, packed].map(|path| std::fs::read(path).unwrap()) {
        for length in (0..whole.len()).step_by(whole.len() / PLACES).chain(whole.len() - 9..whole.len()) {
            assert!(attempt(&whole[..length]), "cut at {length} of {}", whole.len());
        }
        let mut refused = 0;
        for at in (0..whole.len()).step_by(whole.len() / PLACES) {
            for flip in [0x01, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= flip;
                refused += usize::from(attempt(&bytes));
            }
        }
        assert!(refused > PLACES / 8, "{refused}");
    }
}
