//! A new arm made of another: its loop.toml, comments and all, with paths that still lead where they led, and texts of its own to change.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use crate::arm::{Arm, CALLS};
use crate::error::Error;
use crate::files;
use crate::toml::{quoted, spliced};

/// What the new arm is for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'w> {
    /// Calls of the old arm that still match answer in the new one.
    pub reuse: bool,
    /// A text that becomes the critic's prompt.
    pub critic_prompt: Option<&'w Path>,
}

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forked {
    /// Texts that were copied into the new arm.
    pub copied: Vec<String>,
    /// False where loop.toml had to be written anew.
    pub as_written: bool,
}

/// Places of loop.toml that may name a file.
const TEXTS: [&str; 3] = ["system", "prompt", "response_format"];

/// Makes the folder `new`, which must not be there yet, an arm with an empty recording.
pub fn fork(arm: &Path, new: &Path, wanted: Wanted<'_>) -> Result<Forked, Error> {
    Arm::open(arm)?;
    if new.exists() {
        return Err(Error::at(new, "is there already; a fork is a new folder"));
    }
    let parent = new.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|e| Error::io(parent, "make the folder", &e))?;
    let real = |path: &Path| fs::canonicalize(path).map_err(|e| Error::io(path, "find", &e));
    let (from, parent) = (real(arm)?, real(parent)?);
    let name = new.file_name().ok_or_else(|| Error::at(new, "names no new folder"))?;
    let to = parent.join(name);
    // Made under another name and renamed, so that no half an arm is ever there.
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fork-");
    // A temporary folder would be its owner's alone; an arm is as any other folder.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let making = builder.tempdir_in(&parent).map_err(|e| Error::io(&parent, "make a folder", &e))?;
    let forked = fill(&from, &to, making.path(), wanted)?;
    fs::rename(making.path(), &to).map_err(|e| Error::io(new, "make the folder", &e))?;
    // The name it is removed by is gone.
    let _ = making.keep();
    Arm::open(new)?;
    Ok(forked)
}

fn fill(from: &Path, to: &Path, making: &Path, wanted: Wanted<'_>) -> Result<Forked, Error> {
    let path = from.join("loop.toml");
    let mut text = files::text(&path, "read the loop's spec")?;
    let mut value: Value = crate::toml::read(&path, &text)?;
    let mut copied = vec![];
    let mut changes: Vec<(Vec<String>, Value)> = vec![];
    let mut change = |keys: &[&str], new: Value| changes.push((keys.iter().map(|k| (*k).to_owned()).collect(), new));
    let moved = |old: &str| relative(from, to, old);
    if let Some(dataset) = value["dataset"].as_str() {
        change(&["dataset"], moved(dataset).into());
    }
    let old: Vec<String> = value["reuse"].as_array().into_iter().flatten().filter_map(Value::as_str).map(moved).collect();
    match wanted.reuse {
        true => change(&["reuse"], std::iter::once(path_between(to, from)).chain(old).collect()),
        false if value.get("reuse").is_some() => change(&["reuse"], json!([])),
        false => {}
    }
    for keys in texts(&value) {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let Some(file) = keys.iter().try_fold(&value, |at, key| at.get(key)).and_then(|text| text.get("file")?.as_str()) else { continue };
        if is_inside(file) {
            copy(&from.join(file), &making.join(file))?;
            copied.push(file.to_owned());
        } else {
            change(&keys, json!({ "file": moved(file) }));
        }
    }
    if let Some(prompt) = wanted.critic_prompt {
        let name = ["critic-prompt.txt", "critic-prompt-new.txt"].into_iter().find(|name| !making.join(name).exists());
        let name = name.unwrap_or("critic-prompt-newest.txt");
        fs::write(making.join(name), files::text(prompt, "read the critic's prompt")?).map_err(|e| Error::io(to, "write", &e))?;
        copied.push(name.to_owned());
        change(&["critic", "prompt"], json!({ "file": name }));
    }
    let mut as_written = true;
    for (keys, new) in &changes {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        if keys.iter().try_fold(&value, |at, key| at.get(key)) == Some(new) {
            continue;
        }
        put(&mut value, &keys, new.clone());
        match spliced(&path, &text, &keys, &toml(new), "dataset")? {
            Some(changed) => text = changed,
            None => as_written = false,
        }
    }
    // The text is taken only where it says exactly what was wanted.
    if !as_written || crate::toml::read::<Value>(&path, &text).ok().as_ref() != Some(&value) {
        as_written = false;
        text = crate::toml::write(&path, &value)?;
    }
    for (name, bytes) in [("loop.toml", text.as_str()), (CALLS, "")] {
        fs::write(making.join(name), bytes).map_err(|e| Error::io(&to.join(name), "write", &e))?;
    }
    Ok(Forked { copied, as_written })
}

/// Where the spec has texts.
fn texts(value: &Value) -> Vec<Vec<String>> {
    let parts = value["parts"].as_object().into_iter().flatten().map(|(name, _)| vec!["parts".to_owned(), name.clone()]);
    let roles = ["writer", "critic", "reviser"].iter().flat_map(|role| TEXTS.map(|text| vec![(*role).to_owned(), text.to_owned()]));
    parts.chain(roles).collect()
}

fn put(value: &mut Value, keys: &[&str], new: Value) {
    let mut at = value;
    for key in keys {
        at = &mut at[*key];
    }
    *at = new;
}

