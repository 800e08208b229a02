"""The programs of the demo: `walletauth` and the wallet's backend as operators run them, `wallet` as the person's app."""

import base64
import json
import os
import random
import select
import signal
import socket
import subprocess
import threading
import time

from gateway import Gateway
from narrator import Failed

# Seconds. It only ends a demo that would hang: a busy machine may take ten times as long as usual.
PATIENCE = 300


def environment(**more):
    """Nothing of the caller's own configuration reaches the demo, and nothing waits for a killed program's backtrace."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("WALLETAUTH_", "WALLET_"))}
    return {**kept, "SWIFT_BACKTRACE": "enable=no", **more}


def end_by_any_signal():
    """A closed terminal and `kill` end the demo as Ctrl-C does: the programs are in sessions of their own, and would go on."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def ignore_signals():
    """Nothing interrupts the end of the programs from now on: those that were not reached would go on."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def free_port():
    """Below those that the system gives to outgoing connections, which could be taken before the start."""
    for port in random.sample(range(10000, 32768), 64):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise Failed("no free port between 10000 and 32767")


class Server:
    """`walletauth serve` in the sandbox, on a SQLite file in its folder or on a PostgreSQL database."""

    def __init__(self, program, folder, issuer, postgresql=None):
        """`postgresql` is the URL of a PostgreSQL database."""
        self.program, self.folder, self.issuer = program, folder, issuer
        self.engine = "PostgreSQL" if postgresql else "SQLite"
        self.port = free_port()
        # All that a command needs to find this server's data.
        self.settings = {"WALLETAUTH_DATABASE": postgresql or f"sqlite:{folder}/demo.db"}
        if postgresql:
            # A command asks the database, not the server: so it has to know the issuer, too.
            self.settings |= {"WALLETAUTH_POSTGRESQL_FOLDER": folder, "WALLETAUTH_ISSUER": issuer}
        self.environment = environment(**self.settings)
        self.log = os.path.join(folder, "server.log")
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "serve", "--port", str(self.port), "--issuer", self.issuer],
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                # Ctrl-C is the demo's to handle: it stops the server itself, in order.
                start_new_session=True,
            )
        began = time.monotonic()
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready else ""
        if "ready at" not in line:
            raise Failed(f"the server did not come up:\n{self.tail()}")
        return time.monotonic() - began

    def administer(self, *arguments, secret=None):
        """Runs an administration command while the server runs."""
        result = subprocess.run(
            [self.program, *arguments], env=self.environment, input=secret, capture_output=True, text=True, timeout=PATIENCE
        )
        if result.returncode:
            raise Failed(f"walletauth {' '.join(arguments[:2])}: {result.stderr.strip()}")
        return result.stdout

    def refused(self, *arguments):
        """Runs a command that has to be refused; returns the line that it said so in."""
        result = subprocess.run(
            [self.program, *arguments], env=self.environment, capture_output=True, text=True, timeout=PATIENCE
        )
        if result.returncode != 1:
            raise Failed(f"walletauth {' '.join(arguments[:2])} ended with {result.returncode}, but should have been refused")
        return (result.stderr.strip() or result.stdout.strip()).splitlines()[-1]

    def stop(self):
        return end(self)

    def tail(self):
        return tail(self.log)


class ProductionServer(Server):
    """`walletauth serve` in production, with TLS, on a SQLite file."""

    def __init__(self, program, folder):
        super().__init__(program, folder, None)
        self.issuer = f"https://localhost:{self.port}"
        self.certificate = os.path.join(folder, "tls.pem")
        made = subprocess.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", self.certificate + ".key",
                "-out", self.certificate,
            ],
            capture_output=True, text=True,
        )  # fmt: skip
        if made.returncode:
            raise Failed(f"openssl made no certificate: {made.stderr.strip()}")
        key = os.path.join(folder, "master-key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(base64.b64encode(os.urandom(32)))
        self.configure(
            WALLETAUTH_ENVIRONMENT="production", WALLETAUTH_ISSUER=self.issuer, WALLETAUTH_MASTER_KEY_FILE=key,
            WALLETAUTH_TLS_CERTIFICATE=self.certificate, WALLETAUTH_TLS_KEY=self.certificate + ".key",
        )  # fmt: skip

    def configure(self, **settings):
        self.settings |= settings
        self.environment = environment(**self.settings)

    def start(self):
        # In production `serve` makes no database: a mistyped path would know no account.
        self.administer("database", "migrate")
        return super().start()


def end(program):
    """Ends a program as an operator does; returns its status."""
    if program.process is None:
        return 0
    program.process.send_signal(signal.SIGTERM)
    try:
        status = program.process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        program.process.kill()
        status = program.process.wait()
    program.process = None
    return status


def tail(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as log:
        return log.read()[-2000:]


class WalletBackend:
    """`wallet-backend`, the example of a backend that keeps the money, behind a network of its own."""

    def __init__(self, program, folder, issuer, certificate=None):
        """`certificate` is that of a server with an authority of its own; the backend has it, too."""
        self.program, self.issuer, self.authority = program, issuer, certificate or ""
        self.gateway = Gateway(certificate)
        self.gateway.upstream = free_port()
        self.url = self.gateway.url
        self.database = os.path.join(folder, "ledger.db")
        self.log = os.path.join(folder, "backend.log")
        self.environment = environment()
        self.process = None

    def start(self, client_id, secret, *options):
        self.environment = environment(
            WALLET_BACKEND_ISSUER=self.issuer, WALLET_BACKEND_CLIENT_ID=client_id, WALLET_BACKEND_CLIENT_SECRET=secret,
            WALLET_BACKEND_CA_FILE=self.authority,
        )  # fmt: skip
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [
                    self.program, "serve", "--port", str(self.gateway.upstream), "--external-url", self.url,
                    "--database", self.database, *options,
                ],
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )  # fmt: skip
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready else ""
        if "ready at" not in line:
            raise Failed(f"the wallet's backend did not come up:\n{tail(self.log)}")

    def run(self, *arguments):
        """Runs a command while the process serves; returns what it printed."""
        result = subprocess.run(
            [self.program, *arguments, "--database", self.database],
            env=self.environment, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        if result.returncode:
            raise Failed(f"wallet-backend {arguments[0]}: {result.stderr.strip()}")
        return result.stdout

    def stop(self):
        self.gateway.shutdown()
        return end(self)

    def tail(self):
        return tail(self.log)


class MovedApp:
    """`moved-apps`: an app with the code of a vendor's page. It prints what the code receives, and asks what a person would be asked."""

    def __init__(self, program, folder, issuer, vendor, *options):
        self.command = [program, vendor, "--issuer", issuer, "--home", folder, *options]

    def run(self, answer, show):
        """Runs the app to its end. `answer` is given each question; `show`, each line. Returns the lines."""
        process = subprocess.Popen(
            self.command, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        watchdog = threading.Timer(PATIENCE, process.kill)
        watchdog.start()
        lines = []
        try:
            for line in map(str.rstrip, process.stdout):
                if line.startswith("? "):
                    process.stdin.write(answer(line[2:]) + "\n")
                    process.stdin.flush()
                else:
                    lines.append(line)
                    show(line)
            status = process.wait()
        finally:
            watchdog.cancel()
            process.kill()
            process.wait()
        if status:
            raise Failed(f"moved-apps {self.command[1]} ended with {status}: {lines[-1] if lines else 'it said nothing'}")
        return lines


class WalletApp:
    """The terminal wallet: the SDK and nothing else, with a store of its own."""

    def __init__(self, program, folder, issuer, client_id, name):
        self.program, self.issuer, self.client_id = program, issuer, client_id
        self.store = os.path.join(folder, name)
        self.environment = environment(
            WALLET_ISSUER=issuer, WALLET_CLIENT_ID=client_id, WALLET_HOME=self.store, NO_COLOR="1"
        )

    def start(self, *arguments, **more):
        return subprocess.Popen(
            [self.program, *arguments],
            env={**self.environment, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments, secret=None, may_fail=False):
        """Runs a command with `--json`; returns what it said, or nothing where it failed and was allowed to."""
        process = self.start(*arguments, "--json")
        output, errors = process.communicate(secret, timeout=PATIENCE)
        if process.returncode and not may_fail:
            raise Failed(f"wallet {arguments[0]}: {errors.strip() or output.strip()}")
        return json.loads(output) if output.strip() and not process.returncode else None

    def refusal(self, *arguments, secret=None):
        """Runs a command that has to be refused; returns what it said."""
        process = self.start(*arguments, "--json")
        output, errors = process.communicate(secret, timeout=PATIENCE)
        if process.returncode != 1:
            raise Failed(f"wallet {arguments[0]} ended with {process.returncode}, but should have been refused: {errors.strip()}")
        return json.loads(output)["error"]
