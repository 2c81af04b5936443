//! The HTML report in a real browser: with and without scripts, by keyboard, in two colour schemes, with hostile text and with 600 runs.
//!
//! Wants a Chromium, and axe-core in REDRAFT_AXE (the path of axe.min.js). Without them the tests pass and say that they were skipped;
//! REDRAFT_BROWSER=required makes them fail. Pages and pictures stay in target/tmp/html, to be looked at.

#[path = "html/browser.rs"]
mod browser;
#[path = "html/hostile.rs"]
mod hostile;
#[path = "html/reports.rs"]
mod reports;
#[path = "html/tags.rs"]
mod tags;

use std::path::PathBuf;
use std::time::Instant;

use browser::{Browser, needed};
use hostile::Texts;
use reports::Runs;
use serde_json::{Value, json};

/// Writes a page and gives its address.
fn page(name: &str, html: &str) -> String {
    let path = folder().join(name);
    std::fs::write(&path, html).unwrap();
    format!("file://{}", path.display())
}

fn folder() -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("html");
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// Nothing went wrong, and nothing but the file itself was asked for.
fn is_quiet(browser: &Browser, url: &str) {
    assert_eq!(browser.complaints(), Vec::<String>::new(), "{url}");
    let file = url.split('#').next().unwrap();
    let foreign: Vec<String> = browser.requests().into_iter().filter(|request| request != file && !request.starts_with("data:")).collect();
    assert_eq!(foreign, Vec::<String>::new(), "{url}");
}

fn pair(runs: Runs) -> String {
    reports::compared("payments/sim-prose", "payments/sim-structured", runs)
}

fn small_pair() -> String {
    reports::compared("payments-qwen-1.5b/findings-batched", "payments-qwen-1.5b/findings-serial", Runs::All)
}

/// Ids of the rows of the ticket table that are seen, in order.
const ROWS: &str = "[...document.querySelectorAll('#ticket-table tbody tr')].filter(r => !r.hidden).map(r => r.cells[0].textContent)";

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn everything_is_there_without_scripts() {
    let Some(mut browser) = Browser::start() else { return };
    let url = page("no-scripts.html", &small_pair());
    browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    browser.open(&format!("{url}#t=fe-001&p=2"));
    is_quiet(&browser, &url);
    let rows = browser.eval(ROWS);
    assert_eq!(texts(&rows).len(), 14);
    let shown = browser.eval("[document.getElementById('filter').hidden, document.querySelectorAll('th button').length]");
    assert_eq!(shown, json!([true, 0]), "nothing is offered that does not work");
    let open = "[...document.querySelectorAll('details.run[open]')].map(d => d.dataset.t)";
    assert_eq!(browser.eval(open), json!(["fe-001"]), "a link opens the run it leads to");
    let top = "document.getElementById('t=fe-001&p=2').getBoundingClientRect().top";
    assert!(browser.eval(top).as_f64().is_some_and(|top| (-5.0..400.0).contains(&top)), "and shows the pass");
    let text = browser.eval("document.body.innerText");
    for part in [
        "INCONCLUSIVE",
        "What changed",
        "Where findings go",
        "re-raised",
        "Why runs ended",
        "No pass is shown to gain",
        "Every ticket at the end of its run",
    ] {
        assert!(text.as_str().is_some_and(|text| text.contains(part)), "{part}");
    }
    let dark = "document.getElementById('theme-dark').checked = true; getComputedStyle(document.body).backgroundColor";
    assert_eq!(browser.eval(dark), "rgb(21, 24, 29)", "colours are chosen without scripts too");
}

