"""A transaction that a phone signs, from its creation to its reading, next to what of it is HTTP, verifications and durable
commits; what ten thousand backends that wait for a change cost everybody else; and how soon they hear of a change.

Creation, claim, confirmation, signature and reading follow one another. The phones sign between the steps, so that the load of
each step is wrk's and the server's alone.
"""

import asyncio
import concurrent.futures
import itertools
import json
import os
import resource
import secrets
import statistics
import threading
import time

from bench import Server, load
from client import Key, post
from commits import Commits
from load import chained, duration, load_lines, request_line
from phone import TOKEN, Issuer, Phone, wpin1
from polls import Polls, delays
from tokens import People, Sessions

CONNECTIONS = 64
PHONES = CONNECTIONS
# Several of each phone at once, so that a step lasts for a while.
FLOWS = 32 * PHONES
# Connections that refresh while polls are open.
REFRESHING = 8
APP, BACKEND = "com.example.signing", "till"
# A new phone signs after a day; the sandbox takes seconds.
COOLING = 1
# The phone's signature over the claim and over the confirmation; of the assertion the device's and the biometric key's.
VERIFICATIONS, REQUESTS = 4, 5
# Creation, claim, confirmation, signature.
COMMITS = 4
# The server takes 10,000 connections: what is left is for the load.
POLLS = 9_900
CHANGES = 500
# A process that yields to all others.
LOWEST = 19
# The longest that a transaction may be signed: no poll must end because its transaction has expired.
LIFETIME = 900


class SigningPhone(Phone):
    """A phone past its cooling period, with a biometric key. Its requests are (path, body, headers)."""

    def __init__(self, issuer, username, password):
        super().__init__(issuer, username, password)
        self.biometric_key = self.set_biometric_key(self.token)

    def claim(self, created):
        return self.request("/v1/transactions/claim", {"qrData": created["qrData"], "deviceId": self.id})

    def confirmation(self, claimed):
        body = {"deviceId": self.id, "payloadHash": self.payload_hash(claimed)}
        return self.request(f"/v1/transactions/{claimed['transactionId']}/confirm", body)

    def signature(self, confirmed):
        transaction = confirmed["transactionId"]
        assertion = self.assertion(
            confirmed["challenge"], "transaction", self.payload_hash(confirmed), self.biometric_key,
            txid=transaction, decision="approve",
        )  # fmt: skip
        return f"/v1/transactions/{transaction}/sign", wpin1.compact({"jws": assertion}).decode(), {}

    def request(self, path, body):
        return path, *self.signed(body, path)

    @staticmethod
    def payload_hash(answer):
        return wpin1.payload_hash("wallet-transaction-v1", wpin1.unb64(answer["payload"]))


class Transactions:
    def __init__(self, bench, server):
        self.bench, self.server = bench, server
        server.administer(
            "client", "create", APP, "--name", "Load", "--public", "--first-party", "--redirect-uri",
            f"{APP}:/callback", "--scope", "offline_access",
        )  # fmt: skip
        secret = server.administer(
            "client", "create", BACKEND, "--name", "Till", "--confidential", "--auth-method",
            "client_secret_post", "--scope", "transactions", "--transactions-without-account", "--json",
        )["clientSecret"]  # fmt: skip
        self.credentials = {"grant_type": "client_credentials", "client_id": BACKEND, "client_secret": secret}
        self.issuer = Issuer(server, APP, Key())
        self.renew()
        self.phones = [self.phone(f"signer{number}", secrets.token_urlsafe(16)) for number in range(PHONES)]
        self.by_account = {phone.account: phone for phone in self.phones}
        time.sleep(COOLING)
        self.used, self.processor_us, self.sample = 0, [], None
        self.cycle()

    def phone(self, name, password):
        # The address is confirmed: the code that is the second factor goes there.
        self.server.administer(
            "account", "create", name, "--password-stdin", "--email", f"{name}@example.com",
            "--email-verified", secret=password + "\n",
        )  # fmt: skip
        return SigningPhone(self.issuer, name, password)

    def renew(self):
        """The nonce that phones sign, and the backend's token: both last for minutes."""
        self.issuer.renew_nonce()
        token = post(self.server.url + TOKEN, self.credentials)[0]["access_token"]
        self.backend = {"Authorization": f"Bearer {token}"}

    # --- the steps

    def creation(self):
        body = {
            "type": "PURCHASE", "amount": {"value": "1250", "currency": "EUR"},
            "payee": {"name": "Anna", "account": "DE02120300000000202051"},
            "lines": [{"label": "Order", "value": "No. 42"}], "reference": "order-42", "expiresIn": LIFETIME,
        }  # fmt: skip
        return "/v1/transactions", json.dumps(body), {**self.backend, "Idempotency-Key": secrets.token_urlsafe(16)}

    def reading(self, signed):
        return f"GET /v1/transactions/{signed['transactionId']}", "", self.backend

    def step(self, requests, status):
        """All of them once; what was measured, and the answers."""
        lines = [request_line(*request) for request in requests]
        began = self.server.running.processor_seconds()
        measured, answers = load_lines(self.server.url, CONNECTIONS, lines, f'"{status}"', self.bench.folder)
        self.used += self.server.running.processor_seconds() - began
        return measured, [json.loads(answer) for answer in answers]

    def create(self, count):
        return self.step([self.creation() for _ in range(count)], "CREATED")

    def signer(self, answer):
        """Whose transaction it is since the claim: answers come in another order than their requests went."""
        return self.by_account[json.loads(wpin1.unb64(answer["payload"]))["account"]]

    def cycle(self):
        """Each phone signs some: the five steps as they were measured."""
        self.renew()
        creations, answers = self.create(FLOWS)
        requests = [phone.claim(answer) for phone, answer in zip(itertools.cycle(self.phones), answers)]
        claims, answers = self.step(requests, "CLAIMED")
        requests = [self.signer(answer).confirmation(answer) for answer in answers]
        confirmations, answers = self.step(requests, "CONFIRMED")
        self.sample = requests[0][1], json.dumps(answers[0], separators=(",", ":"))
        requests = [self.signer(answer).signature(answer) for answer in answers]
        signatures, answers = self.step(requests, "SIGNED")
        readings, _ = self.step([self.reading(answer) for answer in answers], "SIGNED")
        return creations, claims, confirmations, signatures, readings

    def round(self, seconds):
        self.used, cycles, elapsed = 0, [], 0
        while elapsed < seconds:
            cycles.append(self.cycle())
            elapsed += duration(cycles[-1])
        measured = chained(cycles)
        self.processor_us.append(self.used / measured.answers * 1e6)
        return measured


