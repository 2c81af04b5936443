"""Measures the yardsticks of docs/performance.md in one run. Called by scripts/speed, which builds what is measured.

    speed.py REDRAFT PARSE_ONLY [--runs N] [--big N] [--python PYTHON]

CPU seconds are user + system of the whole process, start-up included, the median of the runs; what is compared is run in turns, so that a busy
machine is busy for all of them. Memory is the peak of the resident set.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ARMS = ["recordings/payments/sim-prose", "recordings/payments/sim-structured"]


def measured(command):
    """CPU seconds, wall-clock seconds, peak memory in MB, and standard output of one process."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: exit code {process.returncode}")
        out.seek(0)
        return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, out.read()


def in_turns(commands, runs):
    """Medians of CPU, wall and memory per command, with the last output."""
    results = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            results[name].append(measured(command))
    medians = {}
    for name, rows in results.items():
        cpu, wall, memory, _ = zip(*rows)
        medians[name] = (statistics.median(cpu), statistics.median(wall), max(memory), rows[-1][3])
    return medians


def dataset(arm):
    folder = Path(arm)
    return folder / tomllib.loads((folder / "loop.toml").read_text())["dataset"] / "tickets.jsonl"


def verdict(value, goal, limit=None):
    if value <= goal:
        return "met"
    return "missed" if limit is None or value > limit else "within the limit"


def compare(redraft, yardstick):
    """What both counted of the same files, side by side, where the two define it alike."""
    rows = []
    for arm in redraft["arms"]:
        other = yardstick["arms"][arm["arm"]]
        rows.append((arm["arm"], "calls", arm["calls"]["calls"], other["totals"]["calls"]))
        rows.append((arm["arm"], "tokens out", arm["calls"]["tokens_out"], other["totals"]["tokens_out"]))
        if arm["anchoring"]["emitted"]:
            rows.append((arm["arm"], "findings emitted", arm["anchoring"]["emitted"], other["totals"]["emitted"]))
            for tier in ["exact", "normalised", "fuzzy"]:
                rows.append((arm["arm"], f"anchored {tier}", arm["anchoring"][tier], other["totals"][f"anchored_{tier}"]))
            rows.append((arm["arm"], "dropped", arm["anchoring"]["dropped"], other["totals"]["dropped"]))
        figures = {f["name"]: f["running"] for f in arm["figures"]}
        for k in range(1, 4):
            theirs = other["passes"][k]
            rows.append((arm["arm"], f"chars changed, median, pass {k}", figures["chars_changed"][k]["value"], theirs["chars_changed"]["median"]))
            shares = {name: (theirs[name]["num"], theirs[name]["den"]) for name in ["correct", "untouched_section_edit"]}
            if arm["anchoring"]["emitted"]:
                shares["resolution"] = (theirs["fates"].get("resolved", 0), sum(theirs["fates"].values()))
                shares["local"] = (theirs["local"], theirs["answers"])
            for name, (num, den) in shares.items():
                own = figures[name][k]
                rows.append((arm["arm"], f"{name}, pass {k}", f"{own['num']}/{own['den']}", f"{num}/{den}"))
    return rows


def table(head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    line = lambda row: "| " + " | ".join(str(cell).ljust(width) for cell, width in zip(row, widths)) + " |"
    print("\n".join([line(head), "|" + "|".join("-" * (w + 2) for w in widths) + "|", *map(line, rows)]) + "\n")


def has_rapidfuzz(python):
    return subprocess.run([python, "-c", "import rapidfuzz"], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("redraft")
    parser.add_argument("parse_only")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--big", type=int, default=30000, help="tickets of the big replay; 0 leaves it out")
    parser.add_argument("--python", default=sys.executable, help="a Python that has rapidfuzz")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        # Each arm's replay reads its dataset, so the floor reads it once an arm too.
        files = [str(path) for arm in ARMS for path in (dataset(arm), Path(arm) / "calls.jsonl")]
        commands = {
            "report": [args.redraft, "replay", *ARMS, "--quiet", "--out", f"{scratch}/report"],
            "measure": [args.redraft, "replay", *ARMS, "--quiet", "--format", "json", "--jobs", "1"],
            "parse": [args.parse_only, *files],
            "version": [args.redraft, "--version"],
        }
        with_python = has_rapidfuzz(args.python)
        if with_python:
            commands["python"] = [args.python, "benches/yardstick.py", *ARMS]
        got = in_turns(commands, args.runs)
        report, measure, parse, version = (got[name] for name in ["report", "measure", "parse", "version"])
        rows.append(("replayed, measured, written and drawn", f"{report[0]:.3f} CPU s", "0.25 CPU s", verdict(report[0], 0.25)))
        rows.append(("the same, peak memory", f"{report[2]:.0f} MB", "80 MB", verdict(report[2], 80)))
        rows.append(("replayed and measured, nothing written, 1 thread", f"{measure[0]:.3f} CPU s", "", ""))
        rows.append(("the same bytes parsed and dropped", f"{parse[0]:.3f} CPU s", "", ""))
        ratio = measure[0] / parse[0]
        rows.append(("measured / parsed", f"{ratio:.1f} x", "2 x, limit 4 x", verdict(ratio, 2, 4)))
        if with_python:
            rows.append(("Python script with rapidfuzz", f"{got['python'][0]:.3f} CPU s", "", ""))
            rows.append(("Python / measured", f"{got['python'][0] / measure[0]:.1f} x", "", ""))
        rows.append(("redraft --version", f"{version[1] * 1000:.1f} ms", "20 ms", verdict(version[1] * 1000, 20)))
        if args.big:
            subprocess.run([args.redraft, "simulate", ARMS[1], "--quiet", "--tickets", str(args.big), "--out", f"{scratch}/big"], check=True, stdout=subprocess.DEVNULL)
            big = Path(scratch) / "big" / Path(ARMS[1]).name
            size = (big / "calls.jsonl").stat().st_size / 1e6
            cpu, _, memory, _ = measured([args.redraft, "replay", str(big), "--quiet", "--out", f"{scratch}/big-report"])
            rows.append((f"{args.big} tickets ({size:.0f} MB of calls), peak memory", f"{memory:.0f} MB", "150 MB", verdict(memory, 150)))
            rows.append((f"{args.big} tickets", f"{cpu:.1f} CPU s", "", ""))
        print(f"{len(ARMS)} arms x 300 tickets, {sum(os.path.getsize(f) for f in files) / 1e6:.1f} MB read, median of {args.runs} runs\n")
        table(("what", "measured", "goal", ""), rows)
        if with_python:
            yardstick = json.loads(got["python"][3])
            print(f"Both counts, the Python script with {yardstick['json']}:\n")
            table(("arm", "figure", "redraft", "Python"), compare(json.loads(measure[3]), yardstick))
        else:
            print(f"{args.python} has no rapidfuzz (pip install rapidfuzz orjson): the Python script was left out.")


if __name__ == "__main__":
    main()