#[test]
fn tickets_are_filtered_sorted_and_linked() {
    let Some(mut browser) = Browser::start() else { return };
    let url = page("scripts.html", &small_pair());
    browser.open(&url);
    let order = browser.eval(ROWS);
    let filtered = browser.eval(&format!(
        "const text = document.getElementById('filter-text'); text.value = 'FE-'; text.dispatchEvent(new Event('input')); \
         [{ROWS}, document.getElementById('filter-count').textContent, \
          [...document.querySelectorAll('details.run')].filter(d => !d.hidden).map(d => d.dataset.t).sort()]"
    ));
    assert_eq!(filtered, json!([["fe-001", "fe-002"], "2 of 14", ["fe-001", "fe-002"]]));
    let by_kind = browser.eval(&format!(
        "text.value = ''; const kind = document.getElementById('filter-kind'); kind.value = 'worse'; kind.dispatchEvent(new Event('change')); {ROWS}"
    ));
    let worse = browser.eval("[...document.querySelectorAll('#ticket-table tbody tr[data-kind=worse]')].map(r => r.cells[0].textContent)");
    assert_eq!(by_kind, worse);
    assert!((1..14).contains(&texts(&worse).len()));

    // A link to what a filter hides takes the filter away.
    let hidden = texts(&order).into_iter().find(|ticket| !texts(&worse).contains(ticket)).unwrap().to_owned();
    browser.eval(&format!("location.hash = 't={hidden}&p=1'"));
    browser.eval("new Promise(requestAnimationFrame)");
    assert_eq!(texts(&browser.eval(ROWS)).len(), 14);
    let at = browser.eval("[document.activeElement.id, document.activeElement.closest('details').open]");
    assert_eq!(at, json!([format!("t={hidden}&p=1"), true]));
    // A pass that is not there leads to its ticket; a ticket that is not there is told.
    browser.eval("location.hash = 't=fe-002&p=99'");
    browser.eval("new Promise(requestAnimationFrame)");
    assert_eq!(browser.eval("document.activeElement.closest('details').dataset.t"), "fe-002");
    browser.eval("location.hash = 't=nobody'");
    browser.eval("new Promise(requestAnimationFrame)");
    assert_eq!(browser.eval("document.getElementById('not-shown').checkVisibility()"), true);

    // Every head sorts its own column, both ways, and what cannot be seen comes last.
    let sorted = browser.eval(
        "const heads = [...document.querySelectorAll('th[data-sort]')], wrong = []; \
         const body = document.querySelector('#ticket-table tbody'); \
         heads.forEach((head, at) => { for (const way of ['ascending', 'descending']) { \
           head.querySelector('button').click(); \
           if (head.getAttribute('aria-sort') !== way) wrong.push([at, way]); \
           if (document.querySelectorAll('[aria-sort]').length !== 1) wrong.push([at, 'alone']); \
           const cells = [...body.rows].map(row => row.cells[at]); \
           const values = cells.map(c => head.dataset.sort === 'text' ? c.textContent : c.textContent === 'n/a' ? null : Number(c.dataset.v ?? c.textContent)); \
           const seen = values.filter(v => v !== null); \
           if (values.slice(0, seen.length).includes(null)) wrong.push([at, way, 'unseen first']); \
           if (seen.some(v => typeof v === 'number' && isNaN(v))) wrong.push([at, 'no number']); \
           const sign = way === 'ascending' ? 1 : -1; \
           for (let i = 1; i < seen.length; i++) { \
             const order = head.dataset.sort === 'text' ? seen[i - 1].localeCompare(seen[i], 'en', { numeric: true }) : seen[i - 1] - seen[i]; \
             if (sign * order > 0) wrong.push([at, way, i]); } } }); \
         [heads.length, body.rows[0].cells.length, wrong]",
    );
    assert_eq!(sorted[0], sorted[1], "one head a column");
    assert_eq!(sorted[2], json!([]));
    assert!(sorted[0].as_u64().is_some_and(|heads| heads > 10));
    is_quiet(&browser, &url);
}

#[test]
fn the_keyboard_is_enough() {
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&page("keyboard.html", &small_pair()));
    browser.key("Tab");
    let first = browser.eval("[document.activeElement.className, document.activeElement.getBoundingClientRect().left >= 0]");
    assert_eq!(first, json!(["skip", true]), "the first key shows a way past the head");
    browser.key("Enter");
    browser.eval("new Promise(requestAnimationFrame)");
    let reached = |browser: &mut Browser, what: &str, wanted: &str| {
        for _ in 0..120 {
            if browser.eval(what) == wanted {
                return;
            }
            browser.key("Tab");
        }
        panic!("{wanted} is not reached by Tab");
    };
    reached(&mut browser, "document.activeElement.id", "filter-text");
    let outline = browser.eval("getComputedStyle(document.activeElement).outlineStyle");
    assert_eq!(outline, "solid", "what has the focus is seen to have it");
    browser.type_text("cb-");
    assert_eq!(browser.eval(ROWS), json!(["cb-001", "cb-002"]));
    reached(&mut browser, "document.activeElement.closest('th')?.dataset.sort ?? ''", "text");
    browser.key("Enter");
    browser.key("Enter");
    assert_eq!(browser.eval(ROWS), json!(["cb-002", "cb-001"]), "Enter sorts, and sorts the other way");
    reached(&mut browser, "document.activeElement.localName + document.activeElement.textContent", "acb-002");
    browser.key("Enter");
    browser.eval("new Promise(requestAnimationFrame)");
    assert_eq!(browser.eval("document.activeElement.closest('details')?.open ?? false"), true, "a link to a run opens it");
}

