//! Units: what may stand after a number, and how much of its base unit that is.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::text::value::Currency;

/// A currency that is not told: cents of whatever the text deals in.
pub(super) const ANY_CURRENCY: Currency = Currency(*b"XXX");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub base: &'static str,
    pub times: u64,
    /// Decimal places that the base is larger by: a millisecond is 1 over 10^3 seconds.
    pub places: u32,
    pub qualifier: &'static str,
}

/// Base, times, places, words.
type Line = (&'static str, u64, u32, &'static [&'static str]);

const UNITS: &[Line] = &[
    ("s", 1, 9, &["ns", "nanosecond", "nanoseconds"]),
    ("s", 1, 6, &["µs", "μs", "us", "microsecond", "microseconds"]),
    ("s", 1, 3, &["ms", "msec", "millisecond", "milliseconds", "millisekunde", "millisekunden", "milliseconde", "millisecondes"]),
    (
        "s",
        1,
        0,
        &["s", "sec", "secs", "second", "seconds", "Sek", "sekunde", "sekunden", "seconde", "secondes", "segundo", "segundos", "秒"],
    ),
    ("s", 60, 0, &["min", "mins", "Min", "minute", "minutes", "minuten", "minuto", "minutos", "分", "分間"]),
    ("s", 3_600, 0, &["h", "hr", "hrs", "hour", "hours", "Std", "stunde", "stunden", "heure", "heures", "hora", "horas", "時間"]),
    ("s", 86_400, 0, &["day", "days", "tag", "tage", "tagen", "jour", "jours", "día", "días", "dia", "dias", "日", "日間"]),
    ("s", 604_800, 0, &["week", "weeks", "wk", "wks", "woche", "wochen", "semaine", "semaines", "semana", "semanas", "週間"]),
    ("s", 1_209_600, 0, &["fortnight", "fortnights"]),
    ("month", 1, 0, &["month", "months", "mo", "mos", "monat", "monate", "monaten", "mois", "mes", "meses", "か月", "ヶ月", "カ月"]),
    ("month", 3, 0, &["quarter", "quarters", "quartal", "quartale", "quartalen", "trimestre", "trimestres"]),
    ("month", 12, 0, &["year", "years", "yr", "yrs", "jahr", "jahre", "jahren", "an", "ans", "année", "années", "año", "años", "年間"]),
    ("month", 120, 0, &["decade", "decades"]),
    ("B", 1, 0, &["B", "byte", "bytes", "octet", "octets"]),
    ("B", 1_000, 0, &["kB", "KB", "kilobyte", "kilobytes"]),
    ("B", 1_000_000, 0, &["MB", "megabyte", "megabytes"]),
    ("B", 1_000_000_000, 0, &["GB", "gigabyte", "gigabytes"]),
    ("B", 1_000_000_000_000, 0, &["TB", "terabyte", "terabytes"]),
    ("B", 1_000_000_000_000_000, 0, &["PB", "petabyte", "petabytes"]),
    ("B", 1 << 10, 0, &["KiB"]),
    ("B", 1 << 20, 0, &["MiB"]),
    ("B", 1 << 30, 0, &["GiB"]),
    ("B", 1 << 40, 0, &["TiB"]),
    ("bit", 1, 0, &["bit", "bits"]),
    ("bit/s", 1_000, 0, &["kbps", "Kbps", "kbit"]),
    ("bit/s", 1_000_000, 0, &["Mbps", "Mbit"]),
    ("bit/s", 1_000_000_000, 0, &["Gbps", "Gbit"]),
    ("m", 1, 3, &["mm", "millimetre", "millimetres", "millimeter", "millimeters"]),
    ("m", 1, 2, &["cm", "centimetre", "centimetres", "centimeter", "centimeters"]),
    ("m", 1, 0, &["m", "metre", "metres", "meter", "meters", "mètre", "mètres", "metro", "metros"]),
    ("m", 1_000, 0, &["km", "kilometre", "kilometres", "kilometer", "kilometers", "kilomètre", "kilomètres", "kilómetro", "kilómetros"]),
    ("inch", 1, 0, &["inch", "inches"]),
    ("inch", 12, 0, &["ft", "foot", "feet"]),
    ("mile", 1, 0, &["mile", "miles"]),
    ("mph", 1, 0, &["mph"]),
    ("g", 1, 3, &["mg", "milligram", "milligrams"]),
    ("g", 1, 0, &["g", "gram", "grams", "gramm"]),
    ("g", 1_000, 0, &["kg", "kilogram", "kilograms", "kilogramm", "kilo", "kilos"]),
    ("g", 1_000_000, 0, &["tonne", "tonnes"]),
    ("lb", 1, 0, &["lb", "lbs"]),
    ("oz", 1, 0, &["oz", "ounce", "ounces"]),
    ("l", 1, 3, &["ml", "mL", "millilitre", "millilitres", "milliliter", "milliliters"]),
    ("l", 1, 0, &["l", "L", "litre", "litres", "liter", "liters", "litro", "litros"]),
    ("°C", 1, 0, &["°C"]),
    ("°F", 1, 0, &["°F"]),
    ("W", 1, 0, &["W", "watt", "watts"]),
    ("W", 1_000, 0, &["kW", "kilowatt", "kilowatts"]),
    ("W", 1_000_000, 0, &["MW", "megawatt", "megawatts"]),
    ("Wh", 1, 0, &["Wh"]),
    ("Wh", 1_000, 0, &["kWh"]),
    ("Wh", 1_000_000, 0, &["MWh"]),
    ("V", 1, 0, &["V", "volt", "volts"]),
    ("Hz", 1, 0, &["Hz", "hertz"]),
    ("Hz", 1_000, 0, &["kHz"]),
    ("Hz", 1_000_000, 0, &["MHz"]),
    ("Hz", 1_000_000_000, 0, &["GHz"]),
    ("px", 1, 0, &["px", "pixel", "pixels"]),
    ("dpi", 1, 0, &["dpi"]),
    ("rpm", 1, 0, &["rpm"]),
    ("x", 1, 0, &["x", "×", "times", "fois", "veces"]),
    ("pp", 1, 0, &["pp", "prozentpunkte", "prozentpunkten"]),
    ("%", 1, 0, &["%", "％", "percent", "pct", "prozent", "パーセント"]),
    ("円", 1, 0, &["円"]),
    ("cent", 1, 0, &["cent", "cents"]),
];

/// One word for a unit and its qualifier.
const QUALIFIED: &[(&str, &[&str])] = &[
    (
        "business",
        &["werktag", "werktage", "werktagen", "arbeitstag", "arbeitstage", "arbeitstagen", "geschäftstage", "bankarbeitstage", "営業日"],
    ),
    ("calendar", &["kalendertag", "kalendertage", "kalendertagen"]),
];

static TABLE: LazyLock<HashMap<&'static str, Unit>> = LazyLock::new(|| {
    let mut table = HashMap::new();
    for &(base, times, places, words) in UNITS {
        table.extend(words.iter().map(|word| (*word, Unit { base, times, places, qualifier: "" })));
    }
    for &(qualifier, words) in QUALIFIED {
        table.extend(words.iter().map(|word| (*word, Unit { base: "s", times: 86_400, places: 0, qualifier })));
    }
    table
});

