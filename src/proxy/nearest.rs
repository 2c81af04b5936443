//! The request most like a given one, for people who look for what changed.

use serde_json::Value;

use crate::api::key;

/// The best so far.
pub struct Nearest<'a> {
    body: &'a Value,
    ignore: &'a [String],
    canonical: String,
    best: Option<(usize, String, Value)>,
}

impl<'a> Nearest<'a> {
    pub fn new(body: &'a Value, ignore: &'a [String]) -> Nearest<'a> {
        Nearest { body, ignore, canonical: key::canonical(body, ignore), best: None }
    }

    pub fn look(&mut self, place: &str, other: &Value) {
        let alike = alike(&self.canonical, &key::canonical(other, self.ignore));
        // The first of equals stays.
        if self.best.as_ref().is_none_or(|(most, ..)| alike > *most) {
            self.best = Some((alike, place.to_owned(), other.clone()));
        }
    }

    /// Empty where there is nothing to compare with.
    pub fn tell(&self, words: &str) -> String {
        let Some((_, place, other)) = &self.best else { return String::new() };
        match key::difference_but(other, self.body, self.ignore) {
            Some(what) => format!("; {words} {place}, which differs in {what}"),
            None => format!("; {words} {place}, which has the very same request"),
        }
    }
}

/// Bytes that two texts share at their begin and at their end.
fn alike(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let front = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let back = a[front..].iter().rev().zip(b[front..].iter().rev()).take_while(|(x, y)| x == y).count();
    front + back
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_most_alike_is_named_with_what_differs() {
        let asked = json!({"model": "m", "messages": [{"role": "user", "content": "Write about fees."}], "temperature": 0.7});
        let mut nearest = Nearest::new(&asked, &[]);
        assert_eq!(nearest.tell("x"), "");
        nearest.look("ticket a writer pass 0", &json!({"model": "m", "messages": [{"role": "user", "content": "Else."}]}));
        let mut other = asked.clone();
        other["temperature"] = json!(0);
        nearest.look("ticket b writer pass 0", &other);
        assert_eq!(nearest.tell("nearest is"), "; nearest is ticket b writer pass 0, which differs in temperature: 0 -> 0.7");
    }
}
