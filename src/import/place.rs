//! Records to calls: each in its slot, one call a slot; and the list of those that have none, with the reason.

use std::collections::{BTreeMap, HashMap};

use super::map::{Known, Rule, known};
use super::{Exchange, Found, Record};
use crate::api;
use crate::model::{Role, Slot};

/// A call that has its place.
#[derive(Debug, Clone)]
pub struct Call {
    pub ticket: String,
    pub slot: Slot,
    /// Where it stands in the log.
    pub at: String,
    pub exchange: Exchange,
    pub attempts: u32,
}

/// What has none, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Listed {
    pub at: String,
    pub why: String,
}

#[derive(Debug, Default)]
pub struct Placed {
    /// The wire form of all calls.
    pub provider: &'static str,
    /// By ticket, then by slot.
    pub calls: Vec<Call>,
    /// In the order of the log.
    pub listed: Vec<Listed>,
    /// Calls whose role or pass was taken from their order.
    pub by_order: usize,
}

#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    pub rules: &'a [Rule],
    /// Role and pass that a record does not tell follow from the order of its ticket's calls.
    pub by_order: bool,
    /// The wire form wanted; None: the most frequent one.
    pub provider: Option<&'a str>,
}

pub fn place(records: Vec<Record>, options: Options<'_>) -> Placed {
    let mut out = Placed { provider: provider(&records, options.provider), ..Placed::default() };
    let mut taken: BTreeMap<(String, Slot), Call> = BTreeMap::new();
    let mut orders: HashMap<(String, u32), Order> = HashMap::new();
    for Record { at, fields, found } in records {
        let exchange = match found {
            Found::Call(exchange) => *exchange,
            Found::Other(why) => {
                out.listed.push(Listed { at, why });
                continue;
            }
        };
        if exchange.provider != out.provider {
            let why = format!(
                "a call of {}; this arm has those of {} (--provider {} imports it)",
                exchange.provider, out.provider, exchange.provider
            );
            out.listed.push(Listed { at, why });
            continue;
        }
        let slot = known(options.rules, &fields).and_then(|known| {
            let order = options.by_order.then(|| known.ticket.clone().map(|ticket| (ticket, known.sample.unwrap_or(0)))).flatten();
            slot(known, order.map(|key| orders.entry(key).or_default()), exchange.is_answer())
        });
        let (ticket, slot, was_ordered) = match slot {
            Ok(found) => found,
            Err(why) => {
                out.listed.push(Listed { at, why });
                continue;
            }
        };
        out.by_order += usize::from(was_ordered);
        let call = Call { ticket: ticket.clone(), slot, at, exchange, attempts: 1 };
        let key = (ticket, slot);
        match taken.remove(&key) {
            None => drop(taken.insert(key, call)),
            // A call that failed and was tried again.
            Some(first) if !first.exchange.is_answer() => {
                out.listed.push(Listed { at: first.at, why: format!("an attempt that failed; the call was made again, see {}", call.at) });
                taken.insert(key, Call { attempts: first.attempts + 1, ..call });
            }
            Some(first) => {
                out.listed.push(Listed { at: call.at, why: format!("a second call for {slot} of its ticket; the first is {}", first.at) });
                taken.insert(key, first);
            }
        }
    }
    out.calls = taken.into_values().collect();
    out
}

/// An arm has one wire form.
fn provider(records: &[Record], wanted: Option<&str>) -> &'static str {
    let count = |name: &str| records.iter().filter(|r| matches!(&r.found, Found::Call(call) if call.provider == name)).count();
    let names = || api::ALL.iter().map(|wire| wire.name());
    match wanted.and_then(|wanted| names().find(|name| *name == wanted)) {
        Some(name) => name,
        None => names().rev().max_by_key(|name| count(name)).unwrap_or(super::made::PROVIDER),
    }
}

/// How far a run has come, by its calls in order.
#[derive(Debug, Default)]
struct Order {
    last: Option<Role>,
    pass: u32,
    n: u32,
}

