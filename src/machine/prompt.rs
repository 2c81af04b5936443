//! Prompts: the spec's templates made ready once per arm, and the scene (ticket, draft, critique) that they are rendered over.

mod template;

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value as Var};
use serde_json::Value;

use crate::api::{Message, Prompt};
use crate::arm::{RoleSpec, Spec};
use crate::model::{Critique, Role, Ticket};
use template::Piece;

/// A spec with its templates compiled: one for all tickets of an arm.
pub struct Loop {
    pub spec: Spec,
    templates: Environment<'static>,
    /// Those that need no template language.
    plain: BTreeMap<String, Vec<Piece>>,
    /// response_format of writer, critic, reviser where it is the same for every ticket.
    fixed_formats: BTreeMap<Role, Value>,
}

impl Loop {
    /// Compiles every template of the spec; the error names the key that holds it.
    pub fn new(spec: Spec) -> Result<Loop, String> {
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        // A prompt's last line end is part of the prompt.
        let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build().map_err(|e| e.to_string())?;
        templates.set_syntax(syntax);
        templates.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        templates.set_fuel(Some(template::FUEL));
        // Otherwise a release build does not say which name is not defined, and a debug build does.
        templates.set_debug(true);
        let mut sources: Vec<(String, String)> =
            spec.parts.iter().map(|(name, source)| (format!("parts.{name}"), source.clone())).collect();
        let mut add = |name: String, source: &str| sources.push((name, source.to_owned()));
        let mut fixed_formats = BTreeMap::new();
        for role in [&spec.writer, &spec.critic, &spec.reviser] {
            let at = role.role.name();
            add(format!("{at}.prompt"), &role.prompt);
            if let Some(system) = &role.system {
                add(format!("{at}.system"), system);
            }
            if let Some(format) = &role.response_format {
                if format.contains("{{") || format.contains("{%") {
                    add(format!("{at}.response_format"), format);
                } else {
                    let value = serde_json::from_str(format).map_err(|e| format!("{at}.response_format: not JSON: {e}"))?;
                    fixed_formats.insert(role.role, value);
                }
            }
        }
        let plain = sources.iter().filter_map(|(name, source)| Some((name.clone(), template::pieces(source)?))).collect();
        template::compile(&mut templates, sources)?;
        Ok(Loop { spec, templates, plain, fixed_formats })
    }

    fn render(&self, name: &str, vars: &BTreeMap<&'static str, Var>) -> Result<String, String> {
        if let Some(text) = self.plain.get(name).and_then(|pieces| template::fill(pieces, vars)) {
            return Ok(text);
        }
        let template = self.templates.get_template(name).map_err(|e| format!("{name}: {}", e))?;
        template.render(Var::from_pairs(vars.iter().map(|(k, v)| (*k, v.clone())))).map_err(|e| format!("{name}: {}", e))
    }
}

/// What templates can name: ticket, parts, pass, draft, original, critique, findings, finding.
pub struct Scene<'a> {
    program: &'a Loop,
    vars: BTreeMap<&'static str, Var>,
    /// The critique's findings as the critic gave them.
    findings: Vec<Var>,
}

impl<'a> Scene<'a> {
    pub fn new(program: &'a Loop, ticket: &Ticket, sample: u32) -> Self {
        let sources: Var = ticket
            .sources
            .iter()
            .map(|s| {
                Var::from_pairs([
                    ("id", Var::from(s.id.as_str())),
                    ("title", Var::from(s.title.as_str())),
                    ("text", Var::from(s.text.as_str())),
                ])
            })
            .collect();
        let ticket = Var::from_pairs([
            ("id", Var::from(ticket.id.as_str())),
            ("prompt", Var::from(ticket.prompt.as_str())),
            ("sources", sources),
            ("tags", ticket.tags.iter().map(|t| Var::from(t.as_str())).collect()),
            ("fields", Var::from(Serde(&ticket.fields))),
        ]);
        let vars = BTreeMap::from([("ticket", ticket), ("sample", Var::from(sample)), ("pass", Var::from(0))]);
        Scene { program, vars, findings: vec![] }
    }

    /// Renders the shared parts, once per run.
    pub fn prepare(&mut self) -> Result<(), String> {
        let mut parts = vec![];
        for name in self.program.spec.parts.keys() {
            parts.push((name.as_str(), Var::from(self.program.render(&format!("parts.{name}"), &self.vars)?)));
        }
        self.vars.insert("parts", Var::from_pairs(parts));
        Ok(())
    }

    pub fn original(&mut self, text: &str) {
        self.vars.insert("original", Var::from(text));
    }

    pub fn draft(&mut self, pass: u32, text: &str) {
        self.vars.insert("pass", Var::from(pass));
        self.vars.insert("draft", Var::from(text));
    }

    pub fn critique(&mut self, critique: &Critique) {
        self.vars.insert("critique", Var::from(critique.text.as_str()));
        self.findings = critique.findings.iter().flatten().map(|f| Var::from(Serde(&f.raw))).collect();
    }

    /// The reviser's next call: the draft as it stands and the findings it is given (`finding` is the first of them).
    pub fn revision(&mut self, draft: &str, given: &[usize]) {
        self.vars.insert("draft", Var::from(draft));
        let given: Vec<Var> = given.iter().filter_map(|i| self.findings.get(*i).cloned()).collect();
        if let Some(first) = given.first() {
            self.vars.insert("finding", first.clone());
        }
        self.vars.insert("findings", Var::from(given));
    }

    pub fn prompt(&self, role: Role) -> Result<String, String> {
        self.program.render(&format!("{}.prompt", role.name()), &self.vars)
    }

    pub fn system(&self, role: Role) -> Result<Option<String>, String> {
        self.spec(role).system.as_ref().map(|_| self.program.render(&format!("{}.system", role.name()), &self.vars)).transpose()
    }

    /// The request's body in the provider's form.
    pub fn body(&self, role: Role, messages: &[Message]) -> Result<Value, String> {
        let spec = self.spec(role);
        let wire = self.program.spec.wire;
        let Some(format) = self.format(role)? else {
            return Ok(wire.request(&Prompt { model: &spec.model, messages, params: &spec.params }));
        };
        let mut params = spec.params.clone();
        params.insert("response_format".into(), format);
        Ok(wire.request(&Prompt { model: &spec.model, messages, params: &params }))
    }

    fn format(&self, role: Role) -> Result<Option<Value>, String> {
        if self.spec(role).response_format.is_none() {
            return Ok(None);
        }
        if let Some(fixed) = self.program.fixed_formats.get(&role) {
            return Ok(Some(fixed.clone()));
        }
        let name = format!("{}.response_format", role.name());
        let text = self.program.render(&name, &self.vars)?;
        serde_json::from_str(&text).map(Some).map_err(|e| format!("{name}: does not render to JSON: {e}"))
    }

    fn spec(&self, role: Role) -> &'a RoleSpec {
        self.program.spec.role(role)
    }
}
