"""Push messages: how fast those that wait go to Apple's push service next to a client that posts constants, how soon a phone hears of a
transaction, and what 10,000 messages that wait for a dead service cost a request.

The service is nghttpd, over one connection of HTTP/2 with TLS. It is written in C and answers some 100,000 requests a second, so it is
not what limits the server. The constants come from constant-post, which has the server's HTTP client and nothing else. How often one
account is sent something is limited: what is counted for that is cleared in between, and several backends share the phones.

Only certificates of the system's authorities count for Apple's service. So the server runs where nghttpd's is one of them: in a view of
the file system of its own, which Linux has to permit.
"""

import datetime
import itertools
import os
import secrets
import shutil
import socket
import sqlite3
import statistics
import subprocess
import time

from bench import Server
from client import Key
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from phone import Issuer, Phone
from processes import tail
from webhooks import RATE, SECONDS, WAITING, Till, free_port

APP, PHONES = "com.example.pushed", 64
# Of one account: what may be open at one backend, and be sent within ten minutes.
OPEN, PLACES = 20, 4
MESSAGES = 1000
# As many as the server has on their way at once.
STREAMS = 64
CONSTANTS = 20 * MESSAGES
ADDRESSES = [secrets.token_hex(32) for _ in range(PHONES)]
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
PATIENCE = 60
WAITS = "channel = 'push' AND delivered_at IS NULL"


class PushService:
    """Apple's, as nghttpd plays it: 200 for a message to one of the ADDRESSES."""

    def __init__(self, folder):
        self.folder, self.port, self.process = f"{folder}/push", free_port(), None
        self.url = f"https://localhost:{self.port}"
        os.makedirs(f"{self.folder}/files/3/device")
        for address in ADDRESSES:
            self.write("files/3/device/" + address, b"")
        key = ec.generate_private_key(ec.SECP256R1())
        self.write("key.pem", pem(key))
        name = x509.Name.from_rfc4514_string("CN=localhost")
        now = datetime.datetime.now(datetime.timezone.utc)
        certificate = (
            x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
            .sign(key, SHA256())
        )
        self.certificate = self.write("certificate.pem", certificate.public_bytes(serialization.Encoding.PEM))

    def write(self, name, content):
        path = f"{self.folder}/{name}"
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, 0o600)
        return path

    def settings(self):
        """The server's, to use this in place of Apple's service."""
        key = self.write("AuthKey_KEY1234567.p8", pem(ec.generate_private_key(ec.SECP256R1())))
        return {
            "WALLETAUTH_PUSH_APNS_TEAM": "TEAM123456", "WALLETAUTH_PUSH_APNS_KEY_ID": "KEY1234567",
            "WALLETAUTH_PUSH_APNS_KEY_FILE": key, "WALLETAUTH_PUSH_APNS_TOPIC": APP, "WALLETAUTH_PUSH_APNS_URL": self.url,
        }  # fmt: skip

    def start(self):
        command = ["nghttpd", "--address", "127.0.0.1", "--htdocs", f"{self.folder}/files", str(self.port)]
        with open(f"{self.folder}/log", "ab") as log:
            self.process = subprocess.Popen([*command, f"{self.folder}/key.pem", self.certificate], stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.01)
        raise SystemExit(f"nghttpd did not come up:\n{tail(self.folder + '/log')}")

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def constants(self, programs, streams):
        """The seconds that one constant takes a client that has so many on their way at once."""
        body = b'{"aps":{"alert":{"body":"Something waits for your approval"},"sound":"default"},"id":"%s","kind":"transaction"}'
        constant = self.write("constant.json", body % secrets.token_hex(18).encode())
        command = [f"{programs}/constant-post", f"{self.url}/3/device/{ADDRESSES[0]}", self.certificate, constant]
        result = subprocess.run(
            [*command, str(streams), str(CONSTANTS)], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        if result.returncode:
            raise SystemExit(f"constant-post failed: {result.stdout}{result.stderr}")
        return float(result.stdout) / CONSTANTS


def pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def trusting(certificate):
    """What runs a program that takes a certificate for the system's authorities: it has a view of the file system of its own."""
    script = 'mount --bind "$0" "$1" && shift && exec "$@"'
    wrapper = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, certificate, AUTHORITIES]
    result = subprocess.run([*wrapper, "cmp", certificate, AUTHORITIES], capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit(f"this system lets no program have its own {AUTHORITIES}: {result.stdout}{result.stderr}")
    return wrapper


class Messages:
    """The server's, read and moved in its database while it runs."""

    def __init__(self, path):
        self.database = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE)
        # The server tends its log itself, and nothing here needs to last.
        self.database.execute("PRAGMA wal_autocheckpoint = 0")
        self.database.execute("PRAGMA synchronous = OFF")

    def delivered(self):
        """Waits until all are, and returns when each was, in the order of their creation, in seconds."""
        deadline = time.monotonic() + PATIENCE
        query = f"SELECT COUNT(*), MAX(failure) FROM outbox WHERE {WAITS}"
        while (waiting := self.database.execute(query).fetchone())[0]:
            if time.monotonic() > deadline:
                raise SystemExit(f"{waiting[0]:,} push messages were not delivered: {waiting[1]}")
            time.sleep(0.01)
        rows = self.database.execute("SELECT delivered_at FROM outbox WHERE channel = 'push' ORDER BY id")
        return [milliseconds / 1000 for (milliseconds,) in rows]

    def hold(self):
        """Has none tried any more, once what is on its way has come back."""
        later = int((time.time() + 600) * 1000)
        while self.database.execute(f"UPDATE outbox SET due_at = ? WHERE {WAITS} AND due_at < ?", (later, later)).rowcount:
            time.sleep(1)

    def release(self):
        self.database.execute(f"UPDATE outbox SET due_at = 0 WHERE {WAITS}")

    def count(self):
        return self.database.execute(f"SELECT COUNT(*) FROM outbox WHERE {WAITS}").fetchone()[0]

    def forget(self):
        self.database.execute("DELETE FROM outbox WHERE channel = 'push'")

    def free_places(self):
        self.database.execute("DELETE FROM attempts")


