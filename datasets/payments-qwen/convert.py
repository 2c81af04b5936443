#!/usr/bin/env python3
"""Turns as-recorded.jsonl (the tickets in the form in which they were shown to the models) into tickets.jsonl (data set format, version 1).

    python3 convert.py            writes tickets.jsonl beside this file
    python3 convert.py --check    exits 1 unless tickets.jsonl is exactly what would be written

Nothing is left out or reworded: body -> prompt, category -> tag, a fact -> a check with its regular expression, its `required` flag
and its kind as class. What a prompt template needs besides (customer, merchant, subject, the facts as statements) goes into fields.
The standard library is enough; the same input gives the same bytes.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def check(fact):
    return {"id": fact["fact_id"], "rule": "regex", "value": fact["match"], "required": fact["required"], "class": fact["kind"]}


def statement(fact):
    return {"check": fact["fact_id"], "label": fact["label"], "value": fact["value"], "statement": fact["statement"]}


def ticket(row):
    return {
        "id": row["ticket_id"],
        "prompt": row["body"],
        "sources": [{"id": s["source_id"], "title": s["title"], "text": s["text"]} for s in row["sources"]],
        "checks": [check(fact) for fact in row["facts"]],
        "defects": [],
        "tags": [row["category"]],
        "fields": {
            "customer": row["customer"],
            "merchant": row["merchant"],
            "subject": row["subject"],
            "facts": [statement(fact) for fact in row["facts"]],
        },
    }


def main():
    rows = [json.loads(line) for line in (HERE / "as-recorded.jsonl").read_text(encoding="utf-8").splitlines()]
    data = "".join(json.dumps(ticket(row), ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows).encode("utf-8")
    target = HERE / "tickets.jsonl"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if target.exists() and target.read_bytes() == data else "tickets.jsonl is not what convert.py writes")
    target.write_bytes(data)


if __name__ == "__main__":
    main()
