"""The second yardstick of docs/performance.md: what a competent Python script with rapidfuzz takes for the main job of `redraft replay`.

    yardstick.py ARM...      prints one JSON object: per arm the totals and the figures per pass

It reads the same loop.toml, tickets.jsonl and calls.jsonl, walks every run as the loop does, and computes the same measurements per pass:
critiques read, quotations anchored, sections aligned, change, checks, findings over passes, calls and tokens, shares with Wilson intervals.

It does less than redraft: no prompt is rendered and no request key compared, unreadable JSON is not repaired, Markdown is not looked at, negations
are not guarded, values in checks are read by three patterns, and nothing is written. Where it cuts a corner, the corner makes it faster.
orjson is used where it is installed.
"""

import re
import statistics
import sys
import tomllib
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from functools import lru_cache
from pathlib import Path

from rapidfuzz.distance import Indel, Levenshtein
from rapidfuzz.fuzz import partial_ratio_alignment

try:
    from orjson import dumps, loads

    JSON = "orjson"
except ImportError:
    from json import dumps as _dumps, loads

    JSON = "json"

    def dumps(value):
        return _dumps(value, ensure_ascii=False).encode()


FOLDED = str.maketrans(
    {c: "'" for c in "\u2018\u2019\u201a\u201b\u2032"}
    | {c: '"' for c in "\u201c\u201d\u201e\u201f\u2033"}
    | {c: "-" for c in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"}
    | {c: None for c in "\u200b\u2060\ufeff\u00ad\u200e\u200f"}
    | {"\u2026": "..."}
)
BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
QUOTED = re.compile(r'(?<![\w.!?])"(?=\S)([^"]+?)"|“([^”]+)”|„([^“”]+)[“”]|(?<!\w)\'(?=\S)([^\n]+?)\'(?!\w)')
DIGITS = re.compile(r"\d+")
WORD = re.compile(r"\w+(?:['’]\w+)*")
MONEY = re.compile(r"([$€£])\s?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s?(USD|EUR|GBP)\b|\b(USD|EUR|GBP)\s?(\d[\d,]*(?:\.\d+)?)")
SYMBOL = {"$": "USD", "€": "EUR", "£": "GBP"}
MONTHS = "January February March April May June July August September October November December".split()
MONTH = {name: n for n, name in enumerate(MONTHS, 1)} | {name[:3]: n for n, name in enumerate(MONTHS, 1)}
NAMES = "|".join(MONTH)
DATE = re.compile(rf"(\d{{4}})-(\d\d)-(\d\d)|(\d{{1,2}})(?:st|nd|rd|th)? ({NAMES})\b(?:,? (\d{{4}}))?|({NAMES}) (\d{{1,2}})\b(?:,? (\d{{4}}))?")
NUMBER = re.compile(r"(?<![\w.,$€£#-])(\d[\d,]*(?:\.\d+)?)(%?)(?![\w-])")
FUZZY_CUTOFF = 80


def normal(text):
    return unicodedata.normalize("NFC", " ".join(text.translate(FOLDED).split()))


# --- drafts


class Draft:
    """A draft with what several measurements need of it, worked out once."""

    def __init__(self, text):
        self.text = text
        self.sections = [s for s in BLANK_LINE.split(text.strip()) if s]
        self.normals = [normal(s) for s in self.sections]
        self.normal = " ".join(self.normals)
        self.starts, at = [], 0
        for section in self.normals:
            self.starts.append(at)
            at += len(section) + 1
        self.ids = list(range(len(self.sections)))
        self._bags = self._held = None

    @property
    def bags(self):
        if self._bags is None:
            self._bags = [Counter(WORD.findall(s.lower())) for s in self.normals]
        return self._bags

    def section_at(self, offset):
        return max(bisect_right(self.starts, offset) - 1, 0)

    def held(self, checks):
        if self._held is None:
            self._held = judge(self.normal, self.text, checks)
        return self._held


def dice(a, b):
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 0.0


def align(before, after):
    """Partner of each section of `before` in `after`: equal ones first, then by words, in order."""
    partner, free = {}, defaultdict(list)
    for j, text in enumerate(after.sections):
        free[text].append(j)
    for i, text in enumerate(before.sections):
        if free[text]:
            partner[i] = free[text].pop(0)
    taken = set(partner.values())
    rows = [i for i in range(len(before.sections)) if i not in partner]
    columns = [j for j in range(len(after.sections)) if j not in taken]
    if not rows or not columns:
        return partner
    best = [[0.0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    same = [[dice(before.bags[i], after.bags[j]) for j in columns] for i in rows]
    for r in range(len(rows) - 1, -1, -1):
        for c in range(len(columns) - 1, -1, -1):
            here = same[r][c] + best[r + 1][c + 1] if same[r][c] >= 0.4 else 0.0
            best[r][c] = max(here, best[r + 1][c], best[r][c + 1])
    r = c = 0
    while r < len(rows) and c < len(columns):
        if same[r][c] >= 0.4 and best[r][c] == same[r][c] + best[r + 1][c + 1]:
            partner[rows[r]] = columns[c]
            r, c = r + 1, c + 1
        elif best[r][c] == best[r + 1][c]:
            r += 1
        else:
            c += 1
    return partner


# --- checks


@lru_cache(maxsize=None)
def compiled(pattern):
    return re.compile(pattern)


def plain(number):
    return float(number.replace(",", ""))


def moneys(text):
    return {(SYMBOL[m[1]], plain(m[2])) if m[1] else (m[4], plain(m[3])) if m[3] else (m[5], plain(m[6])) for m in MONEY.finditer(text)}


def dates(text):
    out = set()
    for m in DATE.finditer(text):
        if m[1]:
            out.add((int(m[1]), int(m[2]), int(m[3])))
        elif m[4]:
            out.add((int(m[6]) if m[6] else None, MONTH[m[5]], int(m[4])))
        else:
            out.add((int(m[9]) if m[9] else None, MONTH[m[7]], int(m[8])))
    return out


def numbers(text):
    return {(plain(m[1].rstrip(",")), m[2]) for m in NUMBER.finditer(text)}


@lru_cache(maxsize=None)
def wanted(rule, value):
    return next(iter({"money": moneys, "date": dates, "number": numbers}[rule](value)), None)


def judge(folded, text, checks):
    read = {}
    held = []
    for check in checks:
        rule, value = check["rule"], check["value"]
        match rule:
            case "contains":
                held.append(normal(value) in folded)
            case "absent":
                held.append(normal(value) not in folded)
            case "regex":
                held.append(compiled(value).search(text) is not None)
            case "money" | "date" | "number":
                if rule not in read:
                    read[rule] = {"money": moneys, "date": dates, "number": numbers}[rule](folded)
                want = wanted(rule, value)
                found = read[rule]
                held.append(want in found or (rule == "date" and (None, *want[1:]) in found))
            case "max_words":
                held.append(len(WORD.findall(folded)) <= value)
            case "min_words":
                held.append(len(WORD.findall(folded)) >= value)
            case "max_chars":
                held.append(len(text) <= value)
    return held


# --- critiques


def anchor(quote, draft):
    """(tier, span in the normalised draft, occurrences), or (None, reason, 0)."""
    needle = normal(quote)
    if not needle:
        return None, "empty_location", 0
    for candidate in (needle, needle.strip("\"'`"), needle.rstrip(".,;:!?\"'")):
        at = draft.normal.find(candidate) if candidate else -1
        if at >= 0:
            exact = candidate is needle and quote in draft.text
            return ("exact" if exact else "normalised"), (at, at + len(candidate)), draft.normal.count(candidate)
    needle = needle.strip(" .")
    if "..." in needle:
        return None, "elided_quote", 0
    if len(needle) < 12 or needle.count(" ") < 2:
        return None, "not_found", 0
    found = partial_ratio_alignment(needle, draft.normal, score_cutoff=FUZZY_CUTOFF)
    if found is None:
        return None, "not_found", 0
    start, end = found.dest_start, found.dest_end
    start = draft.normal.rfind(" ", 0, start + 1) + 1
    end = draft.normal.find(" ", end - 1) if " " in draft.normal[end - 1 :] else len(draft.normal)
    if DIGITS.findall(needle) != DIGITS.findall(draft.normal[start:end]):
        return None, "digits_differ", 0
    return "fuzzy", (start, end), 1


def read_critique(text, stop, spec, draft):
    """(status, findings); a finding is (label, tier, span or reason, occurrences)."""
    if text.strip() == spec["approve"]:
        return "approved", []
    if spec["format"] == "prose":
        quotes = (next(filter(None, m.groups())) for m in QUOTED.finditer(text))
        return "ok", [("", *anchor(q.strip(), draft)) for q in quotes]
    if stop == "length":
        return "parse_error", None
    try:
        listed = loads(text)["findings"]
    except (ValueError, KeyError, TypeError):
        return "parse_error", None
    if not listed:
        return "approved", []
    findings = []
    ranks = {name: rank for rank, name in enumerate(spec["severities"])}
    if ranks:
        # The reviser is given the gravest first.
        listed.sort(key=lambda item: ranks.get(str(item.get("severity", "")).lower(), len(ranks)))
    for item in listed:
        label = str(item.get("defect", "")).strip().lower().replace(" ", "_").replace("-", "_")
        if ranks and str(item.get("severity", "")).lower() not in ranks:
            findings.append((label, None, "unknown_severity", 0))
        else:
            findings.append((label, *anchor(item.get("location") or "", draft)))
    return "ok", findings


def stays_inside(before, words, after):
    """True where only the quoted words differ: what stands before and behind them is kept."""
    start = before.find(words)
    if start < 0:
        return False
    head, tail = before[:start], before[start + len(words) :]
    return len(after) >= len(head) + len(tail) and after.startswith(head) and after.endswith(tail)


# --- runs


def walk(ticket, calls, spec):
    """One row of measurements a pass."""
    rows, critiques = [], []
    draft = None
    drafts = []
    fresh = 0
    for k in range(spec["max_passes"] + 2):
        of_pass = calls.get(k)
        if not of_pass:
            break
        row = {"pass": k, "calls": len(of_pass)}
        row["tokens_in"] = sum(c["usage"]["prompt_tokens"] for c in of_pass)
        row["tokens_out"] = sum(c["usage"]["completion_tokens"] for c in of_pass)
        rows.append(row)
        before, findings, edits, revised = draft, [], [], False
        if k == 0:
            draft = Draft(of_pass[0]["text"])
            fresh = len(draft.sections)
        else:
            critic = of_pass[0]
            row["status"], findings = read_critique(critic["text"], critic["stop"], spec, before)
            critiques.append((k, before, findings, edits))
            if findings is not None and spec["format"] != "prose":
                count(row, findings)
            if row["status"] == "approved":
                break
            text = before.text
            for reviser in of_pass[1:]:
                revised = row["status"] == "ok"
                made, status = reviser["text"], None
                if spec["strategy"] == "serial":
                    try:
                        answer = loads(made)
                    except ValueError:
                        answer = {"status": "not_found"}
                    status = answer.get("status")
                    made = answer.get("draft") if status == "applied" else None
                edits.append((status, text, made))
                if made and made.strip():
                    text = made
            if k > spec["max_passes"]:
                break
            draft = before if text == before.text else Draft(text)
        drafts.append(draft)
        measure(row, before, draft, drafts, findings, edits, revised, ticket["checks"])
        if before is not None and draft is not before:
            fresh = identify(before, draft, row.pop("partner"), fresh)
    fates(critiques, rows, spec)
    return rows


def count(row, findings):
    tiers = Counter(f[1] for f in findings)
    row["emitted"] = len(findings)
    row["dropped"] = tiers.pop(None, 0)
    row |= {f"anchored_{tier}": n for tier, n in tiers.items()}
    row["reasons"] = Counter(f[2] for f in findings if f[1] is None)
    row["ambiguous"] = sum(f[3] > 1 for f in findings)


def measure(row, before, draft, drafts, findings, edits, revised, checks):
    held = draft.held(checks)
    row["correct"] = all(h for h, c in zip(held, checks) if c.get("required", True)) if checks else None
    row["sections"] = len(draft.sections)
    original = drafts[0]
    if before is None:
        return
    changed = draft is not before
    row["no_change"] = not changed
    row["revisited"] = changed and any(d.text == draft.text for d in drafts[:-1])
    row["partner"] = partner = align(before, draft) if changed else {}
    size = max(len(original.text), 1)
    row["preservation_original"] = max(0, size - Levenshtein.distance(original.text, draft.text)) / size
    row["length_ratio_original"] = len(draft.text) / size
    if not revised:
        return
    spans = sorted(f[2] for f in findings if f[1])
    mentioned = {s for a, b in spans for s in range(before.section_at(a), before.section_at(max(b - 1, a)) + 1)}
    row["scope"] = sum(b - a for a, b in spans)
    ops = Indel.distance(before.text, draft.text) if changed else 0
    row["chars_changed"] = ops
    row["chars_deleted"] = (ops + len(before.text) - len(draft.text)) // 2
    row["preservation_previous"] = 1 - (Levenshtein.distance(before.text, draft.text) if changed else 0) / max(len(before.text), 1)
    untouched = outside = 0
    if changed:
        for i, text in enumerate(before.sections):
            if i not in mentioned:
                j = partner.get(i)
                after = draft.sections[j] if j is not None else ""
                if after != text:
                    untouched += 1
                    outside += Indel.distance(text, after)
        if not mentioned:
            untouched += len(draft.sections) - len(set(partner.values()))
    row["untouched_section_edit"] = untouched > 0
    row["chars_outside"] = outside
    earlier = before.held(checks)
    row["new_errors"] = sum(a and not b for a, b in zip(earlier, held))
    row["fixed"] = sum(b and not a for a, b in zip(earlier, held))
    if edits and edits[0][0] is not None:
        answered = [(f, e) for f, e in zip((f for f in findings if f[1]), edits) if e[2]]
        row["answers"] = len(answered)
        row["local"] = sum(stays_inside(normal(e[1]), before.normal[slice(*f[2])], normal(e[2])) for f, e in answered)


def identify(before, after, partner, fresh):
    after.ids = [None] * len(after.sections)
    for i, j in partner.items():
        after.ids[j] = before.ids[i]
    for j, known in enumerate(after.ids):
        if known is None:
            after.ids[j], fresh = fresh, fresh + 1
    return fresh


def fates(critiques, rows, spec):
    """What became of each anchored finding, once the next critic was read: same label in the same section is the same complaint."""
    if spec["format"] == "prose":
        return

    def keys(draft, findings):
        return [(f[0], draft.ids[draft.section_at(f[2][0])]) if f[1] and draft.ids else None for f in findings]

    for (k, draft, findings, edits), following in zip(critiques, critiques[1:]):
        if findings is None or following[2] is None:
            continue
        own, again = keys(draft, findings), set(keys(following[1], following[2]))
        statuses = [e[0] == "applied" for e in edits] if edits and edits[0][0] is not None else None
        done, at = set(), 0
        for finding, key in zip(findings, own):
            if key is None:
                continue
            if statuses is not None:
                applied, at = at < len(statuses) and statuses[at], at + 1
            else:
                start, end = finding[2]
                applied = draft.normal[start:end] not in following[1].normal
            if applied:
                done.add(key)
        names = {(True, False): "resolved", (True, True): "reraised", (False, False): "vanished", (False, True): "persisted"}
        row = next(r for r in rows if r["pass"] == k)
        row["fates"] = Counter(names[key in done, key in again] for key in own if key is not None)


# --- summary


def wilson(yes, n, z=1.959963984540054):
    if n == 0:
        return None
    p, zz = yes / n, z * z
    centre, half = (p + zz / (2 * n)) / (1 + zz / n), z * (p * (1 - p) / n + zz / (4 * n * n)) ** 0.5 / (1 + zz / n)
    return [max(0.0, centre - half), min(1.0, centre + half)]


SHARES = ["no_change", "revisited", "untouched_section_edit", "correct"]
MEDIANS = ["chars_changed", "chars_deleted", "chars_outside", "scope", "preservation_previous", "preservation_original", "length_ratio_original"]
SUMS = ["calls", "tokens_in", "tokens_out", "emitted", "anchored_exact", "anchored_normalised", "anchored_fuzzy", "ambiguous", "dropped"]
SUMS += ["new_errors", "fixed", "answers", "local"]


def summarise(runs):
    by_pass = defaultdict(list)
    for rows in runs:
        for row in rows:
            by_pass[row["pass"]].append(row)
    passes, totals = [], Counter()
    for k, rows in sorted(by_pass.items()):
        out = {"pass": k, "n": len(rows), "status": Counter(r.get("status") for r in rows if "status" in r)}
        for name in SHARES:
            values = [r[name] for r in rows if r.get(name) is not None]
            yes = sum(values)
            out[name] = {"num": yes, "den": len(values), "interval": wilson(yes, len(values))}
        for name in MEDIANS:
            values = [r[name] for r in rows if name in r]
            out[name] = {"n": len(values), "median": statistics.median(values) if values else None}
        for name in SUMS:
            out[name] = sum(r.get(name, 0) for r in rows)
            totals[name] += out[name]
        out["fates"] = sum((r["fates"] for r in rows if "fates" in r), Counter())
        out["reasons"] = sum((r["reasons"] for r in rows if "reasons" in r), Counter())
        passes.append(out)
    return {"tickets": len(runs), "totals": totals, "passes": passes}


def lines(path):
    with open(path, "rb") as file:
        for line in file:
            if line.strip():
                yield loads(line)


def arm(folder):
    raw = tomllib.loads((folder / "loop.toml").read_text())
    critic = raw["critic"]
    spec = {
        "format": critic["format"],
        "approve": critic.get("approve", "APPROVED"),
        "severities": [s.lower() for s in critic.get("severities", [])],
        "strategy": raw["reviser"]["strategy"],
        "max_passes": raw.get("bounds", {}).get("max_passes", 3),
    }
    trim = raw.get("trim", False)
    tapes = defaultdict(lambda: defaultdict(list))
    for line in lines(folder / "calls.jsonl"):
        slot, body = line["slot"], line["response"]["body"]
        choice = body["choices"][0]
        text = choice["message"]["content"] or ""
        call = {"text": text.strip() if trim else text, "stop": choice["finish_reason"], "usage": body["usage"]}
        tapes[slot["ticket"]][slot["pass"]].append(call)
    tickets = lines(folder / raw["dataset"] / "tickets.jsonl")
    return summarise([walk(t, tapes[t["id"]], spec) for t in tickets if t["id"] in tapes])


if __name__ == "__main__":
    result = {Path(name).name: arm(Path(name)) for name in sys.argv[1:]}
    sys.stdout.buffer.write(dumps({"json": JSON, "arms": result}) + b"\n")
