//! Critics' replies: reading never panics, and an unreadable reply never has a list.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::critique::{self, Rules};
use redraft::model::{CritiqueStatus, Reply, StopReason};

fuzz_target!(|text: &str| {
    let rules = Rules { sentinel: "APPROVED".into(), severities: ["blocking", "major", "minor"].map(String::from).into() };
    for stop in [StopReason::End, StopReason::Length] {
        let reply = Reply { text: text.to_owned(), stop, usage: None, model: None };
        for format in critique::ALL {
            let read = format.read(&reply, &rules);
            assert!(!matches!(read.status, CritiqueStatus::ParseError(_)) || read.findings.is_none());
        }
        critique::edit(&reply);
    }
});