def measure(bench):
    allow_files(POLLS + 1_000)
    server = Server(bench.programs, bench.folder, "transactions.db")
    server.environment["WALLETAUTH_DEVICES_COOLING_PERIOD"] = f"{COOLING}s"
    server.start()
    try:
        transactions = Transactions(bench, server)
        against(bench, transactions)
        server.stop()
        # One address may have 256 connections, unless it is a trusted proxy's.
        server.environment["WALLETAUTH_TRUSTED_PROXIES"] = "127.0.0.1"
        server.start()
        asyncio.run(waiting(bench, transactions))
    finally:
        server.stop()


def allow_files(count):
    """Lets this process, and those that it starts, have as many files open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise SystemExit(f"{count} connections have to be open at once, and this system allows {hard} files: raise ulimit -Hn")
    if soft != resource.RLIM_INFINITY and soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def against(bench, transactions):
    body, answer = transactions.sample
    verifications = VERIFICATIONS * bench.crypto["es256_verify_us"]
    rate, change = Commits(bench.folder, CONNECTIONS).measure(bench.seconds)
    bench.compare(
        "transaction: creation, claim, confirmation, signature, reading", 0.50, answer, verifications + COMMITS * change,
        lambda url, connections, seconds: load("form.lua", url, connections, seconds, BODY=body, MUST='"challenge"'),
        lambda _, seconds: transactions.round(seconds), CONNECTIONS, requests=REQUESTS,
    )  # fmt: skip
    bench.fact("transaction: the server's processor time", statistics.median(transactions.processor_us), "µs")
    bench.fact("transaction: of it the four verifications", verifications, "µs")
    bench.fact("transaction: of it the four durable changes, as SQLite alone makes them", COMMITS * change, "µs")
    bench.fact("transaction: as many as SQLite alone commits, if nothing else took time", rate / COMMITS, "a second")


async def waiting(bench, transactions):
    """Refreshes without open polls and with them, in turns; then the changes that the polls wait for."""
    server = transactions.server
    sessions = Sessions(bench, People(server), count=4 * REFRESHING)
    transactions.renew()
    _, created = transactions.create(POLLS)
    polls = Polls(server, [answer["transactionId"] for answer in created])
    rounds = refreshing_thread()
    alone, beside = [], []
    # In this order half as often, since it takes half a minute until all polls have ended.
    for is_beside in itertools.islice(itertools.cycle((False, True, True, False)), 2 * bench.rounds):
        await opened(polls, transactions, is_beside)
        running = asyncio.get_running_loop().run_in_executor(rounds, sessions.round, REFRESHING, bench.seconds)
        measured = await running
        (beside if is_beside else alone).append(measured.p50_ms)
    await opened(polls, transactions, True)
    memory = server.running.resident_mb()
    transactions.renew()
    requests = {
        answer["transactionId"]: phone.claim(answer)
        for phone, answer in zip(itertools.cycle(transactions.phones), created[:CHANGES])
    }
    waited = await delays(polls, requests, "CLAIMED")
    polls.abandon()
    tell(bench, statistics.median(alone), statistics.median(beside), memory, waited)


def refreshing_thread():
    """A thread for the refreshes. The polls' own, which is this one, yields to it and to the server from now on: backends that wait
    have machines of their own."""
    rounds = concurrent.futures.ThreadPoolExecutor(max_workers=1)
    # On Linux a thread has a priority of its own, and one that exists keeps it.
    rounds.submit(int).result()
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST)
    return rounds


async def opened(polls, transactions, wanted):
    if polls.is_open and not wanted:
        await polls.end()
    if wanted and not polls.is_open:
        transactions.renew()
        await polls.open(transactions.backend)


def tell(bench, alone, beside, memory, waited):
    bench.fact("p50 of a refresh, no poll open", alone, "ms")
    bench.fact(f"p50 of a refresh beside {POLLS:,} open polls", beside, "ms")
    bench.fact("p50 beside open polls to that without", beside / alone, "×", 1.1)
    bench.fact(f"resident with {POLLS:,} open polls", memory, "MB")
    for name, value in (
        ("p50", statistics.median(waited)), ("p99", statistics.quantiles(waited, n=100)[98]), ("max", max(waited))
    ):  # fmt: skip
        bench.fact(f"from a change's answer to that of the poll that waits for it, {name}", value, "ms", 50)