/// Texts of others as they would be markup, script or addresses.
fn hostile_texts() -> Vec<Texts> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases/inputs/H01-html-escape/findings.json");
    let case: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let own = json!({
        "ticket": "a&p=1\"><a href=javascript:alert(7)>x</a> %3Cb%3E &amp; \u{5d0}",
        "defect": "</summary></details><style>*{display:none}</style>",
        "location": "<!--</mark><iframe src=https://example.org></iframe>]]>",
        "severity": "'\"><link rel=stylesheet href=//example.org/x.css>",
        "detail": "line one\nline two\ttab </textarea></title><meta http-equiv=refresh content=0> \u{1f600} e\u{301}",
        "fix": "{{constructor.constructor('alert(8)')()}} ${alert(9)} <base href=//example.org/>",
        "source_id": "data:text/html,<script>alert(10)</script>"
    });
    case["findings"].as_array().unwrap().iter().chain([&own]).map(Texts::read).collect()
}

/// What the page is made of: how often each element occurs, attributes that run something, and where links lead.
const MADE_OF: &str = "(() => { const all = [...document.querySelectorAll('*')], count = {}; \
    for (const one of all) count[one.localName] = (count[one.localName] ?? 0) + 1; \
    const on = all.flatMap(one => [...one.attributes]).filter(a => a.name.startsWith('on') || a.name === 'style').map(a => a.name); \
    const links = [...document.querySelectorAll('[href], [src], [action]')].map(one => one.getAttribute('href') ?? one.outerHTML); \
    return { count, on, links: links.filter(link => !link.startsWith('#')), data: document.querySelectorAll('script[type]').length }; })()";

#[test]
fn hostile_text_stays_text() {
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&page("benign.html", &hostile::page(&Texts::benign())));
    let wanted = browser.eval(MADE_OF);
    assert_eq!([&wanted["on"], &wanted["links"], &wanted["data"]], [&json!([]), &json!([]), &json!(0)]);
    assert_eq!(wanted["count"]["script"], 1);
    for (at, texts) in hostile_texts().iter().enumerate() {
        let html = hostile::page(texts);
        assert!(!html.contains("&amp;amp;amp;") && !html.contains("&amp;lt;"), "escaped twice");
        let url = page(&format!("hostile-{at}.html"), &html);
        browser.open(&url);
        is_quiet(&browser, &url);
        assert_eq!(browser.eval(MADE_OF), wanted, "no element, handler or link comes of data");
        let field = |selector: &str| format!("[...document.querySelectorAll({})].map(one => one.textContent)", json!(selector));
        for (selector, text) in [
            ("h1 bdi", &texts.ticket),
            ("#ticket-table tbody th", &texts.ticket),
            (".run summary bdi", &texts.ticket),
            (".findings b", &texts.label),
            (".findings .chip:first-of-type", &texts.severity),
            (".findings dd", &texts.quote),
            (".findings dd", &texts.source),
            (".findings dd", &texts.detail),
            (".findings dd", &texts.fix),
            (".asked .text", &texts.fix),
            ("ins.out", &texts.fix),
        ] {
            let seen = browser.eval(&field(selector));
            assert!(self::texts(&seen).contains(&text.as_str()), "{selector}: {text:?} is not among {seen}");
        }
        let marked = browser.eval("[...document.querySelectorAll('section mark')].map(m => m.lastChild.data)");
        assert!(self::texts(&marked).contains(&texts.quote.as_str()), "{marked}");
        let hint = browser.eval("[...document.querySelectorAll('section mark[title]')].map(m => m.title).join()");
        assert!(hint.as_str().is_some_and(|hint| hint.contains(&texts.label) && hint.contains(&texts.severity)), "{hint}");
        // The link of the table leads to the run, whatever the ticket is called.
        browser.eval("document.querySelector('#ticket-table tbody a').click()");
        browser.eval("new Promise(requestAnimationFrame)");
        assert_eq!(browser.eval("document.activeElement.closest('details')?.open ?? false"), true, "{}", texts.ticket);
    }
}

