"""Webhooks: how fast waiting events go out next to a client that posts constants, how soon a backend hears of an event, and what
10,000 events that wait for a dead backend cost a request.

The events are creations of transactions, which need no phone. The backend is one asyncio server in a process of its own. It takes more
than 20,000 events a second from wrk, which posts the constants.
"""

import asyncio
import http.client
import json
import multiprocessing
import re
import secrets
import socket
import statistics
import time
import urllib.parse

from bench import Server
from client import post
from load import load

BACKEND = "till"
EVENTS, RATE, SECONDS, WAITING, SAMPLES = 1000, 200, 10, 10_000, 1000
# As many as the server has on their way at once.
POSTS = 64
LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
ACCEPTED = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Receiver:
    """Accepts everything, and keeps when each transaction's event came."""

    def __init__(self, port=0):
        self.arrived = multiprocessing.Value("i", 0, lock=False)
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=receive, args=(port, self.arrived, other), daemon=True)
        self.process.start()
        if not self.pipe.poll(30):
            raise SystemExit("the receiver of webhooks did not come up")
        self.port = self.pipe.recv()

    def wait(self, count, limit=120):
        """When each came, once so many have."""
        deadline = time.monotonic() + limit
        while self.arrived.value < count:
            if time.monotonic() > deadline or not self.process.is_alive():
                raise SystemExit(f"{self.arrived.value} of {count} webhooks came")
            time.sleep(0.002)
        self.pipe.send(None)
        return self.pipe.recv()

    def stop(self):
        self.process.kill()
        self.process.join()


def receive(port, arrived, pipe):
    """The receiver's process. It has its clock in common with the others."""
    loop, arrivals = asyncio.new_event_loop(), {}
    server = loop.run_until_complete(loop.create_server(lambda: Connection(arrivals, arrived), "127.0.0.1", port))
    pipe.send(server.sockets[0].getsockname()[1])
    loop.add_reader(pipe.fileno(), lambda: pipe.send((pipe.recv(), arrivals)[1]))
    loop.run_forever()


class Connection(asyncio.Protocol):
    def __init__(self, arrivals, arrived):
        self.arrivals, self.arrived, self.received, self.transport = arrivals, arrived, b"", None

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
            self.arrivals.setdefault(identifier, time.monotonic())
            self.arrived.value = len(self.arrivals)
            self.transport.write(ACCEPTED)


class Till:
    """A backend that creates transactions, one after the other over one connection."""

    def __init__(self, server, client=BACKEND):
        self.server = server
        secret = server.administer(
            "client", "create", client, "--name", "Till", "--confidential", "--auth-method",
            "client_secret_post", "--scope", "transactions", "--transactions-without-account", "--json",
        )["clientSecret"]  # fmt: skip
        self.credentials = {"grant_type": "client_credentials", "client_id": client, "client_secret": secret}
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc, timeout=30)
        self.renew()

    def renew(self):
        token = post(self.server.url + "/oauth2/token", self.credentials)[0]["access_token"]
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def create(self, **more):
        """The id, and when the request was sent and answered."""
        body = json.dumps({
            "type": "PURCHASE", "amount": {"value": "1250", "currency": "EUR"},
            "payee": {"name": "Anna", "account": "DE02120300000000202051"}, "reference": "order-42", "expiresIn": 900, **more,
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
        self.renew()
        return statistics.median(answered - sent for _, sent, answered in (self.create() for _ in range(SAMPLES))) * 1000


def constants(port, connections, seconds):
    """How many posts of the same bytes a second wrk brings to the receiver."""
    body = json.dumps({"type": "transaction.created", "data": {"transactionId": "constant", "status": "CREATED"}})
    return load("form.lua", f"http://127.0.0.1:{port}/hooks", connections, seconds, BODY=body, MUST="").rate


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
        arrivals = receiver.wait(len(asked))
        late = sorted(max(0, arrivals[one] - answered) * 1000 for one, _, answered in asked)
        bench.fact(f"webhooks: p50 from the answer to the delivery at {RATE} a second", late[len(late) // 2], "ms", 20)
        bench.fact(f"webhooks: p99 from the answer to the delivery at {RATE} a second", late[len(late) * 99 // 100], "ms", 100)
        server.administer("webhook", "remove", hook)
        receiver.stop()

        # How fast: events that wait for a backend that comes back. The command that has them sent takes a while to start.
        port = free_port()
        hook = add(server, port)
        for _ in range(EVENTS):
            till.create()
        receiver = Receiver(port)
        server.administer("webhook", "replay", hook, "--json")
        arrivals = receiver.wait(EVENTS).values()
        rate = EVENTS / (max(arrivals) - min(arrivals))
        bench.fact(f"webhooks: {EVENTS:,} that waited, a second", rate, "")
        together, single = (constants(port, connections, bench.seconds) for connections in (POSTS, 1))
        bench.fact(
            f"webhooks: the time of a client that posts constants, {POSTS} at once, for one of theirs", together / rate, "times", 2
        )
        bench.fact("webhooks: the time of one that posts them one after the other, for one of theirs", single / rate, "times")
        server.administer("webhook", "remove", hook)
        receiver.stop()

        # What waits costs others nothing: next to a dead backend for which hardly anything waits, before and after.
        hook = add(server, free_port())
        before = till.p50_ms()
        for _ in range(WAITING):
            till.create()
        beside = till.p50_ms()
        server.administer("webhook", "remove", hook)
        add(server, free_port())
        alone = (before + till.p50_ms()) / 2
        bench.fact(f"webhooks: p50 of a creation while {WAITING:,} events wait", beside / alone, "times", 1.1)
    finally:
        server.stop()
