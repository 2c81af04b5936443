//! The JSON Schema of a check, compiled once, with the text it was compiled from.

use std::fmt;

use jsonschema::PatternOptions;
use serde_json::Value;

/// A JSON Schema: draft 2020-12, or the draft that its `$schema` names.
pub struct Schema {
    source: String,
    validator: jsonschema::Validator,
}

impl Schema {
    /// Nothing is fetched: a reference that leads out of `schema` is an error, as is a schema that its own meta-schema refuses. `format` is an
    /// annotation in every draft, and patterns are read by the crate `regex`, so that no draft makes a check slow.
    pub fn compile(schema: &Value) -> Result<Schema, String> {
        let options = jsonschema::options().offline().should_validate_formats(false).with_pattern_options(PatternOptions::regex());
        let validator = options.build(schema).map_err(|e| {
            let place = e.instance_path().to_string();
            let place = if place.is_empty() { String::new() } else { format!("at `{place}`: ") };
            format!("not a JSON Schema that can be used here: {place}{e}")
        })?;
        Ok(Schema { source: schema.to_string(), validator })
    }

    pub fn accepts(&self, document: &Value) -> bool {
        self.validator.is_valid(document)
    }

    /// The schema as compact JSON.
    pub fn source(&self) -> &str {
        &self.source
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}
