"""A proxy between a server and PostgreSQL that interferes between two messages of a transaction.

    postgresql_proxy.py SOCKET      the path of PostgreSQL's Unix socket

Prints the port on 127.0.0.1 that servers connect to, and the port of its control. There, one request a connection, a line each:

    fault KIND NUMBER    at the NUMBER-th message of the next serializable transaction, from 1 on: cut, reset, stall or lose.
                         Answers `ok`.
    fault KIND NUMBER TABLE    the same for the next statement that changes that table and commits by itself.
    seen                 what the transactions since the fault was set have come to: `{"happened": …, "messages": […]}`

Messages are those of PostgreSQL's protocol from the server to the database (Parse, Bind, Execute, Sync), counted on the connection of
the first transaction that begins. The one that commits is marked. `cut` closes both sides before the message, `reset` does the same
with a RST, `stall` holds it and everything after it, and `lose` passes it on and none of its answers.
"""

import asyncio
import json
import socket
import struct
import sys

LINGER = struct.pack("ii", 1, 0)


class Proxy:
    def __init__(self, path):
        self.path = path
        self.fault, self.table, self.victim, self.happened, self.messages = None, None, None, False, []

    async def control(self, reader, writer):
        words = (await reader.readline()).decode().split()
        if words[0] == "fault":
            self.fault, self.victim, self.happened, self.messages = (words[1], int(words[2])), None, False, []
            self.table = words[3] if len(words) > 3 else None
            writer.write(b"ok\n")
        else:
            writer.write(json.dumps({"happened": self.happened, "messages": self.messages}).encode() + b"\n")
        await writer.drain()
        writer.close()

    async def serve(self, reader, writer):
        try:
            database = await asyncio.open_unix_connection(self.path)
        except OSError:
            writer.close()
            return
        connection = Connection(self, (reader, writer), database)
        await asyncio.gather(connection.requests(), connection.answers(), return_exceptions=True)
        connection.close()


class Connection:
    def __init__(self, proxy, server, database):
        self.proxy, self.server, self.database = proxy, server, database
        self.in_transaction, self.is_ending, self.loses = False, False, False
        # The text of each prepared statement by its name.
        self.statements = {}

    def close(self, reset=False):
        for _, writer in (self.server, self.database):
            if reset and (open_socket := writer.get_extra_info("socket")) and open_socket.family == socket.AF_INET:
                open_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)
                writer.transport.abort()
            writer.close()

    async def requests(self):
        """Message by message, so that each can be the one."""
        reader, writer = self.server[0], self.database[1]
        # The first has no type.
        length = await reader.readexactly(4)
        writer.write(length + await reader.readexactly(int.from_bytes(length, "big") - 4))
        while True:
            head = await reader.readexactly(5)
            body = await reader.readexactly(int.from_bytes(head[1:], "big") - 4)
            kind = self.fault_at(head[:1].decode(), body)
            if kind in ("cut", "reset"):
                self.close(reset=kind == "reset")
                return
            if kind == "stall":
                # Until the server gives up.
                while await reader.read(65536):
                    pass
                self.close()
                return
            self.loses |= kind == "lose"
            writer.write(head + body)
            if not self.in_transaction or head[:1] == b"S":
                await writer.drain()

    def fault_at(self, name, body):
        """The fault that this message brings about; `None` to pass it on."""
        proxy = self.proxy
        if name == "P":
            statement, text = body.split(b"\0")[:2]
            self.statements[statement] = text.decode()
        if not self.in_transaction and self.begins(name, body):
            self.in_transaction = True
            # A statement that commits by itself does so when its messages are synchronized.
            self.is_ending = name == "B"
            if proxy.fault and proxy.victim is None:
                proxy.victim = self
        if not self.in_transaction:
            return None
        fault = None
        if proxy.victim is self and proxy.fault:
            commits = b"COMMIT" in body if name == "P" else name == "S" and proxy.table
            proxy.messages.append(name + (" COMMIT" if commits else ""))
            if len(proxy.messages) == proxy.fault[1]:
                fault, proxy.fault, proxy.happened = proxy.fault[0], None, True
        if name == "P" and (b"COMMIT" in body or b"ROLLBACK" in body):
            self.is_ending = True
        if name == "S" and self.is_ending:
            self.in_transaction = self.is_ending = False
            if proxy.victim is self and not fault:
                # The whole transaction had fewer messages.
                proxy.fault = None
        return fault

    def begins(self, name, body):
        """Whether a message begins a transaction of the kind that the fault is meant for."""
        if not self.proxy.table:
            return name == "P" and b"BEGIN ISOLATION LEVEL SERIALIZABLE" in body
        # The portal's name, and then the statement's.
        text = self.statements.get(body.split(b"\0")[1], "") if name == "B" else ""
        return text.split()[:2] == ["UPDATE", self.proxy.table]

    async def answers(self):
        reader, writer = self.database[0], self.server[1]
        while data := await reader.read(65536):
            if self.loses:
                self.close()
                return
            writer.write(data)
            await writer.drain()
        self.close()


async def main(path):
    proxy = Proxy(path)
    listener = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    control = await asyncio.start_server(proxy.control, "127.0.0.1", 0)
    print(*(server.sockets[0].getsockname()[1] for server in (listener, control)), flush=True)
    await asyncio.gather(listener.serve_forever(), control.serve_forever())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1]))