/// Units that are something else where a blank stands before them.
const ATTACHED_ONLY: [&str; 2] = ["x", "us"];

/// The unit that `word` is, written against its number or after a blank.
pub(super) fn unit(word: &str, attached: bool) -> Option<Unit> {
    if !attached && ATTACHED_ONLY.contains(&word) {
        return None;
    }
    let found = TABLE.get(word).copied();
    // Short ones mean something else in capitals.
    found.or_else(|| {
        if word.len() > 3 && word.starts_with(char::is_uppercase) { TABLE.get(word.to_lowercase().as_str()).copied() } else { None }
    })
}

/// The longest unit that `text` starts with, for scripts without blanks.
pub(super) fn unspaced(text: &str) -> Option<(usize, Unit)> {
    let ends = text.char_indices().map(|(i, c)| i + c.len_utf8()).take(5);
    ends.filter_map(|end| {
        TABLE.get(&text[..end]).filter(|_| !text.is_char_boundary(1) || !text.as_bytes()[0].is_ascii()).map(|u| (end, *u))
    })
    .last()
}

/// A word before a unit that makes another unit of it, in a common form; None for any other word.
pub(super) fn qualifier(word: &str) -> Option<&'static str> {
    Some(match word {
        "business" | "working" | "banking" | "bank" | "work" => "business",
        "calendar" => "calendar",
        "trading" => "trading",
        "billing" => "billing",
        "school" => "school",
        _ => return None,
    })
}

/// The same after the unit, as French and Spanish put it.
pub(super) fn qualifier_after(word: &str) -> Option<&'static str> {
    Some(match word {
        "ouvrés" | "ouvrables" | "ouvré" | "ouvrable" | "hábiles" | "laborables" | "hábil" | "laborable" => "business",
        "calendaires" | "naturales" => "calendar",
        _ => return None,
    })
}

/// Words between a number and its unit that leave the amount as it is.
pub(super) fn is_filler(word: &str) -> bool {
    const FILLERS: [&str; 16] = [
        "full",
        "whole",
        "consecutive",
        "additional",
        "extra",
        "more",
        "further",
        "free",
        "straight",
        "complete",
        "entire",
        "volle",
        "vollen",
        "weitere",
        "weiteren",
        "other",
    ];
    FILLERS.contains(&word)
}

/// `month` of `per month`, `monthly` as one word: the base unit and how much of it.
pub(super) fn rate_word(word: &str) -> Option<(&'static str, u64)> {
    Some(match word {
        "monthly" | "monatlich" => ("month", 1),
        "yearly" | "annually" | "annual" | "jährlich" => ("month", 12),
        "quarterly" => ("month", 3),
        "weekly" | "wöchentlich" => ("s", 604_800),
        "daily" | "täglich" => ("s", 86_400),
        "hourly" => ("s", 3_600),
        _ => return None,
    })
}
