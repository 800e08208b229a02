"""Two servers, two databases, one address: what people notice when one of each dies."""

import base64
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from database_server import PostgreSQL
from haproxy import HAProxy
from narrator import Failed, Step, bold, dim, require, say
from programs import PATIENCE, Server, end, environment, ignore_signals, tail
from registrations import app, backend, reachable_account

LOAD = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "Server", "Tests", "EndToEndTests", "Peers", "cluster_load.py"
)
PEOPLE = ("ada", "grace")
APP, SHOP = "com.example.wallet", "shop"
KINDS = {"refreshes": "sessions renewed", "payments": "payments", "signIns": "sign-ins by PIN", "transactions": "signed purchases"}


class Load:
    """cluster_load.py: the people's phones, and a shop's till."""

    def __init__(self, issuer, settings, log):
        self.log, self.latest, self.said = log, None, threading.Condition()
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, LOAD, "--issuer", issuer, "--client", APP, "--backend", SHOP, "--seed", "1"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment(),
                start_new_session=True,
            )  # fmt: skip
        self.process.stdin.write(json.dumps(settings) + "\n")
        self.process.stdin.flush()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            with self.said:
                self.latest = json.loads(line)
                self.said.notify_all()
        with self.said:
            self.said.notify_all()

    def wait(self, what, holds, limit=PATIENCE):
        """The first counts of which it holds, and how long that took."""
        began = time.monotonic()
        with self.said:
            done = self.said.wait_for(
                lambda: (self.latest is not None and holds(self.latest)) or self.process.poll() is not None, limit
            )
            if not done or not self.latest or not holds(self.latest):
                raise Failed(f"{what} did not arrive: {self.latest}\n{tail(self.log)}")
            return self.latest, time.monotonic() - began

    def more(self, what, each):
        """Waits until that many more of each kind were acknowledged."""
        before = self.latest["done"]
        return self.wait(what, lambda now: all(now["done"][kind] >= before[kind] + each for kind in KINDS))

    def finish(self):
        self.process.send_signal(signal.SIGTERM)
        return self.wait("the count", lambda now: now.get("finished"), 2 * PATIENCE)[0]

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class ClusterServer(Server):
    """One of several servers: a folder of its own, and the database, the master key and the address of all."""

    def __init__(self, program, folder, issuer, database, key):
        os.makedirs(folder, mode=0o700)
        super().__init__(program, folder, issuer, database)
        self.environment |= {
            "WALLETAUTH_MASTER_KEY_FILE": key,
            "WALLETAUTH_TRUSTED_PROXIES": "127.0.0.1",
            "WALLETAUTH_DEVICES_COOLING_PERIOD": "1s",
        }

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None


class Cluster:
    def __init__(self, programs):
        self.programs = programs
        self.folder = tempfile.mkdtemp(prefix="wallet-demo-")
        os.chmod(self.folder, 0o700)
        self.databases, self.servers = [], []
        self.proxy, self.load, self.people = HAProxy(self.folder), None, []

    def stop(self):
        if self.load is not None:
            self.load.stop()
        self.proxy.stop()
        statuses = [end(server) for server in self.servers]
        for database in self.databases:
            database.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        return statuses


def databases(cluster):
    step = Step("A database, and a standby that has every commit")
    primary = PostgreSQL()
    cluster.databases.append(primary)
    primary.query("CREATE DATABASE wallet")
    standby = PostgreSQL(standby_of=primary)
    cluster.databases.append(standby)
    primary.wait_for(standby)
    step.done(
        "Two PostgreSQL servers: the second follows the first, and each commit waits until both have it.",
        "Everything acknowledged is in two places, so one of them may burn down.",
    )


def servers(cluster):
    step = Step("Two servers on it, behind one address")
    key = os.path.join(cluster.folder, "master-key")
    with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        file.write(base64.b64encode(secrets.token_bytes(32)))
    hosts = ",".join(database.folder for database in cluster.databases)
    database = f"postgresql://postgres@/wallet?host={hosts}&target_session_attrs=read-write"
    for name in ("one", "two"):
        server = ClusterServer(
            os.path.join(cluster.programs, "walletauth"), os.path.join(cluster.folder, name), cluster.proxy.url, database, key
        )
        cluster.servers.append(server)
        took = server.start()
        step.detail(f"walletauth {name}: process {server.process.pid}, port {server.port}, ready in {took * 1000:.0f} ms")
    cluster.proxy.start(*(server.port for server in cluster.servers))
    step.done(
        f"HAProxy sends requests to both in turn, at {cluster.proxy.url}, and asks each twice a second whether it is ready.",
        "The servers share the database and the master key, and nothing else: no broker, no sticky sessions.",
    )


