//! Caps on calls and dollars. A request that could break a cap is not sent: its worst case is set aside before, and what it cost is taken after.

use std::sync::{Condvar, Mutex, MutexGuard};

use crate::model::Usd;

/// Caps of one recording; None is no cap.
#[derive(Debug, Clone, Copy, Default)]
pub struct Caps {
    pub calls: Option<u64>,
    pub cost: Option<Usd>,
}

/// What of the caps is used.
pub struct Budget {
    caps: Caps,
    spent: Mutex<Spent>,
    freed: Condvar,
}

#[derive(Default)]
struct Spent {
    calls: u64,
    cost: Usd,
    /// Worst cases of requests that are under way, and how many these are.
    reserved: Usd,
    under_way: usize,
}

impl Budget {
    pub fn new(caps: Caps) -> Budget {
        Budget { caps, spent: Mutex::default(), freed: Condvar::new() }
    }

    /// Counts a call in. The error says which cap it would break.
    pub fn begin(&self) -> Result<(), String> {
        let mut spent = self.lock();
        match self.caps.calls {
            Some(cap) if spent.calls >= cap => Err(format!("the next call would be more than --max-calls {cap}")),
            _ => {
                spent.calls += 1;
                Ok(())
            }
        }
    }

    /// Sets the worst case of one request aside. Where only requests under way stand between it and the cap, it waits for what they really cost.
    pub fn reserve(&self, worst: Usd) -> Result<(), String> {
        let mut spent = self.lock();
        if let Some(cap) = self.caps.cost {
            while spent.cost + spent.reserved + worst > cap {
                if spent.under_way == 0 {
                    return Err(format!("the next call could cost ${worst}, and with ${} spent break --max-usd {cap}", spent.cost));
                }
                spent = self.freed.wait(spent).unwrap_or_else(|e| e.into_inner());
            }
        }
        spent.reserved = spent.reserved + worst;
        spent.under_way += 1;
        Ok(())
    }

    /// Takes what a request cost in place of its worst case.
    pub fn settle(&self, worst: Usd, cost: Usd) {
        let mut spent = self.lock();
        spent.reserved = spent.reserved.less(worst);
        spent.under_way = spent.under_way.saturating_sub(1);
        spent.cost = spent.cost + cost;
        self.freed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(|e| e.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(text: &str) -> Usd {
        Usd::parse(text).unwrap()
    }

    #[test]
    fn a_cap_is_reached_and_never_broken() {
        let budget = Budget::new(Caps { calls: Some(2), cost: Some(usd("1")) });
        assert_eq!([0; 3].map(|_| budget.begin().is_ok()), [true, true, false]);
        budget.reserve(usd("0.7")).unwrap();
        budget.settle(usd("0.7"), usd("0.3"));
        budget.reserve(usd("0.7")).unwrap();
        budget.settle(usd("0.7"), usd("0.65"));
        assert!(budget.reserve(usd("0.050000000001")).unwrap_err().contains("$0.95 spent"));
        budget.reserve(usd("0.05")).unwrap();
    }

    #[test]
    fn a_request_waits_for_what_those_under_way_leave() {
        let budget = Budget::new(Caps { calls: None, cost: Some(usd("1")) });
        budget.reserve(usd("0.8")).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| budget.reserve(usd("0.8")));
            budget.settle(usd("0.8"), usd("0.1"));
            assert!(second.join().unwrap().is_ok());
        });
    }
}