fn toml(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(all) => format!("[{}]", all.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Object(all) => {
            format!("{{ {} }}", all.iter().map(|(key, value)| format!("{key} = {}", toml(value))).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    let bytes = files::text(from, "read the text")?;
    let folders = to.parent().map_or(Ok(()), fs::create_dir_all);
    folders.and_then(|()| fs::write(to, bytes)).map_err(|e| Error::io(to, "write", &e))
}

fn is_inside(file: &str) -> bool {
    Path::new(file).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// What `old`, a path relative to `from`, is relative to `to`.
fn relative(from: &Path, to: &Path, old: &str) -> String {
    // Beside each other the same words lead to the same place, and a spec that need not change is left alone.
    if Path::new(old).is_absolute() || (from.parent() == to.parent() && old.starts_with("..")) {
        return old.to_owned();
    }
    let target = from.join(old);
    path_between(to, &fs::canonicalize(&target).unwrap_or(target))
}

/// The way from one folder to another place, with `/` on every system.
fn path_between(from: &Path, to: &Path) -> String {
    let (a, b): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    if same == 0 {
        return to.to_string_lossy().into_owned();
    }
    let up = a[same..].iter().map(|_| "..".to_owned());
    let way: Vec<String> = up.chain(b[same..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned())).collect();
    if way.is_empty() { ".".to_owned() } else { way.join("/") }
}

/// A folder beside the arm that is not there yet: `ARM-2`, `ARM-3` ...
pub fn beside(arm: &Path) -> Result<PathBuf, Error> {
    let real = fs::canonicalize(arm).map_err(|e| Error::io(arm, "find the arm", &e))?;
    let name = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let path = |n: usize| real.with_file_name(format!("{name}-{n}"));
    Ok((2..).map(path).find(|path| !path.exists()).unwrap_or(real))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# What we run.\nversion = 1\ndataset = \"../data\"  # twelve tickets\n\n[model]\nprovider = \"openai-chat\"\nname = \"m\"\n\n\
                        [writer]\nprompt = { file = \"w.txt\" }\n\n[critic]  # strict\nformat = \"prose\"\nsystem = { file = \"../shared.txt\" }\n\
                        prompt = '''\nold\n'''\n\n[reviser]\nstrategy = \"whole\"\nprompt = \"r\"\n";

    fn arm(dir: &Path, spec: &str) -> PathBuf {
        let arm = dir.join("arm");
        fs::create_dir_all(&arm).unwrap();
        fs::create_dir_all(dir.join("data")).unwrap();
        for (name, text) in
            [("loop.toml", spec), ("w.txt", "write"), ("calls.jsonl", ""), ("../shared.txt", "be strict"), ("../new.txt", "new")]
        {
            fs::write(arm.join(name), text).unwrap();
        }
        arm
    }

    #[test]
    fn a_fork_keeps_the_words_of_its_arm_and_reuses_its_calls() {
        let dir = tempfile::tempdir().unwrap();
        let arm = arm(dir.path(), SPEC);
        let prompt = dir.path().join("new.txt");
        let new = dir.path().join("next");
        let forked = fork(&arm, &new, Wanted { reuse: true, critic_prompt: Some(&prompt) }).unwrap();
        assert_eq!(forked, Forked { copied: vec!["w.txt".into(), "critic-prompt.txt".into()], as_written: true });
        let want = SPEC
            .replace("# twelve tickets\n", "# twelve tickets\nreuse = [\"../arm\"]\n")
            .replace("'''\nold\n'''", "{ file = \"critic-prompt.txt\" }");
        assert_eq!(fs::read_to_string(new.join("loop.toml")).unwrap(), want);
        assert_eq!(Arm::open(&new).unwrap().spec.critic.prompt, "new");
        assert!(fork(&arm, &new, Wanted { reuse: true, critic_prompt: None }).unwrap_err().to_string().contains("is there already"));
        // A fork of a fork reuses both; a recording of its own reuses none.
        let deep = dir.path().join("more/next-2");
        fork(&new, &deep, Wanted { reuse: true, critic_prompt: None }).unwrap();
        let spec = fs::read_to_string(deep.join("loop.toml")).unwrap();
        assert!(spec.contains("reuse = [\"../../next\", \"../../arm\"]"), "{spec}");
        assert!(spec.contains("dataset = \"../../data\""), "{spec}");
        assert!(spec.contains("system = { file = \"../../shared.txt\" }"), "{spec}");
        let own = beside(&new).unwrap();
        assert!(own.ends_with("next-2"));
        fork(&new, &own, Wanted { reuse: false, critic_prompt: None }).unwrap();
        assert!(Arm::open(&own).unwrap().reuse.is_empty());
        assert!(beside(&new).unwrap().ends_with("next-3"));
    }

    #[test]
    fn a_spec_whose_values_have_no_place_of_their_own_is_written_anew() {
        let dir = tempfile::tempdir().unwrap();
        let spec = SPEC.replace("prompt = '''\nold\n'''", "[critic.prompt]\nfile = \"w.txt\"");
        let arm = arm(dir.path(), &spec);
        let (prompt, new) = (dir.path().join("new.txt"), dir.path().join("next"));
        fork(&arm, &new, Wanted { reuse: true, critic_prompt: Some(&prompt) }).unwrap();
        assert_eq!(Arm::open(&new).unwrap().spec.critic.prompt, "new");
        assert_eq!(Arm::open(&new).unwrap().spec.critic.system.as_deref(), Some("be strict"));
    }
}
