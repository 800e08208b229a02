"""Refresh on PostgreSQL, by one server process and by two, next to what pgbench gets from the same database for the same guarded UPDATE
over as many connections; the same refresh with more and more sessions; what PostgreSQL does with the rows; and what has to run again.

BENCHMARK_SESSIONS=10000000 adds a size.
"""

import concurrent.futures
import os
import secrets
import subprocess
import urllib.parse

import demonstration  # noqa: F401  finds the folder of database_server.py
from bench import LIMITS, Server, load
from client import APP, App, Key
from database_server import CONFIGURATION, PostgreSQL, postgresql, unprivileged
from forge import RefreshKey
from growth import CONNECTIONS as FEW
from growth import SAMPLE
from load import Round, middle
from tokens import CONNECTIONS, SESSIONS, People

# What each process has, apart from one for its membership: the default of `postgresql.connections`.
POOL = 8
SIZES = [10**4, 10**6]
# 10⁷ sessions take 6 GB of disk, and a quarter of an hour.
if os.environ.get("BENCHMARK_SESSIONS"):
    SIZES.append(int(os.environ["BENCHMARK_SESSIONS"]))
GOAL = 0.70
SETTINGS = """
shared_buffers = 512MB
max_wal_size = 4GB
dynamic_shared_memory_type = posix
"""
# The id of the n-th session, time-ordered as the server makes them. In pgbench's scripts n is a variable.
ID = (
    "decode(lpad(to_hex(1750000000000 + {n}::bigint * 3), 12, '0') || '7' || substr(md5({n}::text), 1, 3) || '8' || "
    "substr(md5({n} || 'x'), 1, 15), 'hex')"
)
# As Sessions.swift has it; the generation is whatever it is, since pgbench does not know it.
UPDATE = """
UPDATE sessions SET generation = generation + 1, rotated_at = {now}, attempt_hash = sha256(convert_to('a' || :n, 'UTF8')),
    expires_at = CASE WHEN {now} + 2592000000 < absolute_expires_at THEN {now} + 2592000000 ELSE absolute_expires_at END,
    counts_until = CASE WHEN counts_until >= {now} THEN {now} + 300000 ELSE counts_until END
WHERE id = {id} AND generation >= 0 AND revoked_at IS NULL AND expires_at > {now} AND security_version =
    (SELECT a.security_version FROM accounts a WHERE a.id = sessions.account_id AND a.state = 'active')
    AND NOT EXISTS (SELECT 1 FROM clients c
        WHERE c.id IN (sessions.client_id, sessions.granted_to) AND c.state <> 'active')
RETURNING generation;
"""


class Database(PostgreSQL):
    """A PostgreSQL server with one database of walletauth."""

    configuration = CONFIGURATION + SETTINGS

    def start(self, standby_of):
        super().start(standby_of)
        self.url = self.create("wallet")

    def ask(self, sql):
        return self.query(sql, "wallet")

    def number(self, sql):
        return int(self.ask(sql) or 0)

    def fill(self, count):
        """Adds sessions like the one that is there until there are so many."""
        present = self.number("SELECT count(*) FROM sessions")
        columns = self.ask(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'sessions'::regclass AND attnum > 0 AND NOT attisdropped"
        ).splitlines()
        own = {"id": ID.format(n="n"), "secret": "decode(md5(n || 's'), 'hex')"}
        values = ", ".join(own.get(column, f"t.{column}") for column in columns)
        self.ask(
            f"SET synchronous_commit = off; INSERT INTO sessions ({', '.join(columns)}) SELECT {values} FROM "
            f"(SELECT * FROM sessions ORDER BY created_at LIMIT 1) t, generate_series({present + 1}, {count}) n"
        )
        self.ask("VACUUM ANALYZE sessions")
        self.ask("CHECKPOINT")

    def tokens(self, key, count):
        """Refresh tokens of sessions from all over the table."""
        rows = self.ask(
            "SELECT encode(id, 'hex'), generation, encode(secret, 'hex'), client_id, encode(account_id, 'hex') "
            f"FROM sessions WHERE revoked_at IS NULL ORDER BY random() LIMIT {count}"
        )
        split = (row.split("|") for row in rows.splitlines())
        return [
            key.token(bytes.fromhex(session), int(generation), bytes.fromhex(secret), client, bytes.fromhex(account))
            for session, generation, secret, client, account in split
        ]

    def size(self):
        return self.number("SELECT pg_total_relation_size('sessions')")

    def pgbench(self, script, connections, seconds, sessions):
        """The rate of a script for pgbench, and the average time of one run."""
        path = f"{self.folder}.pgbench"
        with open(path, "w", encoding="ascii") as file:
            file.write(f"\\set n random(1, {sessions})\n{script}")
        os.chmod(path, 0o644)
        program = postgresql("pgbench")
        version = int(subprocess.check_output([program, "--version"], text=True).split()[2].split(".")[0])
        # Before version 15 a client that meets a conflict ends.
        again = ["--max-tries", "100"] if version >= 15 else []
        try:
            output = subprocess.check_output(
                unprivileged([
                    program, "-h", self.folder, "-U", "postgres", "--no-vacuum", "--protocol", "prepared", "--client",
                    str(connections), "--jobs", "1", "--time", str(seconds), "--file", path, *again, "wallet",
                ]), text=True, stderr=subprocess.STDOUT, cwd="/tmp",
            )  # fmt: skip
        finally:
            os.unlink(path)
        figures = dict(line.split(" = ") for line in output.splitlines() if " = " in line)
        rate, average = (float(figures[name].split()[0]) for name in ("tps", "latency average"))
        # Without percentiles, which pgbench does not print.
        return Round(rate=rate, p50_ms=average, p99_ms=average, answers=round(rate * seconds))

    def counters(self):
        row = self.ask(
            "SELECT xact_commit, xact_rollback, n_tup_upd, n_tup_hot_upd FROM pg_stat_database, pg_stat_user_tables "
            "WHERE datname = 'wallet' AND relname = 'sessions'"
        )
        return [int(field) for field in row.split("|")]


