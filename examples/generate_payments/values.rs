//! The values of one ticket: each with its corrupted twin, all of them told apart.

use super::dice::Dice;
use super::show::{date, grouped};
use super::topic::{Topic, Var};

/// A variable's value: as the reply says it, as a check asks for it, and the twin that a mistake would say.
pub struct Bound {
    pub name: &'static str,
    pub shown: String,
    pub asked: String,
    pub twin: String,
    raw: i64,
}

impl Bound {
    /// A text that no check asks for.
    pub fn text(name: &'static str, text: &str) -> Bound {
        Bound { name, shown: text.to_string(), asked: String::new(), twin: String::new(), raw: 0 }
    }
}

/// The variables of `topic` with values; None where two of them, twins included, could be taken for one another.
pub fn bind(topic: &Topic, sign: &str, dice: &mut Dice) -> Option<Vec<Bound>> {
    let style = dice.below(3);
    let mut bound: Vec<Bound> = Vec::with_capacity(topic.vars.len());
    for (name, var) in topic.vars {
        let (raw, twin) = draw(*var, &bound, dice)?;
        let show = |raw: i64| shown(*var, raw, sign, style);
        let asked = if is_day(*var) { date(raw, 2) } else { show(raw) };
        bound.push(Bound { name, shown: show(raw), asked, twin: show(twin), raw });
    }
    let all: Vec<&str> = bound.iter().flat_map(|b| [b.shown.as_str(), b.twin.as_str()]).collect();
    let apart = all.iter().enumerate().all(|(i, a)| all[..i].iter().all(|b| a != b));
    apart.then_some(bound)
}

/// A value and its twin, as raw integers: cents, days, tenths of a percent, places in a list.
fn draw(var: Var, bound: &[Bound], dice: &mut Dice) -> Option<(i64, i64)> {
    let raw_of = |name: &str| bound.iter().find(|b| b.name == name).map(|b| b.raw);
    // Slips of a person who copies an amount: a digit off, or one place off.
    let near = |dice: &mut Dice| dice.pick(&[900, -900, 1_000, 90, 10_000, -90]);
    let later = |dice: &mut Dice| dice.pick(&[1, 2, 4, 5]);
    let one_of = |list: &[u32], dice: &mut Dice| {
        let at = dice.below(list.len());
        let other = (at + 1 + dice.below(list.len() - 1)) % list.len();
        (i64::from(list[at]), i64::from(list[other]))
    };
    Some(match var {
        Var::Price(list) | Var::Count(list) | Var::Rate(list) => one_of(list, dice),
        Var::Choice(list) => {
            let places: Vec<u32> = (0..list.len() as u32).collect();
            one_of(&places, dice)
        }
        Var::Amount(from, to) => {
            let raw = i64::from(from) + dice.below((to - from) as usize) as i64;
            (raw, raw + near(dice))
        }
        Var::Reference(_) => {
            let raw = 20_000 + dice.below(70_000) as i64;
            (raw, raw + dice.pick(&[9, 90, 900, 10]))
        }
        Var::Day(from, to) => {
            let raw = i64::from(from) + dice.below((to - from) as usize) as i64;
            (raw, raw + later(dice))
        }
        Var::Plus(a, b) | Var::Minus(a, b) | Var::Share(a, b) | Var::After(a, b) => {
            let (a, b) = (raw_of(a)?, raw_of(b)?);
            let raw = match var {
                Var::Minus(..) => a - b,
                Var::Share(..) => (a * b + 500) / 1000,
                _ => a + b,
            };
            (raw, raw + if matches!(var, Var::After(..)) { later(dice) } else { near(dice).abs() })
        }
    })
}

fn is_day(var: Var) -> bool {
    matches!(var, Var::Day(..) | Var::After(..))
}

fn shown(var: Var, raw: i64, sign: &str, style: usize) -> String {
    match var {
        Var::Count(_) => grouped(raw),
        Var::Rate(_) if raw % 10 == 0 => format!("{}%", raw / 10),
        Var::Rate(_) => format!("{}.{}%", raw / 10, raw % 10),
        Var::Choice(list) => list[raw as usize].to_string(),
        Var::Reference(prefix) => format!("{prefix}-{raw}"),
        Var::Day(..) | Var::After(..) => date(raw, style),
        _ => format!("{sign}{}.{:02}", grouped(raw / 100), raw % 100),
    }
}
