"""wrk as a second process that checks every answer, and what it measured."""

import os
import re
import subprocess
from dataclasses import dataclass

LOAD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "load")


@dataclass
class Round:
    rate: float
    p50_ms: float
    p99_ms: float
    answers: int


def milliseconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}[unit]


def load(script, url, connections, seconds, **environment):
    """One round. A single wrong, missing or repeated answer makes the run worthless, and ends it."""
    command = [
        "wrk", "--threads", "1", "--connections", str(connections), "--duration", f"{seconds}s", "--latency",
        "--timeout", "20s", "--script", os.path.join(LOAD, script), url,
    ]  # fmt: skip
    result = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=seconds + 60
    )
    output = result.stdout
    checked = re.search(r"CHECKED good=(\d+) bad=(\d+) dry=(\d+) elapsed=([0-9.]+) (.*)", output)
    if result.returncode or not checked:
        raise SystemExit(f"wrk failed: {output}{result.stderr}")
    good, bad, dry, elapsed, sample = int(checked[1]), int(checked[2]), int(checked[3]), float(checked[4]), checked[5]
    if bad or dry or not good or "Socket errors" in output:
        errors = re.search(r"Socket errors.*", output)
        raise SystemExit(f"wrong answers: good={good} bad={bad} dry={dry} {sample} {errors[0] if errors else ''}")
    return Round(
        rate=good / elapsed if elapsed else float(re.search(r"Requests/sec:\s+([0-9.]+)", output)[1]),
        p50_ms=milliseconds(re.search(r"(?m)^\s+50%\s+(\S+)", output)[1]),
        p99_ms=milliseconds(re.search(r"(?m)^\s+99%\s+(\S+)", output)[1]),
        answers=good,
    )


def middle(rounds):
    """The round with the median rate: figures that were seen together, not a mixture."""
    return sorted(rounds, key=lambda measured: measured.rate)[len(rounds) // 2]
