"""wrk as a second process that checks every answer, and what it measured."""

import os
import re
import statistics
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


def request_line(path, body, headers):
    """A line of requests.lua. Before the path there may be a method and a blank; otherwise it is POST."""
    return "\t".join([body, f"@{path}", *(f"{name}: {value}" for name, value in headers.items())])


def load_lines(url, connections, lines, must, folder, kind="application/json"):
    """Each line of requests.lua once: what was measured, and the answers in the order in which they came."""
    requests, answers = f"{folder}/requests.txt", f"{folder}/answers.txt"
    with open(requests, "w", encoding="ascii") as file:
        file.writelines(line + "\n" for line in lines)
    measured = load(
        "requests.lua", url, connections, 30, REQUESTS=requests, ANSWERS=answers, CONTENT_TYPE=kind, MUST=must
    )
    with open(answers, encoding="utf-8") as file:
        return measured, [line.rstrip("\n") for line in file]


def duration(cycle):
    """What steps that follow one another took together, in seconds."""
    return sum(step.answers / step.rate for step in cycle)


def chained(cycles):
    """Cycles of steps that follow one another, as one round: each step has an answer for each of the cycle's flows."""
    answers = sum(cycle[0].answers for cycle in cycles)

    def together(figure):
        # Of several rare ones a sum says more than was ever waited.
        return round(sum(statistics.median(figure(step) for step in kind) for kind in zip(*cycles)), 2)

    return Round(
        rate=answers / sum(duration(cycle) for cycle in cycles),
        p50_ms=together(lambda step: step.p50_ms),
        p99_ms=together(lambda step: step.p99_ms),
        answers=answers,
    )


def middle(rounds):
    """The round with the median rate: figures that were seen together, not a mixture."""
    return sorted(rounds, key=lambda measured: measured.rate)[len(rounds) // 2]