class PostgreSQLServer(Server):
    """One of several processes on the database, each with a folder of its own."""

    def __init__(self, bench, database, name, issuer=None, key=None):
        folder = f"{bench.folder}/{name}"
        os.mkdir(folder)
        super().__init__(bench.programs, folder)
        self.key = key or f"{folder}/walletauth.master-key"
        self.environment = {
            "WALLETAUTH_DATABASE": database.url, "WALLETAUTH_POSTGRESQL_FOLDER": folder, "WALLETAUTH_LOG_LEVEL": "error",
            "WALLETAUTH_POSTGRESQL_CONNECTIONS": str(POOL), **LIMITS,
        }  # fmt: skip
        if issuer:
            self.environment |= {"WALLETAUTH_ISSUER": issuer, "WALLETAUTH_MASTER_KEY_FILE": key}

    def start(self):
        super().start()
        # The ready line names the issuer, which is the first one's address.
        if "WALLETAUTH_ISSUER" in self.environment:
            self.port = listening_port(self.running.process.pid)
            self.url = f"http://127.0.0.1:{self.port}"
        return self


def listening_port(pid):
    """The port on which a process listens (proc(5))."""
    sockets = set()
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            sockets.add(os.readlink(f"/proc/{pid}/fd/{number}"))
        except FileNotFoundError:
            pass
    with open("/proc/net/tcp", encoding="ascii") as table:
        for line in table.readlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                return int(fields[1].split(":")[1], 16)
    raise SystemExit("a server listens on no port")


class PostgreSQLKey(RefreshKey):
    """The data key of refresh tokens, from a PostgreSQL database."""

    def __init__(self, database, master_key):
        number, wrapped = database.ask(
            "SELECT kid, encode(wrapped, 'hex') FROM data_keys WHERE purpose = 'refresh' AND retired_at IS NULL"
        ).split("|")
        self.unwrap(master_key, int(number), bytes.fromhex(wrapped))


