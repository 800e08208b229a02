"""A PostgreSQL server of the demo's own, on a Unix socket in a temporary folder."""

import os
import shutil
import signal
import subprocess
import tempfile
import time

from narrator import Failed
from programs import PATIENCE, environment

# Shared memory in files of the data folder, because what is in /dev/shm outlives a server that is killed.
CONFIGURATION = """
listen_addresses = ''
unix_socket_directories = '{folder}'
max_connections = 100
max_pred_locks_per_transaction = 256
dynamic_shared_memory_type = mmap
"""


def unprivileged(command):
    """PostgreSQL refuses to run as root."""
    if os.getuid():
        return command
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]


def postgresql(name):
    """A program of PostgreSQL. Debian keeps the server's outside of the search path."""
    folders = "/usr/lib/postgresql"
    versions = sorted(os.listdir(folders), key=int, reverse=True) if os.path.isdir(folders) else []
    for version in versions:
        path = f"{folders}/{version}/bin/{name}"
        if os.path.exists(path):
            return path
    return shutil.which(name) or name


class PostgreSQL:
    """A database server on a Unix socket."""

    configuration = CONFIGURATION

    def __init__(self, standby_of=None):
        # The path of a Unix socket is limited.
        self.folder = tempfile.mkdtemp(prefix="wallet-demo-pg-", dir="/tmp")
        os.chmod(self.folder, 0o700)
        if os.getuid() == 0:
            shutil.chown(self.folder, "nobody", "nogroup")
        self.data, self.log = f"{self.folder}/data", f"{self.folder}/log"
        try:
            self.start(standby_of)
        except BaseException:
            self.stop()
            raise

    def start(self, standby_of):
        if standby_of is None:
            self.run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "--encoding=UTF8", "--locale=C", "--no-sync")
        else:
            name = os.path.basename(self.folder)
            source = f"host={standby_of.folder} user=postgres application_name={name}"
            self.run("pg_basebackup", "-D", self.data, "-d", source, "-R", "-c", "fast", "--no-sync")
        with open(f"{self.data}/postgresql.conf", "a", encoding="ascii") as file:
            file.write(self.configuration.format(folder=self.folder))
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.log, "start")

    def run(self, program, *arguments):
        # Without a pipe, which the server would inherit and hold open.
        with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
            result = subprocess.run(
                unprivileged([postgresql(program), *arguments]), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env=environment(PGHOST=self.folder, PGUSER="postgres", PGCTLTIMEOUT=str(PATIENCE)), cwd="/tmp",
                start_new_session=True,
            )  # fmt: skip
            output.seek(0)
            said = output.read()
        if result.returncode:
            raise Failed(f"{program}: {said.strip()[-1000:]}")
        return said.strip()

    def query(self, sql, database="postgres"):
        return self.run("psql", "-X", "-q", "-A", "-t", "-d", database, "-v", "ON_ERROR_STOP=1", "-c", sql)

    def create(self, name):
        """Creates a database; returns its URL."""
        self.query(f"CREATE DATABASE {name}")
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def wait_for(self, standby):
        """Every commit waits for the standby from now on."""
        name = os.path.basename(standby.folder)
        self.query(f"ALTER SYSTEM SET synchronous_standby_names = '\"{name}\"'")
        self.query("SELECT pg_reload_conf()")
        sql = f"SELECT sync_state FROM pg_stat_replication WHERE application_name = '{name}'"
        end = time.monotonic() + PATIENCE
        while self.query(sql) != "sync":
            if time.monotonic() > end:
                raise Failed("the standby does not follow")
            time.sleep(0.1)

    def kill(self):
        """Ends it as a power cut does: every process of it, without a word, and its segment of System V shared memory."""
        with open(f"{self.data}/postmaster.pid", encoding="ascii") as file:
            lines = file.read().splitlines()
        # The first line is the process, the seventh the key and the id of the segment (pidfile.h).
        postmaster, segment = int(lines[0]), lines[6].split()[1]
        with open(f"/proc/{postmaster}/task/{postmaster}/children", encoding="ascii") as file:
            children = [int(number) for number in file.read().split()]
        for process in (postmaster, *children):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        subprocess.run(["ipcrm", "-m", segment], check=False)

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "promote")

    def stop(self):
        try:
            self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
        except Failed:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def tail(self):
        if not os.path.exists(self.log):
            return ""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()[-1000:]
