"""Webhooks: how fast waiting events go out next to a client that posts constants, how soon a backend hears of an event, and what
10,000 events that wait for a dead backend cost a request.

The events are creations of transactions, which need no phone. The backend is one asyncio server for all of it.
"""

import asyncio
import http.client
import json
import re
import secrets
import socket
import statistics
import threading
import time
import urllib.parse

from bench import Server
from client import post

BACKEND = "till"
EVENTS, RATE, SECONDS, WAITING, SAMPLES = 1000, 200, 10, 10_000, 500
LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
ACCEPTED = b"HTTP/1.1 204 No Content\r\n\r\n"


class Receiver:
    """Accepts everything, and keeps when each transaction's event came."""

    def __init__(self, port=0):
        self.arrivals, self.port, self.loop = {}, port, asyncio.new_event_loop()
        started = threading.Event()
        threading.Thread(target=self.run, args=(started,), daemon=True).start()
        started.wait()

    def run(self, started):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(self.loop.create_server(lambda: Connection(self), "127.0.0.1", self.port))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self.loop.run_forever()

    def wait(self, count, limit=120):
        deadline = time.monotonic() + limit
        while len(self.arrivals) < count:
            if time.monotonic() > deadline:
                raise SystemExit(f"{len(self.arrivals)} of {count} webhooks came")
            time.sleep(0.002)
        return max(self.arrivals.values())


class Connection(asyncio.Protocol):
    def __init__(self, receiver):
        self.receiver, self.received, self.transport = receiver, b"", None

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.received += data
        while (end := self.received.find(b"\r\n\r\n")) >= 0:
            length = int(LENGTH.search(self.received[: end + 2])[1])
            if len(self.received) < end + 4 + length:
                return
            body, self.received = self.received[end + 4 : end + 4 + length], self.received[end + 4 + length :]
            identifier = json.loads(body)["data"]["transactionId"]
            self.receiver.arrivals.setdefault(identifier, time.monotonic())
            self.transport.write(ACCEPTED)


class Till:
    """A backend that creates transactions, one after the other over one connection."""

    def __init__(self, server):
        self.server = server
        secret = server.administer(
            "client", "create", BACKEND, "--name", "Till", "--confidential", "--auth-method",
            "client_secret_post", "--scope", "transactions", "--transactions-without-account", "--json",
        )["clientSecret"]  # fmt: skip
        self.credentials = {"grant_type": "client_credentials", "client_id": BACKEND, "client_secret": secret}
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc, timeout=30)
        self.renew()

    def renew(self):
        token = post(self.server.url + "/oauth2/token", self.credentials)[0]["access_token"]
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def create(self):
        """The id, and when the request was sent and answered."""
        body = json.dumps({
            "type": "PURCHASE", "amount": {"value": "1250", "currency": "EUR"},
            "payee": {"name": "Anna", "account": "DE02120300000000202051"}, "reference": "order-42", "expiresIn": 900,
        })  # fmt: skip
        sent = time.monotonic()
        headers = {**self.headers, "Idempotency-Key": secrets.token_urlsafe(16)}
        self.connection.request("POST", "/v1/transactions", body, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 201:
            raise SystemExit(f"a transaction: {answer.status} {content[:200]}")
        return json.loads(content)["transactionId"], sent, time.monotonic()

    def p50_ms(self):
        return statistics.median(answered - sent for _, sent, answered in (self.create() for _ in range(SAMPLES))) * 1000


def constants(port, count):
    """The seconds that a client takes for as many posts of the same bytes over one connection."""
    body = json.dumps({"type": "transaction.created", "data": {"transactionId": "constant", "status": "CREATED"}})
    request = f"POST /hooks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        began = time.monotonic()
        for _ in range(count):
            connection.sendall(request)
            if not connection.recv(4096):
                raise SystemExit("the receiver closed the connection")
        return time.monotonic() - began


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def add(server, port):
    url = f"http://127.0.0.1:{port}/hooks"
    return server.administer("webhook", "add", url, "--client", BACKEND, "--kind", "transactions", "--json")["id"]


def measure(bench):
    server = Server(bench.programs, bench.folder, "webhooks.db").start()
    try:
        till, receiver = Till(server), Receiver()

        # How soon: at a steady rate, from the request and from its answer, which follows the commit.
        hook, asked = add(server, receiver.port), []
        began = time.monotonic()
        for number in range(RATE * SECONDS):
            time.sleep(max(0, began + number / RATE - time.monotonic()))
            asked.append(till.create())
        receiver.wait(len(asked))
        late = sorted(max(0, receiver.arrivals[one] - answered) * 1000 for one, _, answered in asked)
        bench.fact(f"webhooks: p50 from the answer to the delivery at {RATE} a second", late[len(late) // 2], "ms", 20)
        bench.fact(f"webhooks: p99 from the answer to the delivery at {RATE} a second", late[len(late) * 99 // 100], "ms", 100)
        server.administer("webhook", "remove", hook)

        # How fast: events that wait for a backend that comes back.
        port = free_port()
        hook = add(server, port)
        for _ in range(EVENTS):
            till.create()
        back = Receiver(port)
        began = time.monotonic()
        server.administer("webhook", "replay", hook, "--json")
        took = back.wait(EVENTS) - began
        limit = constants(port, EVENTS)
        bench.fact(f"webhooks: {EVENTS:,} that waited, a second", EVENTS / took, "")
        bench.fact("webhooks: the time of a client that posts constants, for one of theirs", took / limit, "times", 2)
        server.administer("webhook", "remove", hook)

        # What waits costs others nothing.
        before = till.p50_ms()
        add(server, free_port())
        till.renew()
        for _ in range(WAITING):
            till.create()
        till.renew()
        bench.fact(f"webhooks: p50 of a creation while {WAITING:,} events wait", till.p50_ms() / before, "times", 1.1)
    finally:
        server.stop()