class Aside:
    """Takes the push messages that wait aside, as if they were given up, and gives them back. Later ones are forgotten."""

    def __init__(self, database):
        self.database, self.since = database, None
        (self.last,) = database.execute("SELECT MAX(id) FROM outbox WHERE channel = 'push'").fetchone()

    def forget_later(self):
        self.database.execute("DELETE FROM outbox WHERE channel = 'push' AND id > ?", (self.last,))

    def take(self):
        self.forget_later()
        if not self.since:
            self.since = time.time()
            self.database.execute(f"UPDATE outbox SET failed_at = 0 WHERE {WAITS}")

    def give_back(self):
        self.forget_later()
        if self.since:
            # Each as long before its next attempt as it was.
            away, self.since = int((time.time() - self.since) * 1000), None
            self.database.execute(f"UPDATE outbox SET failed_at = NULL, due_at = due_at + ? WHERE {WAITS}", (away,))


class Backends:
    """Create transactions for the accounts of phones that push messages reach, one after the other."""

    def __init__(self, server, messages):
        self.server, self.messages, self.created, self.tills = server, messages, 0, []
        server.administer(
            "client", "create", APP, "--name", "Load", "--public", "--first-party", "--redirect-uri",
            f"{APP}:/callback", "--scope", "offline_access",
        )  # fmt: skip
        issuer = Issuer(server, APP, Key())
        issuer.renew_nonce()
        self.accounts = [self.account(issuer, f"pushed{number}", address) for number, address in enumerate(ADDRESSES)]

    def account(self, issuer, name, token):
        password = secrets.token_urlsafe(16)
        self.server.administer(
            "account", "create", name, "--password-stdin", "--email", f"{name}@example.com", "--email-verified",
            secret=password + "\n",
        )  # fmt: skip
        phone = Phone(issuer, name, password)
        address = {"token": token, "environment": "production"}
        refusal, _ = issuer.call("PUT", f"/v1/devices/{phone.id}/push", address, phone.token)
        if refusal:
            raise SystemExit(f"no push address: {refusal}")
        return phone.account

    def create(self):
        """When the request was sent and answered."""
        number, self.created = self.created, self.created + 1
        if number % (PLACES * PHONES) == 0:
            self.messages.free_places()
        return self.till(number).create(accountId=self.accounts[number % PHONES])[1:]

    def till(self, number):
        """The backend of the creation with that number, and those before it."""
        while len(self.tills) <= number // (OPEN * PHONES):
            self.tills.append(Till(self.server, f"till{len(self.tills)}"))
        return self.tills[number // (OPEN * PHONES)]

    def p50_ms(self, seconds):
        until, taken = time.monotonic() + seconds, []
        while time.monotonic() < until:
            sent, answered = self.create()
            taken.append(answered - sent)
        return statistics.median(taken) * 1000


def measure(bench):
    # Debian has servers there.
    os.environ["PATH"] += ":/usr/sbin"
    for program in ("nghttpd", "unshare"):
        if not shutil.which(program):
            raise SystemExit(f"{program} is missing: run scripts/install-system-packages bench")
    service = PushService(bench.folder)
    server = Server(bench.programs, bench.folder, "pushes.db", **service.settings())
    server.wrapper = trusting(service.certificate)
    server.start()
    try:
        messages = Messages(server.path)
        backends = Backends(server, messages)
        service.start()
        soon(bench, backends, messages)
        fast(bench, service, backends, messages)
        service.stop()
        waiting(bench, backends, messages)
    finally:
        server.stop()
        service.stop()


def soon(bench, backends, messages):
    """At a steady rate, from the answer to the creation, which follows the commit, to the service's."""
    backends.create()
    messages.delivered()
    messages.forget()
    backends.till(backends.created + RATE * SECONDS)
    # The server notes deliveries by the clock on the wall.
    began, wall, answered = time.monotonic(), time.time() - time.monotonic(), []
    for number in range(RATE * SECONDS):
        time.sleep(max(0, began + number / RATE - time.monotonic()))
        answered.append(backends.create()[1])
    delivered = messages.delivered()
    if len(delivered) != len(answered):
        raise SystemExit(f"{len(answered):,} transactions were created, and {len(delivered):,} push messages written")
    late = sorted(max(0, at - wall - answer) * 1000 for at, answer in zip(delivered, answered))
    bench.fact(f"pushes: p50 from the answer to the delivery at {RATE} a second", late[len(late) // 2], "ms", 20)
    bench.fact(f"pushes: p99 from the answer to the delivery at {RATE} a second", late[len(late) * 99 // 100], "ms", 100)


def fast(bench, service, backends, messages):
    """Messages that wait for a service that comes back, and the constants, in turns."""
    times, used, together, single = [], 0, [], []
    for _ in range(bench.rounds):
        messages.forget()
        service.stop()
        for _ in range(MESSAGES):
            backends.create()
        messages.hold()
        service.start()
        # One that opens the connection, and one that has the server look for the others.
        backends.create()
        deadline = time.monotonic() + PATIENCE
        while messages.count() > MESSAGES:
            if time.monotonic() > deadline:
                raise SystemExit("no push message reached nghttpd")
            time.sleep(0.01)
        processor = backends.server.running.processor_seconds()
        messages.release()
        began = time.time()
        backends.create()
        times.append(max(messages.delivered()) - began)
        used += backends.server.running.processor_seconds() - processor
        together.append(service.constants(bench.programs, STREAMS))
        single.append(service.constants(bench.programs, 1))
    took = statistics.median(times) / MESSAGES
    bench.fact(f"pushes: {MESSAGES:,} that waited, a second", 1 / took, "")
    bench.fact("pushes: the server's processor time for one", used / bench.rounds / MESSAGES * 1e6, "µs")
    bench.fact(
        f"pushes: the time of a client that posts constants, {STREAMS} at once, for one of theirs",
        took / statistics.median(together), "times", 2,
    )  # fmt: skip
    bench.fact(
        "pushes: the time of one that posts them one after the other, for one of theirs",
        took / statistics.median(single), "times",
    )  # fmt: skip


def waiting(bench, backends, messages):
    """Creations while many wait for a dead service and while none but their own do, in turns."""
    messages.forget()
    for _ in range(WAITING):
        backends.create()
    if messages.count() < WAITING:
        raise SystemExit(f"{messages.count():,} push messages wait, not {WAITING:,}")
    aside, alone, beside = Aside(messages.database), [], []
    for is_beside in itertools.islice(itertools.cycle((False, True, True, False)), 2 * bench.rounds):
        (aside.give_back if is_beside else aside.take)()
        (beside if is_beside else alone).append(backends.p50_ms(bench.seconds))
    bench.fact("pushes: p50 of a creation while none waits", statistics.median(alone), "ms")
    bench.fact(
        f"pushes: p50 of one while {WAITING:,} wait for a dead service, to that",
        statistics.median(beside) / statistics.median(alone), "times", 1.1,
    )  # fmt: skip