fn slot(known: Known, order: Option<&mut Order>, is_answer: bool) -> Result<(String, Slot, bool), String> {
    let ticket = known.ticket.ok_or_else(|| lacking("ticket", order.is_some()))?;
    let sample = known.sample.unwrap_or(0);
    let mut was_ordered = false;
    let (mut role, mut pass, mut n) = (known.role, known.pass, known.n);
    if let Some(order) = &order {
        was_ordered = role.is_none() || (pass.is_none() && role != Some(Role::Writer));
        let next = match order.last {
            None if pass.unwrap_or(0) > 0 => Role::Critic,
            None => Role::Writer,
            Some(Role::Critic) => Role::Reviser,
            Some(_) => Role::Critic,
        };
        // Many loops let the writer revise.
        let revises = role == Some(Role::Writer) && order.last == Some(Role::Critic) && pass.is_none();
        let who = if revises { Role::Reviser } else { role.unwrap_or(next) };
        let of_order = match who {
            Role::Writer => 0,
            Role::Critic => order.pass + 1,
            Role::Reviser | Role::Judge => order.pass,
        };
        if n.is_none() && who == Role::Reviser && order.last == Some(Role::Reviser) && pass.is_none_or(|pass| pass == order.pass) {
            n = Some(order.n + 1);
        }
        (role, pass) = (Some(who), Some(pass.unwrap_or(of_order)));
    }
    let role = role.ok_or_else(|| lacking("role", false))?;
    let pass = pass.or((role == Role::Writer).then_some(0)).ok_or_else(|| lacking("pass", false))?;
    // Only draft 0 is the writer's.
    let role = if role == Role::Writer && pass > 0 { Role::Reviser } else { role };
    if pass == 0 && matches!(role, Role::Critic | Role::Reviser) {
        return Err(format!("a {} in pass 0; the first critique and its revision are pass 1", role.name()));
    }
    let n = n.unwrap_or(0);
    // A call that failed is made again.
    if let Some(order) = order.filter(|_| is_answer && role != Role::Judge) {
        *order = Order { last: Some(role), pass, n };
    }
    Ok((ticket, Slot { sample, pass, role, n }, was_ordered))
}

fn lacking(part: &str, ordered: bool) -> String {
    let or = if ordered || part == "ticket" { "" } else { ", or --by-order takes it from the order of the ticket's calls" };
    format!("no {part} is told: --map {part}=FIELD says where it stands{or}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn records(rows: &[(&str, Option<&str>, u16)]) -> Vec<Record> {
        let row = |(i, (ticket, role, status)): (usize, &(&str, Option<&str>, u16))| Record {
            at: i.to_string(),
            fields: json!({"t": ticket, "r": role}),
            found: Found::Call(Box::new(Exchange { provider: "openai-chat", status: *status, body: "{}".into(), ..Exchange::default() })),
        };
        rows.iter().enumerate().map(row).collect()
    }

    fn placed(rows: &[(&str, Option<&str>, u16)], by_order: bool) -> (Vec<String>, Vec<String>) {
        let rules: Vec<Rule> = ["ticket=t", "role=r"].iter().map(|r| Rule::parse(r).unwrap()).collect();
        let placed = place(records(rows), Options { rules: &rules, by_order, provider: None });
        let calls = placed.calls.iter().map(|c| format!("{} {} @{} x{}", c.ticket, c.slot, c.at, c.attempts)).collect();
        (calls, placed.listed.iter().map(|l| format!("{}: {}", l.at, l.why.split([';', ':', ',']).next().unwrap())).collect())
    }

    #[test]
    fn the_order_of_a_tickets_calls_tells_role_and_pass() {
        let (calls, listed) = placed(
            &[
                ("b", None, 200),
                ("a", None, 200),
                ("b", None, 429),
                ("b", None, 200),
                ("b", Some("writer"), 200),
                ("b", None, 200),
                ("a", None, 0),
            ],
            true,
        );
        assert_eq!(
            calls,
            [
                "a writer pass 0 @1 x1",
                "a critic pass 1 @6 x1",
                "b writer pass 0 @0 x1",
                "b critic pass 1 @3 x2",
                "b reviser pass 1 @4 x1",
                "b critic pass 2 @5 x1"
            ]
        );
        assert_eq!(listed, ["2: an attempt that failed"]);
    }

    #[test]
    fn what_is_not_told_is_listed_and_a_slot_is_taken_once() {
        let (calls, listed) =
            placed(&[("a", None, 200), ("a", Some("writer"), 200), ("a", Some("writer"), 200), ("a", Some("critic"), 200)], false);
        assert_eq!(calls, ["a writer pass 0 @1 x1"]);
        assert_eq!(listed, ["0: no role is told", "2: a second call for writer pass 0 of its ticket", "3: no pass is told"]);
    }
}
