"""The table for people and the document for programs."""

import json
import os
import platform
import subprocess
import time

RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results")


def commit():
    described = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    return subprocess.run(described, capture_output=True, text=True, check=False).stdout.strip()


def machine(cores):
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), platform.machine())
    return f"{cores} × {model}"


def mark(within):
    return "✓" if within else "below" if within is False else ""


def show(bench, took):
    print(f"\n{time.strftime('%Y-%m-%d')} · commit {commit()} · {machine(bench.cores)}")
    print(f"{bench.rounds} rounds of {bench.seconds} s each, every answer checked; the whole in {took:.0f} s\n")
    width = max(len(line) for line in [row["work"] for row in bench.rows] + [fact["what"] for fact in bench.facts]) + 2
    print(f"{'work':<{width}}{'per s':>9}{'p50 ms':>9}{'p99 ms':>9}{'limit/s':>10}{'ratio':>8}{'goal':>7}")
    for row in bench.rows:
        print(
            f"{row['work']:<{width}}{row['per_second']:>9,.0f}{row['p50_ms']:>9.2f}{row['p99_ms']:>9.2f}"
            f"{row['limit_per_second']:>10,.0f}{shown(row['ratio']):>8}{shown(row['goal']):>7}"
            f"  {mark(row['ratio'] >= row['goal'])}"
        )
    print()
    for fact in bench.facts:
        goal = fact["goal"]
        within = None if goal is None else fact["value"] <= goal
        print(f"{fact['what']:<{width}}{fact['value']:>9,.2f} {fact['unit']:<6}{'' if goal is None else f'goal {goal}':>12}  {mark(within)}")
    print("\none core: " + " · ".join(f"{name[:-3].replace('_', ' ')} {value} µs" for name, value in bench.crypto.items()))


def shown(ratio):
    """A share of the limit; against a peer, how many times."""
    return f"{ratio:.1f} ×" if ratio >= 2 else f"{ratio:.0%}"


def write(bench, took):
    os.makedirs(RESULTS, exist_ok=True)
    path = os.path.join(RESULTS, time.strftime("%Y-%m-%dT%H%M%S") + ".json")
    document = {
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "commit": commit(), "machine": machine(bench.cores),
        "rounds": bench.rounds, "seconds": bench.seconds, "took_seconds": round(took), "rows": bench.rows,
        "facts": bench.facts, "crypto_us": bench.crypto,
    }  # fmt: skip
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2, ensure_ascii=False)
    print(f"written to {os.path.relpath(path)}")