#[test]
fn a_page_is_well_formed_whatever_is_in_it() {
    let made = |html: &str| -> Vec<String> {
        let elements = tags::elements(html).unwrap_or_else(|e| panic!("{e}"));
        let mut ids: Vec<&String> = elements.iter().filter_map(|element| element.attributes.get("id")).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "an id names one element");
        assert!(elements.iter().all(|element| !element.attributes.contains_key("style")), "the policy forbids styles in place");
        let names = |element: &tags::Element| element.attributes.keys().map(String::as_str).collect::<Vec<_>>().join(" ");
        elements.iter().map(|element| format!("{} {}", element.name, names(element))).collect()
    };
    let benign = made(&hostile::page(&Texts::benign()));
    for texts in hostile_texts() {
        let page = hostile::page(&texts);
        assert_eq!(made(&page), benign);
        let elements = tags::elements(&page).unwrap();
        for text in texts.all() {
            assert!(elements.iter().any(|element| element.text == text), "{text:?} is not shown");
        }
    }
    for html in [small_pair(), reports::alone("payments-qwen-1.5b/prose-whole"), reports::alone("payments-qwen-0.5b/reflection")] {
        assert!(made(&html).len() > 500);
        let elements = tags::elements(&html).unwrap();
        let targets = elements.iter().flat_map(|e| ["href", "src", "action"].map(|key| e.attributes.get(key))).flatten();
        assert!(targets.into_iter().all(|target| target.starts_with('#')), "every link stays in the page");
        assert!(elements.iter().flat_map(|e| e.attributes.values()).all(|value| !value.contains("NaN")));
    }
    assert_eq!(small_pair(), small_pair(), "the same report is the same page");
}

