"""Each figure beside its limit, taken in the same run. Usage: measure FOLDER-OF-THE-PROGRAMS [--quick]."""

import base64
import json
import os
import platform
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from client import APP, REDIRECT, App, Key
from load import load, middle
from person import Person
from processes import Running

QUICK = "--quick" in sys.argv
SECONDS = 2 if QUICK else 8
ROUNDS = 1 if QUICK else 3
CONNECTIONS = 64
# More sessions than connections, so that no token is asked for twice while its answer is on the way.
SESSIONS = 4 * CONNECTIONS


class Bench:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.environment = {"WALLETAUTH_DATABASE": f"sqlite:{folder}/bench.db", "WALLETAUTH_LOG_LEVEL": "error"}
        self.cores = os.cpu_count()
        self.rows = []

    def program(self, name):
        return os.path.join(self.programs, name)

    def serve(self):
        server = Running([self.program("walletauth"), "serve", "--port", "0"], f"{self.folder}/server.log", **self.environment)
        server.url = server.line.split()[-1]
        server.port = int(server.url.rsplit(":", 1)[1].rstrip("/"))
        return server

    def administer(self, *arguments, secret=None):
        result = subprocess.run(
            [self.program("walletauth"), *arguments], env={**os.environ, **self.environment}, input=secret,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if result.returncode:
            raise SystemExit(f"walletauth {arguments[:2]}: {result.stderr}")
        return result.stdout

    def constant(self, answer):
        """The stack's limit for an answer of that size."""
        path = f"{self.folder}/answer.json"
        with open(path, "w", encoding="ascii") as file:
            file.write(answer)
        limit = Running([self.program("constant-answer"), path], f"{self.folder}/constant.log")
        limit.url = f"http://127.0.0.1:{limit.line}/oauth2/token"
        return limit

    def compare(self, title, goal, server, answer, cost_us, script, **environment):
        """Ours and the limit in turns, since a shared machine's speed drifts within minutes."""
        limit = self.constant(answer)
        ours, theirs = [], []
        try:
            for _ in range(ROUNDS):
                theirs.append(load(script, limit.url, CONNECTIONS, SECONDS, **environment))
                ours.append(load(script, f"{server.url}/oauth2/token", CONNECTIONS, SECONDS, **environment))
                if "TOKENS" in environment:
                    environment["TOKENS"] = self.fresh_tokens(environment["TOKENS"])
        finally:
            limit.stop()
        measured, stack = middle(ours), middle(theirs)
        # A request costs cores/rate of processor time; the cryptography comes on top of the stack's.
        bound = self.cores / (self.cores / stack.rate + cost_us / 1e6)
        self.rows.append({
            "work": title, "per_second": round(measured.rate), "p50_ms": measured.p50_ms, "p99_ms": measured.p99_ms,
            "stack_per_second": round(stack.rate), "crypto_us": round(cost_us, 1), "limit_per_second": round(bound),
            "ratio": round(measured.rate / bound, 3), "goal": goal, "answers": sum(one.answers for one in ours),
        })  # fmt: skip

    def fresh_tokens(self, path):
        """After a round its tokens are spent; sessions for the next one."""
        tokens = self.apps[path].sessions(SESSIONS, self.person)
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(tokens) + "\n")
        return path


def main():
    folder = tempfile.mkdtemp(prefix="wallet-bench-")
    os.chmod(folder, 0o700)
    bench = Bench(sys.argv[1], folder)
    server = None
    try:
        crypto = json.loads(subprocess.check_output([bench.program("crypto-cost")]))
        starts = [started(bench) for _ in range(5)]
        server = bench.serve()
        idle = server.resident_mb()
        measure(bench, server, crypto)
        report(bench, crypto, sorted(starts)[2], idle, server.resident_mb())
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def started(bench):
    """Start to first answer, on a database that exists: what a restart costs."""
    server = bench.serve()
    try:
        return server.first_answer_ms(server.port, "/health/ready")
    finally:
        server.stop()


