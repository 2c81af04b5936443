"""Measures a live recording against a provider on loopback: calls a second, memory over time, and what comes after it (verify, status, resume).

    record_speed.py REDRAFT STUB_PROVIDER [--calls N] [--concurrency N] [--dir DIR]

REDRAFT and STUB_PROVIDER are the binary and the example of that name. DIR is where the recording goes: its disk is what is synced to.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

LOOP = """
version = 1
dataset = "../data"
synthetic = "answers of examples/stub_provider"
[model]
provider = "openai-chat"
name = "stub"
params = { max_tokens = 300, temperature = 0 }
[prices.stub]
input = 1.0
output = 4.0
[writer]
system = "You answer support tickets."
prompt = "{{ ticket.prompt }}"
[critic]
format = "prose"
prompt = "{{ ticket.prompt }}\\n<draft>\\n{{ draft }}\\n</draft>\\nWhat is wrong with it?"
[reviser]
strategy = "whole"
prompt = "{{ ticket.prompt }}\\n<draft>\\n{{ draft }}\\n</draft>\\n<critique>\\n{{ critique }}\\n</critique>\\nWrite it anew."
[bounds]
max_passes = 2
"""
CALLS_A_RUN = 5


def resident(pid):
    """MB of resident memory, or None once the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), None)


def watched(command):
    """Wall-clock seconds, and samples of memory, of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    samples = []
    while process.poll() is None:
        samples.append(resident(process.pid))
        time.sleep(0.1)
    wall = time.perf_counter() - start
    if process.returncode != 0:
        raise SystemExit(f"{command}: exit code {process.returncode}\n{process.stderr.read().decode()}")
    return wall, [sample for sample in samples if sample]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("redraft")
    parser.add_argument("stub_provider")
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--dir")
    args = parser.parse_args()
    stub = subprocess.Popen([args.stub_provider], stdout=subprocess.PIPE, text=True)
    try:
        with tempfile.TemporaryDirectory(dir=args.dir) as root:
            measure(args, Path(root), stub.stdout.readline().strip())
    finally:
        stub.kill()


def measure(args, root, url):
    tickets = args.calls // CALLS_A_RUN
    for name in ["data", "arm"]:
        (root / name).mkdir()
    (root / "data/dataset.toml").write_text('version = 1\nname = "many"\n')
    with open(root / "data/tickets.jsonl", "w") as out:
        for n in range(tickets):
            out.write(json.dumps({"id": f"t-{n:06}", "prompt": f"Ticket {n}: why was I charged a fee? " + "I had no notice of it. " * 20}) + "\n")
    arm = root / "arm"
    (arm / "loop.toml").write_text(LOOP)
    record = [args.redraft, "record", arm, "--base-url", url, "--concurrency", str(args.concurrency), "--yes", "--quiet"]
    wall, memory = watched(record)
    calls = tickets * CALLS_A_RUN
    size = (arm / "calls.jsonl").stat().st_size / 1e6
    print(f"record, {args.concurrency} at once: {calls} calls in {wall:.1f} s, {calls / wall:.0f} calls a second, {size:.0f} MB")
    parts = [memory[len(memory) * tenth // 10 - 1] for tenth in (1, 5, 9)]
    print("memory after a tenth, half, nine tenths: " + ", ".join(f"{part:.0f}" for part in parts) + f" MB; most {max(memory):.0f} MB")
    for what, command in [
        ("verify --strict", [args.redraft, "verify", "--strict", "--quiet", arm]),
        ("status", [args.redraft, "status", "--quiet", arm]),
        ("record again, nothing open", record),
    ]:
        wall, memory = watched(command)
        print(f"{what}: {wall:.1f} s, most {max(memory):.0f} MB")


if __name__ == "__main__":
    main()
