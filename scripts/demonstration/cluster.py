"""What several servers need around them: a PostgreSQL primary with a standby, and HAProxy. All of it is in a temporary folder."""

import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from narrator import Failed
from programs import environment, free_port

CONFIGURATION = """
listen_addresses = ''
unix_socket_directories = '{folder}'
max_connections = 100
max_pred_locks_per_transaction = 256
"""

# docs/scaling.md explains each line.
HAPROXY = """
defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    retries 2
    option redispatch 1
frontend wallet
    bind 127.0.0.1:{port}
    http-request set-header X-Forwarded-For %[src]
    http-request set-header X-Forwarded-Proto http
    http-request del-header Forwarded
    default_backend servers
backend servers
    balance roundrobin
    option httpchk
    http-check send meth GET uri /health/ready ver HTTP/1.1 hdr Host 127.0.0.1
    http-check expect status 200
    default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
    server one 127.0.0.1:{one}
    server two 127.0.0.1:{two}
"""


def unprivileged(command):
    """PostgreSQL refuses to run as root, and HAProxy need not."""
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

    def __init__(self, standby_of=None):
        # The path of a Unix socket is limited.
        self.folder = tempfile.mkdtemp(prefix="wallet-demo-pg-", dir="/tmp")
        os.chmod(self.folder, 0o700)
        if os.getuid() == 0:
            shutil.chown(self.folder, "nobody", "nogroup")
        self.data, self.log = f"{self.folder}/data", f"{self.folder}/log"
        if standby_of is None:
            self.run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "--encoding=UTF8", "--locale=C", "--no-sync")
        else:
            name = os.path.basename(self.folder)
            source = f"host={standby_of.folder} user=postgres application_name={name}"
            self.run("pg_basebackup", "-D", self.data, "-d", source, "-R", "-c", "fast", "--no-sync")
        with open(f"{self.data}/postgresql.conf", "a", encoding="ascii") as file:
            file.write(CONFIGURATION.format(folder=self.folder))
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.log, "start")

    def run(self, program, *arguments):
        # Without a pipe, which the server would inherit and hold open.
        with open(f"{self.folder}.out", "w+", encoding="utf-8") as output:
            result = subprocess.run(
                unprivileged([postgresql(program), *arguments]), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env=environment(PGHOST=self.folder, PGUSER="postgres"), cwd="/tmp", start_new_session=True,
            )  # fmt: skip
            output.seek(0)
            said = output.read()
        os.unlink(f"{self.folder}.out")
        if result.returncode:
            raise Failed(f"{program}: {said.strip()[-1000:]}")
        return said.strip()

    def query(self, sql, database="postgres"):
        return self.run("psql", "-X", "-q", "-A", "-t", "-d", database, "-v", "ON_ERROR_STOP=1", "-c", sql)

    def wait_for(self, standby):
        """Every commit waits for the standby from now on."""
        name = os.path.basename(standby.folder)
        self.query(f"ALTER SYSTEM SET synchronous_standby_names = '\"{name}\"'")
        self.query("SELECT pg_reload_conf()")
        sql = f"SELECT sync_state FROM pg_stat_replication WHERE application_name = '{name}'"
        end = time.monotonic() + 30
        while self.query(sql) != "sync":
            if time.monotonic() > end:
                raise Failed("the standby does not follow")
            time.sleep(0.1)

    def kill(self):
        """Ends it as a power cut does: every process of it, without a word."""
        with open(f"{self.data}/postmaster.pid", encoding="ascii") as file:
            postmaster = int(file.readline())
        with open(f"/proc/{postmaster}/task/{postmaster}/children", encoding="ascii") as file:
            children = [int(number) for number in file.read().split()]
        for process in (postmaster, *children):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

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


class HAProxy:
    """One address for two servers; asks each of them twice a second whether it is ready."""

    def __init__(self, folder):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.configuration = os.path.join(folder, "haproxy.cfg")
        self.log = os.path.join(folder, "haproxy.log")
        self.process = None

    def start(self, one, two):
        with open(self.configuration, "w", encoding="ascii") as file:
            file.write(HAPROXY.format(port=self.port, one=one, two=two))
        program = shutil.which("haproxy") or "/usr/sbin/haproxy"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [program, "-db", "-f", self.configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        end = time.monotonic() + 30
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failed("HAProxy did not come up")
            select.select([], [], [], 0.05)

    def answers(self):
        try:
            with urllib.request.urlopen(self.url + "/health/ready", timeout=5):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None
