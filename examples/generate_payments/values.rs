//! Seeded choices and the values of one ticket: each with its corrupted twin, all of them told apart.

use super::topic::{Topic, Var};

/// Counter-based numbers: the n-th draw of a seed is a pure function of both (the finaliser of SplitMix64).
pub struct Dice {
    seed: u64,
    drawn: u64,
}

impl Dice {
    pub fn new(ticket: u64, attempt: u64) -> Dice {
        Dice { seed: mix(mix(0x7061_796d_656e_7473 ^ ticket) ^ attempt), drawn: 0 }
    }

    /// A number in 0..limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.drawn += 1;
        (mix(self.seed ^ self.drawn) % limit.max(1) as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

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

fn grouped(n: i64) -> String {
    if n < 1000 { n.to_string() } else { format!("{},{:03}", grouped(n / 1000), n % 1000) }
}

/// Day `day` of 2026: 0 `4 March 2026`, 1 `March 4, 2026`, 2 `2026-03-04`.
fn date(day: i64, style: usize) -> String {
    const MONTHS: [(&str, i64); 12] = [
        ("January", 31),
        ("February", 28),
        ("March", 31),
        ("April", 30),
        ("May", 31),
        ("June", 30),
        ("July", 31),
        ("August", 31),
        ("September", 30),
        ("October", 31),
        ("November", 30),
        ("December", 31),
    ];
    let mut day = day;
    for (i, (month, length)) in MONTHS.iter().enumerate() {
        if day <= *length {
            return match style {
                0 => format!("{day} {month} 2026"),
                1 => format!("{month} {day}, 2026"),
                _ => format!("2026-{:02}-{day:02}", i + 1),
            };
        }
        day -= length;
    }
    format!("{day} January 2027")
}