def measure(bench, server, crypto):
    password = secrets.token_urlsafe(16)
    bench.administer("account", "create", "--username", "ada", "--password-stdin", secret=password + "\n")
    bench.administer(
        "client", "create", "--id", APP, "--name", "Load", "--public", "--redirect-uri", REDIRECT, "--scope", "offline_access"
    )
    backend = json.loads(bench.administer(
        "client", "create", "--id", "backend", "--name", "Load", "--confidential", "--scope", "wallet_operations", "--json"
    ))  # fmt: skip
    basic = "Basic " + base64.b64encode(f"backend:{backend['clientSecret']}".encode()).decode()
    bench.person = Person("ada", password)
    plain, bound = App(server.url), App(server.url, Key())
    bench.apps = {f"{bench.folder}/bearer.txt": plain, f"{bench.folder}/dpop.txt": bound}
    form = f"grant_type=refresh_token&client_id={APP}"

    for path, app in bench.apps.items():
        bench.fresh_tokens(path)
        with open(path, encoding="ascii") as tokens:
            sample = app.token(grant_type="refresh_token", client_id=APP, refresh_token=tokens.readline().strip())
        bench.fresh_tokens(path)
        cost = crypto["es256_sign_us"] + crypto["hmac_sha256_us"]
        title = "refresh with rotation, durable"
        environment = {"BODY": form, "TOKENS": path}
        if app.key:
            title += ", DPoP-bound"
            cost += crypto["es256_verify_us"]
            environment["DPOP"] = app.proof()
        bench.compare(title, 0.60, server, json.dumps(sample, separators=(",", ":")), cost, "refresh.lua", **environment)

    body = "grant_type=client_credentials&scope=wallet_operations"
    sample = credentials(server.url, basic, body)
    bench.compare(
        "client credentials", 0.60, server, sample, crypto["es256_sign_us"], "token.lua", BODY=body, AUTHORIZATION=basic
    )


def credentials(url, basic, body):
    request = urllib.request.Request(f"{url}/oauth2/token", data=body.encode(), headers={"Authorization": basic})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read().decode()


def report(bench, crypto, start_ms, idle, loaded):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), platform.machine())
    machine = f"{bench.cores} × {model}"
    print(f"\n{time.strftime('%Y-%m-%d')} · commit {commit} · {machine} · {CONNECTIONS} connections, {ROUNDS} × {SECONDS} s each, every answer checked\n")
    print(f"{'work':<44}{'per s':>8}{'p50 ms':>9}{'p99 ms':>9}{'stack/s':>10}{'limit/s':>10}{'ratio':>8}{'goal':>8}")
    for row in bench.rows:
        print(
            f"{row['work']:<44}{row['per_second']:>8,}{row['p50_ms']:>9.2f}{row['p99_ms']:>9.2f}"
            f"{row['stack_per_second']:>10,}{row['limit_per_second']:>10,}{row['ratio']:>8.0%}{row['goal']:>7.0%}"
            f"{'  ✓' if row['ratio'] >= row['goal'] else '  below'}"
        )
    print(f"\nstart to first answer {start_ms:.0f} ms (goal < 100) · resident idle {idle:.0f} MB (goal < 40), after the load {loaded:.0f} MB (goal < 60)")
    print("one core: " + " · ".join(f"{name[:-3].replace('_', ' ')} {value} µs" for name, value in crypto.items()))
    results = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results")
    os.makedirs(results, exist_ok=True)
    path = os.path.join(results, time.strftime("%Y-%m-%dT%H%M%S") + ".json")
    document = {
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "commit": commit, "machine": machine, "connections": CONNECTIONS,
        "rounds": ROUNDS, "seconds": SECONDS, "rows": bench.rows, "crypto_us": crypto, "start_to_first_answer_ms": round(start_ms, 1),
        "resident_idle_mb": round(idle, 1), "resident_after_load_mb": round(loaded, 1),
    }  # fmt: skip
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)
    print(f"written to {os.path.relpath(path)}")


if __name__ == "__main__":
    main()
