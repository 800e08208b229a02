"""What every row needs: the programs, a server on a database of its own, and the comparison with a limit."""

import json
import os
import subprocess

from load import load, middle
from processes import Running


# The load is one person, who has far more sessions and silent sign-ins than people do.
LIMITS = {"WALLETAUTH_LIMITS_SESSIONS": "10000", "WALLETAUTH_LIMITS_SILENT_SIGN_INS": "1000000"}


class Server:
    """A serving process and the commands that administer its database."""

    def __init__(self, programs, folder, database="bench.db", **environment):
        self.program, self.folder = os.path.join(programs, "walletauth"), folder
        self.path = f"{folder}/{database}"
        self.environment = {
            "WALLETAUTH_DATABASE": f"sqlite:{self.path}", "WALLETAUTH_LOG_LEVEL": "error", **LIMITS, **environment,
        }  # fmt: skip
        self.running, self.port = None, 0
        # What runs the serving process, if that needs something of the system.
        self.wrapper = []

    def start(self):
        # On the port of the first start: the sandbox's URL has it, and the sessions were granted for that URL.
        command = [*self.wrapper, self.program, "serve", "--port", str(self.port)]
        self.running = Running(command, f"{self.folder}/server.log", **self.environment)
        self.url = self.running.line.split()[-1].rstrip("/")
        self.port = int(self.url.rsplit(":", 1)[1])
        return self

    def stop(self):
        if self.running:
            self.running.stop()
            self.running = None

    def administer(self, *arguments, secret=None):
        result = subprocess.run(
            [self.program, *arguments], env={**os.environ, **self.environment}, input=secret, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        if result.returncode:
            raise SystemExit(f"walletauth {arguments[:2]}: {result.stderr}")
        return json.loads(result.stdout) if "--json" in arguments else result.stdout

    def endpoint(self, path):
        return self.url + path


class Bench:
    """One run: its sizes, and the rows that it has filled."""

    def __init__(self, programs, folder, seconds, rounds):
        self.programs, self.folder, self.seconds, self.rounds = programs, folder, seconds, rounds
        self.cores = os.cpu_count()
        self.rows, self.facts = [], []
        self.crypto = json.loads(self.output("crypto-cost"))

    def program(self, name):
        return os.path.join(self.programs, name)

    def output(self, name, *arguments):
        return subprocess.check_output([self.program(name), *arguments], text=True)

    def fact(self, what, value, unit, goal=None):
        """A single figure; a goal is the most that it may be."""
        self.facts.append({"what": what, "value": round(value, 3), "unit": unit, "goal": goal})

    def constant(self, answer):
        """The stack's limit for an answer of that size."""
        path = f"{self.folder}/answer.json"
        with open(path, "w", encoding="utf-8") as file:
            file.write(answer)
        limit = Running([self.program("constant-answer"), path], f"{self.folder}/constant.log")
        limit.url = f"http://127.0.0.1:{limit.line}/oauth2/token"
        return limit

    def compare(self, title, goal, answer, cost_us, limit_load, our_load, connections, requests=1):
        """Ours and the stack's limit in turns, since a shared machine's speed drifts within minutes.

        limit_load and our_load are called with the environment of a round made; each takes (connections, seconds).
        cost_us is what one core cannot leave out apart from HTTP: cryptography, and commits where they are part of the limit. Where
        the work is several requests, it is that of all of them.
        """
        limit = self.constant(answer)
        ours, theirs = [], []
        try:
            for _ in range(self.rounds):
                theirs.append(limit_load(limit.url, connections, self.seconds))
                ours.append(our_load(connections, self.seconds))
        finally:
            limit.stop()
        stack = middle(theirs).rate
        # A request costs cores/rate of processor time; what cannot be left out comes on top of the stack's.
        bound = self.cores / (requests * self.cores / stack + cost_us / 1e6)
        self.row(title, goal, ours, bound, stack_per_second=round(stack), cost_us=round(cost_us, 1))

    def row(self, title, goal, ours, bound, **more):
        measured = middle(ours)
        self.rows.append({
            "work": title, "per_second": round(measured.rate, 1), "p50_ms": measured.p50_ms, "p99_ms": measured.p99_ms,
            "limit_per_second": round(bound, 1), "ratio": round(measured.rate / bound, 3), "goal": goal,
            "answers": sum(one.answers for one in ours), **more,
        })  # fmt: skip


__all__ = ["Bench", "Server", "load"]