class Loads:
    """Refreshes at one process or several: each has sessions of its own, so that no token is sent twice."""

    def __init__(self, bench, servers, app, person):
        self.bench, self.servers, self.app, self.person = bench, servers, app, person

    def round(self, connections, seconds):
        each = connections // len(self.servers)
        with concurrent.futures.ThreadPoolExecutor(len(self.servers)) as pool:
            files = [self.file(number) for number in range(len(self.servers))]
            running = [
                pool.submit(
                    load, "refresh.lua", server.endpoint("/oauth2/token"), each, seconds,
                    TOKENS=path, BODY=f"grant_type=refresh_token&client_id={APP}",
                )
                for server, path in zip(self.servers, files)
            ]  # fmt: skip
            rounds = [one.result() for one in running]
        return Round(
            rate=sum(one.rate for one in rounds), p50_ms=middle(rounds).p50_ms, p99_ms=max(one.p99_ms for one in rounds),
            answers=sum(one.answers for one in rounds),
        )  # fmt: skip

    def file(self, number):
        path = f"{self.bench.folder}/tokens-{number}.txt"
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(self.app.sessions(SESSIONS // len(self.servers), self.person)) + "\n")
        return path


def measure(bench):
    database, servers = Database(), []
    try:
        servers.append(PostgreSQLServer(bench, database, "one").start())
        people = People(servers[0])
        app = App(servers[0].url)
        database_limits(bench, database, servers, people, app)
        growth(bench, database, servers[0], people)
    finally:
        for server in servers:
            server.stop()
        database.stop()


def statement(database):
    now = database.number("SELECT extract(epoch FROM now())::bigint * 1000")
    return UPDATE.format(now=now, id=ID.format(n=":n"))


def database_limits(bench, database, servers, people, app):
    """One process, then two, each in turns with pgbench over as many connections."""
    # A session as the load's are, for pgbench's rows to be like.
    app.sessions(1, people.person)
    database.fill(SIZES[0])
    guarded = statement(database)
    for processes in (1, 2):
        if processes == 2:
            first = servers[0]
            servers.append(PostgreSQLServer(bench, database, "two", first.url, first.key).start())
        loads, connections = Loads(bench, servers, app, people.person), processes * POOL
        ours, limits = [], []
        before = database.counters()
        spent = sum(server.running.processor_seconds() for server in servers)
        for _ in range(bench.rounds):
            ours.append(loads.round(CONNECTIONS, bench.seconds))
        spent = sum(server.running.processor_seconds() for server in servers) - spent
        # The statistics of a connection arrive within a second.
        database.ask("SELECT pg_sleep(1.5)")
        after = database.counters()
        for _ in range(bench.rounds):
            limits.append(database.pgbench(guarded, connections, bench.seconds, SIZES[0] - 1))
        name = f"{processes} process{'es' if processes > 1 else ''}"
        bench.row(f"refresh on PostgreSQL, {name}, {connections} connections", GOAL, ours, middle(limits).rate)
        answers = sum(one.answers for one in ours)
        bench.fact(f"{name}: the servers' processor time for a refresh", spent / answers * 1e6, "µs")
        committed, repeated = (after[place] - before[place] for place in (0, 1))
        bench.fact(f"{name}: transactions that were rolled back, of 1,000", repeated / (committed + repeated) * 1000, "")
    # What the server does in a transaction: it reads, decides and updates.
    whole = (
        f"BEGIN ISOLATION LEVEL SERIALIZABLE;\nSELECT * FROM sessions WHERE id = {ID.format(n=':n')};\n{guarded}COMMIT;\n"
    )
    serializable = middle([database.pgbench(whole, 2 * POOL, bench.seconds, SIZES[0] - 1) for _ in range(bench.rounds)])
    bench.fact("pgbench: the same, read and updated in a SERIALIZABLE transaction", serializable.rate, "a second")


def growth(bench, database, server, people):
    """One refresh over few connections, with more and more sessions, which are bound to a key and were renewed with an attempt."""
    app, attempt, path = App(server.url, Key()), secrets.token_urlsafe(16), f"{bench.folder}/tokens.txt"
    form = {"grant_type": "refresh_token", "client_id": APP, "attempt": attempt}
    database.ask("UPDATE sessions SET revoked_at = 0, revoked_reason = 'logout' WHERE revoked_at IS NULL")
    app.token(**form, refresh_token=app.sessions(1, people.person)[0])
    database.ask("DELETE FROM sessions WHERE revoked_at IS NOT NULL")
    database.ask("VACUUM FULL sessions")
    key, first, filled, measured, before = PostgreSQLKey(database, server.key), None, 0, None, None
    for size in SIZES:
        empty = database.size()
        present = database.number("SELECT count(*) FROM sessions")
        database.fill(size)
        filled = database.size()
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(database.tokens(key, SAMPLE)) + "\n")
        app.token(**form, refresh_token="none")
        before = database.counters()
        measured = load(
            "refresh.lua", server.endpoint("/oauth2/token"), FEW, bench.seconds, TOKENS=path,
            BODY=urllib.parse.urlencode(form), DPOP=app.proof(),
        )  # fmt: skip
        first = first or measured.p50_ms
        bench.fact(f"p50 of a DPoP-bound refresh on PostgreSQL, {size:,} sessions", measured.p50_ms, "ms")
        bench.fact(f"a session in the database, {size:,} sessions", (filled - empty) / (size - present), "bytes")
    bench.fact(f"p50 with {SIZES[-1]:,} sessions to that with {SIZES[0]:,}", measured.p50_ms / first, "×", 1.3)
    # The statistics of a connection arrive within a second.
    database.ask("SELECT pg_sleep(1.5)")
    updated, hot = (new - old for new, old in zip(database.counters()[2:], before[2:]))
    bench.fact(f"updates that wrote to an index, {SIZES[-1]:,} sessions", (1 - hot / updated) * 100, "%", 1)
    bench.fact("the table grows by, for each refresh", (database.size() - filled) / measured.answers, "bytes", 1)