#[test]
fn text_that_steers_is_shown_as_escapes() {
    let mut texts = hostile_texts().remove(0);
    texts.ticket = "T\u{1b}[31m\u{202e}gnp\u{0}".into();
    let html = hostile::page(&texts);
    assert!(html.contains("T\\u{1b}[31m\\u{202e}gnp\\u{0}"));
    assert!(!html.chars().any(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202a}'..='\u{202e}')));
}

#[test]
fn axe_finds_nothing_serious() {
    let Some(mut browser) = Browser::start() else { return };
    let given = std::env::var_os("REDRAFT_AXE").map(PathBuf::from);
    let Some(axe) = needed(given, "axe-core", "name its axe.min.js in REDRAFT_AXE") else { return };
    let axe = std::fs::read_to_string(&axe).unwrap_or_else(|e| panic!("{}: {e}", axe.display()));
    for (name, html) in [
        ("axe-pair.html", small_pair()),
        ("axe-alone.html", reports::alone("payments-qwen-1.5b/prose-whole")),
        ("axe-hostile.html", hostile::page(&hostile_texts()[0])),
    ] {
        let url = page(name, &html);
        for (width, scheme) in [(1280, "light"), (1280, "dark"), (400, "light")] {
            browser.look(width, scheme);
            browser.open(&url);
            // A few runs hold every kind of element; all of them would take minutes.
            browser.eval("document.querySelectorAll('details:not(.run), details.run:nth-of-type(-n+3)').forEach(d => d.open = true)");
            browser.eval(&format!("{axe}; 0"));
            let found = browser.eval(
                "axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations.map(v => \
                 ({ id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.length, first: v.nodes[0].html.slice(0, 300) })))",
            );
            let all = found.as_array().unwrap();
            println!("{name} {width} {scheme}: {} violations of any kind", all.len());
            let serious: Vec<&Value> = all.iter().filter(|v| v["impact"] != "minor" && v["impact"] != "moderate").collect();
            assert!(serious.is_empty(), "{name} {width} {scheme}: {serious:#?}");
            all.iter().for_each(|v| println!("  {v}"));
        }
    }
}

#[test]
fn nothing_is_wider_than_a_telephone() {
    let Some(mut browser) = Browser::start() else { return };
    for (name, html) in [("narrow-pair.html", small_pair()), ("narrow-hostile.html", hostile::page(&hostile_texts()[1]))] {
        browser.look(400, "light");
        browser.open(&page(name, &html));
        browser.eval("document.querySelectorAll('details').forEach(d => d.open = true)");
        let beyond = browser.eval(
            "[...document.querySelectorAll('main *, header *')].filter(one => !one.closest('.wide') && one.getBoundingClientRect().right > 400.5) \
             .slice(0, 5).map(one => one.outerHTML.slice(0, 200))",
        );
        assert_eq!(beyond, json!([]), "{name}");
        assert_eq!(browser.eval("[document.documentElement.scrollWidth, innerWidth]"), json!([400, 400]), "{name}");
    }
}

#[test]
fn the_reason_of_a_verdict_is_read_without_scrolling() {
    let Some(mut browser) = Browser::start() else { return };
    let url = page("why.html", &small_pair());
    for width in [420, 800, 1300] {
        browser.look(width, "light");
        browser.open(&url);
        let seen = browser.eval(
            "[...document.querySelectorAll('#verdict .why > div')].map(why => { const at = why.getBoundingClientRect(); \
             return why.textContent.length > 40 && at.left >= 0 && at.right <= innerWidth && at.width > Math.min(innerWidth * 0.7, 380); })",
        );
        assert_eq!(seen, json!([true, true, true]), "at {width} pixels");
    }
    // On paper nothing scrolls: what is wider than the page is lost.
    browser.look(720, "light");
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    let cut = "[...document.querySelectorAll('#verdict *')].filter(one => one.getBoundingClientRect().right > innerWidth).length";
    assert_eq!(browser.eval(cut), 0);
}

#[test]
fn three_hundred_tickets_in_two_arms_load_and_filter() {
    let Some(mut browser) = Browser::start() else { return };
    let html = pair(Runs::All);
    let url = page("big.html", &html);
    browser.open("about:blank");
    let (started, seconds) = (Instant::now(), browser.seconds());
    browser.open(&url);
    let (waited, seconds) = (started.elapsed(), browser.seconds() - seconds);
    let told = browser.eval("const t = performance.getEntriesByType('navigation')[0]; [t.domContentLoadedEventEnd, t.loadEventEnd]");
    let filter = |text: &str| {
        format!(
            "(() => {{ const start = performance.now(); const box = document.getElementById('filter-text'); box.value = {}; \
             box.dispatchEvent(new Event('input')); document.body.offsetHeight; return [performance.now() - start, {ROWS}.length]; }})()",
            json!(text)
        )
    };
    let (narrowed, whole) = (browser.eval(&filter("pay-001")), browser.eval(&filter("")));
    let elements = browser.eval("document.querySelectorAll('*').length");
    println!(
        "{} kB, {elements} elements: loaded after {waited:?} and {seconds:.2} processor seconds (content, load: {told} ms); filtered in {} ms, back in {} ms",
        html.len() / 1000,
        narrowed[0],
        whole[0]
    );
    assert_eq!([&narrowed[1], &whole[1]], [&json!(10), &json!(300)]);
    assert_eq!(browser.eval("document.querySelectorAll('details.run').length"), 300);
    is_quiet(&browser, &url);
}

/// Pictures for people: `cargo test --test html pictures -- --ignored`, then look into target/tmp/html.
#[test]
#[ignore = "makes pictures to be looked at"]
fn pictures() {
    const SLICE: f64 = 1600.0;
    let mut browser = Browser::start().expect("a browser");
    for (name, html) in [
        ("pair", pair(Runs::Notable)),
        ("qwen", small_pair()),
        ("alone", reports::alone("payments-qwen-1.5b/findings-batched")),
        ("hostile", hostile::page(&hostile_texts()[0])),
    ] {
        let url = page(&format!("{name}.html"), &html);
        for (look, width, scheme) in [("light", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 400, "light")] {
            browser.look(width, scheme);
            browser.open(&url);
            browser.eval("document.querySelectorAll('details.run').forEach((d, i) => d.open = i < 1)");
            let height = browser.eval("document.documentElement.scrollHeight").as_f64().unwrap();
            let runs = browser.eval("document.getElementById('runs').getBoundingClientRect().top + scrollY").as_f64().unwrap();
            for (part, from, slices) in [("top", 0.0, 6), ("runs", runs, 3)] {
                for slice in 0..slices {
                    let top = from + SLICE * f64::from(slice);
                    if top < height {
                        browser.picture(&folder().join(format!("{name}-{look}-{part}-{slice}.png")), top, SLICE.min(height - top));
                    }
                }
            }
        }
    }
}
