"""Backends that wait for a change: `GET /v1/transactions/{id}?wait=30` over a connection each, again and again."""

import asyncio
import collections
import random
import re
import time

# What the contract allows, in seconds.
LONGEST = 30
# An answer without a change comes no earlier, and under load hardly later, than was asked for.
EARLY, LATE = 0.2, 5
# At once: more would fill the queue of connections that the server has not taken yet.
OPENING = 256
LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")


async def until(condition, seconds, trouble):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(trouble)
        await asyncio.sleep(0.1)


class Connection(asyncio.Protocol):
    """One request at a time over a kept connection of HTTP/1.1."""

    def __init__(self, port):
        self.host, self.transport, self.received = f"127.0.0.1:{port}", None, b""

    def connection_made(self, transport):
        self.transport = transport

    def send(self, method, path, headers, body=""):
        if body:
            headers = {**headers, "Content-Type": "application/json", "Content-Length": str(len(body.encode()))}
        fields = "".join(f"{name}: {value}\r\n" for name, value in {"Host": self.host, **headers}.items())
        self.transport.write(f"{method} {path} HTTP/1.1\r\n{fields}\r\n{body}".encode())

    def data_received(self, data):
        moment = time.perf_counter()
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if not end or len(body) < (int(length[1]) if length else 0):
            return
        self.received = b""
        self.answered(moment, head.startswith(b"HTTP/1.1 200 "), body)

    def answered(self, moment, is_good, body):
        raise NotImplementedError


class Poll(Connection):
    """One backend that waits for one transaction. An answer that should not have come ends the run."""

    def __init__(self, polls, transaction):
        super().__init__(polls.server.port)
        self.polls, self.transaction = polls, transaction
        self.status, self.change = b'"CREATED"', None

    def connection_made(self, transport):
        super().connection_made(transport)
        self.polls.connected[self.transaction] = self
        # The first wait is drawn, so that afterwards in each second as many end as in any other.
        self.ask(random.randint(1, LONGEST))

    def ask(self, seconds):
        self.seconds, self.asked = seconds, time.perf_counter()
        self.send("GET", f"/v1/transactions/{self.transaction}?wait={seconds}", self.polls.headers)

    def is_under_way(self):
        """Whether it has been open for a while, and will be."""
        return 1 < time.perf_counter() - self.asked < self.seconds - 2

    def expect(self, status):
        """The moment of the answer that tells of a change, once it has come."""
        self.status, self.change = status, asyncio.get_running_loop().create_future()
        return self.change

    def answered(self, moment, is_good, body):
        waited, change = moment - self.asked, self.change
        self.change = None
        in_time = change or self.seconds - EARLY < waited < self.seconds + LATE
        if not is_good or self.status not in body or not in_time:
            self.polls.is_open = False
            raise SystemExit(f"a poll of {self.seconds} s was answered after {waited:.2f} s: {body[:200]!r}")
        if change:
            change.set_result(moment)
        if self.polls.is_open:
            self.ask(LONGEST)
        else:
            self.transport.close()

    def connection_lost(self, _):
        del self.polls.connected[self.transaction]
        if self.polls.is_open:
            self.polls.is_open = False
            raise SystemExit("the server closed the connection of a poll")


class Polls:
    """Polls of as many transactions, all of them open or none."""

    def __init__(self, server, transactions):
        self.server, self.transactions = server, transactions
        self.connected, self.headers, self.is_open = {}, {}, False

    async def open(self, headers):
        """Opens them all.

        That the server has a connection for each is looked at; that each waits is told by when and how it is answered.
        """
        self.headers, self.is_open = headers, True
        loop, places = asyncio.get_running_loop(), asyncio.Semaphore(OPENING)

        async def connect(transaction):
            async with places:
                await loop.create_connection(lambda: Poll(self, transaction), "127.0.0.1", self.server.port)

        await asyncio.gather(*(connect(transaction) for transaction in self.transactions))
        count, files = len(self.transactions), self.server.running.open_files
        await until(lambda: files() >= count, LONGEST, f"the server did not take {count} connections")

    async def end(self):
        """Asks none of them again: each ends with the answer that it waits for."""
        self.is_open = False
        files = self.server.running.open_files
        await until(lambda: not self.connected, LONGEST + LATE, "a poll was not answered")
        await until(lambda: files() < len(self.transactions) / 2, LONGEST, "the server keeps connections that were closed")

    def abandon(self):
        """Closes them as they are."""
        self.is_open = False
        for poll in list(self.connected.values()):
            poll.transport.abort()


class Caller(Connection):
    """Sends requests whose answers have to be good."""

    def ask(self, path, body, headers):
        """The moment of the answer, once it has come."""
        self.moment = asyncio.get_running_loop().create_future()
        self.send("POST", path, headers, body)
        return self.moment

    def answered(self, moment, is_good, body):
        if not is_good:
            raise SystemExit(f"refused: {body[:200]!r}")
        self.moment.set_result(moment)


async def delays(polls, requests, status):
    """From the answer to a request that changes a transaction to that of its poll, in milliseconds.

    A poll that is answered first counts as zero.

    - requests: path, body and headers by transaction; one after another.
    - status: what the poll then says.
    """
    caller = Caller(polls.server.port)
    await asyncio.get_running_loop().create_connection(lambda: caller, "127.0.0.1", polls.server.port)
    queue, found = collections.deque(requests.items()), []
    while queue:
        transaction, request = queue.popleft()
        poll = polls.connected[transaction]
        if not poll.is_under_way():
            queue.append((transaction, request))
            await asyncio.sleep(0.01)
            continue
        told = poll.expect(f'"{status}"'.encode())
        changed, arrived = await asyncio.wait_for(asyncio.gather(caller.ask(*request), told), LATE)
        found.append(max(0, arrived - changed) * 1000)
    caller.transport.close()
    return found
