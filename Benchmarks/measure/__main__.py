"""Each figure next to its limit, taken in the same run. See docs/performance.md.

Usage: measure FOLDER-OF-THE-PROGRAMS [--quick] [--only PART]... [--peers]
"""

import argparse
import json
import os
import shutil
import tempfile
import time

import accounts
import attestations
import audit
import consents
import enumeration
import growth
import guests
import passwords
import peers
import pins
import postgresql
import pushes
import redemption
import report
import tokens
import transactions
import webhooks
from bench import Bench, Server


def starts(bench):
    """Start to first answer, on a database that exists: what a restart costs."""
    server, times = Server(bench.programs, bench.folder, "start.db"), []
    for _ in range(7):
        server.start()
        times.append(server.running.first_answer_ms(server.port, "/health/ready"))
        idle = server.running.resident_mb()
        server.stop()
    bench.fact("start to first answer", sorted(times[1:])[len(times) // 2], "ms", 100)
    bench.fact("resident idle", idle, "MB", 40)


def requests(bench):
    server = Server(bench.programs, bench.folder).start()
    try:
        people = tokens.People(server)
        tokens.measure(bench, people)
        bench.fact("resident after the load", server.running.resident_mb(), "MB", 60)
    finally:
        server.stop()
    # The limit of a server that sets none.
    server = Server(bench.programs, bench.folder, "codes.db", WALLETAUTH_LIMITS_SESSIONS="100").start()
    try:
        redemption.measure(bench, tokens.People(server))
    finally:
        server.stop()


def sdk(bench):
    measured = json.loads(bench.output("sdk-token"))
    bench.fact("SDK: a valid access token from memory", measured["valid_us"], "µs", 2)
    bench.fact(f"SDK: refreshes for {measured['callers']:,} callers at an expired token", measured["refreshes"], "", 1)


PARTS = {
    "starts": starts, "requests": requests, "passwords": passwords.measure, "pins": pins.measure,
    "consents": consents.measure, "transactions": transactions.measure, "guests": guests.measure,
    "attestations": attestations.measure, "growth": growth.measure, "accounts": accounts.measure, "audit": audit.measure,
    "enumeration": enumeration.measure, "postgresql": postgresql.measure, "webhooks": webhooks.measure,
    "pushes": pushes.measure, "sdk": sdk,
}  # fmt: skip


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("programs")
    arguments.add_argument("--quick", action="store_true", help="short rounds: shows that it works, not a figure to quote")
    arguments.add_argument("--only", action="append", choices=PARTS, help="this part alone; may be repeated")
    arguments.add_argument("--peers", action="store_true", help="also next to glewlwyd, whose files scripts/glewlwyd-files unpacks")
    options = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="wallet-bench-")
    os.chmod(folder, 0o700)
    began = time.monotonic()
    try:
        bench = Bench(options.programs, folder, *((2, 1) if options.quick else (5, 3)))
        for part in options.only or PARTS:
            PARTS[part](bench)
        if options.peers:
            peers.measure(bench)
        took = time.monotonic() - began
        report.show(bench, took)
        report.write(bench, took)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
