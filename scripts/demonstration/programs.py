"""The two programs of the demo: `walletauth` as the operator runs it, `wallet` as the person's app."""

import json
import os
import select
import signal
import socket
import subprocess
import time

from narrator import Failed


def environment(**more):
    """Nothing of the caller's own configuration reaches the demo, and nothing waits for a killed program's backtrace."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("WALLETAUTH_", "WALLET_"))}
    return {**kept, "SWIFT_BACKTRACE": "enable=no", **more}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """`walletauth serve` in the sandbox, on a database in a temporary folder."""

    def __init__(self, program, folder, issuer):
        self.program, self.folder, self.issuer = program, folder, issuer
        self.port = free_port()
        self.environment = environment(WALLETAUTH_DATABASE=f"sqlite:{folder}/demo.db")
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
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        line = self.process.stdout.readline() if ready else ""
        if "ready at" not in line:
            raise Failed(f"the server did not come up:\n{self.tail()}")
        return time.monotonic() - began

    def administer(self, *arguments, secret=None):
        """Runs an administration command, which reaches the running server through its Unix socket."""
        result = subprocess.run(
            [self.program, *arguments], env=self.environment, input=secret, capture_output=True, text=True, timeout=60
        )
        if result.returncode:
            raise Failed(f"walletauth {' '.join(arguments[:2])}: {result.stderr.strip()}")
        return result.stdout

    def stop(self):
        if self.process is None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process = None
        return status

    def tail(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()[-2000:]


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
        output, errors = process.communicate(secret, timeout=60)
        if process.returncode and not may_fail:
            raise Failed(f"wallet {arguments[0]}: {errors.strip() or output.strip()}")
        return json.loads(output) if output.strip() and not process.returncode else None

    def refusal(self, *arguments, secret=None):
        """Runs a command that has to be refused; returns what it said."""
        process = self.start(*arguments, "--json")
        output, errors = process.communicate(secret, timeout=60)
        if process.returncode != 1:
            raise Failed(f"wallet {arguments[0]} ended with {process.returncode} and was to be refused: {errors.strip()}")
        return json.loads(output)