def people(cluster):
    step = Step("Two people with phones, and a shop")
    first = cluster.servers[0]
    for name in PEOPLE:
        password = secrets.token_urlsafe(12)
        cluster.people.append({"username": name, "password": password})
        reachable_account(first, name, password)
    app(first, APP, "Example Wallet", "http://127.0.0.1/callback", "--first-party")
    settings = {"people": cluster.people, "secret": backend(first, SHOP, "Shop", "wallet_operations transactions")}
    cluster.load = Load(cluster.proxy.url, settings, os.path.join(cluster.folder, "load.log"))
    cluster.load.wait("the load", lambda now: all(now["done"].values()))
    counts, _ = cluster.load.more("the load", 3)
    step.done(
        f"{counts['requests']} requests so far, none failed: sessions are renewed, payments agreed to, purchases signed, all at once.",
        "A session that one server opened is renewed by the other, and a code that one issued is redeemed at the other, once.",
    )
    require(counts["failed"] == 0, f"requests failed before anything was killed: {counts}")


def kill_server(cluster):
    step = Step("kill -9 of one server, in the middle of all this")
    victim, before = cluster.servers[0], cluster.load.latest
    victim.kill()
    counts, _ = cluster.load.more("the load on one server", 2)
    step.detail(f"{counts['failed'] - before['failed']} requests got no response, and were sent again.")
    took = victim.start()
    cluster.load.more("the load on both servers", 1)
    step.done(
        f"The other server carried on; the killed one was back after {took * 1000:.0f} ms.",
        "A repeated request gets the response that was lost: the app retries, and no one is signed out.",
    )


def kill_primary(cluster):
    step = Step("The primary loses its power, and the standby takes over")
    primary, standby = cluster.databases
    before = cluster.load.latest
    primary.kill()
    began = time.monotonic()
    standby.promote()
    promoted = time.monotonic() - began
    cluster.load.wait(
        "a refresh on the new primary", lambda now: now["done"]["refreshes"] > before["done"]["refreshes"] + 20
    )
    took = time.monotonic() - began
    counts, _ = cluster.load.more("the load on the new primary", 3)
    step.detail(f"{counts['failed'] - before['failed']} requests failed: 503 with Retry-After, or no response. They were sent again.")
    step.done(
        f"Promoted in {promoted:.1f} s; {took:.1f} s after the primary died, sessions were renewed again.",
        "Both servers know both databases, and use the one that accepts writes. No one restarts or configures anything.",
    )


def count(cluster):
    step = Step("What was lost?")
    report = cluster.load.finish()
    done = report["done"]
    step.detail(" · ".join(f"{done[kind]} {name}" for kind, name in KINDS.items()))
    step.detail("Each was checked afterwards: every session's newest token, every payment, every signature.")
    say()
    for name, value in (
        ("requests", report["requests"]),
        ("failed, and sent again", report["failed"]),
        ("acknowledged and lost", report["lost"]),
        ("done twice", report["twice"]),
        ("the longest that anyone waited", f"{report['longest']:.1f} s"),
        ("who was signed out", "no one" if not report["lost"] else "see below"),
    ):
        say(f"      {name:<32}{bold(str(value))}")
    say()
    require(not (report["lost"] or report["twice"] or report["wrong"]), f"the counts are wrong: {report['details']}")
    step.done(
        f"{report['sessions']} sessions, each at the generation that its phone knows: one per answered renewal.",
        "A commit is acknowledged only when two databases have it, and whatever works once is one row that only one request can take.",
    )


ALL = [databases, servers, people, kill_server, kill_primary, count]


def main(programs, keep):
    cluster = Cluster(programs)
    began = time.monotonic()
    try:
        for step in ALL:
            step(cluster)
        say(f"\n{bold('All done')}, in {time.monotonic() - began:.0f} s.")
        if keep:
            invite(cluster)
        if any(statuses := cluster.stop()):
            raise Failed(f"the servers ended with {statuses}")
        return 0
    except KeyboardInterrupt:
        return 130
    except Failed as failure:
        say(f"\nThe demo stopped: {failure}")
        for number, server in enumerate(cluster.servers, 1):
            say(dim(f"The log of server {number} ends with:\n{server.tail()}"))
        for number, database in enumerate(cluster.databases, 1):
            say(dim(f"The log of database {number} ends with:\n{database.tail()}"))
        return 1
    finally:
        ignore_signals()
        cluster.stop()


def invite(cluster):
    """The servers stay up: says what a person could try now, and waits for Ctrl-C."""
    app, person = os.path.join(cluster.programs, "wallet"), cluster.people[0]
    store = os.path.join(cluster.folder, "wallet")
    say(f"\n{bold('The servers are still up: try it yourself')} (in another terminal)")
    say(f"    user name {bold(person['username'])}   password {bold(person['password'])}")
    say("\n    Sign in with your browser, then kill a server and renew:")
    say(f"      export WALLET_ISSUER={cluster.proxy.url} WALLET_CLIENT_ID={APP} WALLET_HOME='{store}'")
    say(f"      '{app}' sign-in --browser")
    say(f"      kill -9 {cluster.servers[1].process.pid}")
    say(f"      '{app}' refresh")
    say(f"\n    {bold('Ctrl-C')} stops everything and removes the databases.")
    try:
        signal.pause()
    except KeyboardInterrupt:
        say("\nStopped.")
