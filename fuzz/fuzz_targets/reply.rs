//! Providers' bodies: any text is read or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::api::{self, key};

fuzz_target!(|body: &str| {
    for wire in api::ALL {
        let _ = wire.reply(body);
    }
    if let Ok(value) = serde_json::from_str(body) {
        let once = key::canonical(&value, &[]);
        let again = serde_json::from_str(&once).map(|v| key::canonical(&v, &[])).ok();
        assert_eq!(again.as_ref(), Some(&once));
    }
});
