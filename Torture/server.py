"""The program under test: started, waited for, administered, stopped, and started again as a service manager does it."""

import json
import os
import re
import select
import signal
import subprocess
import time

# One issuer for all servers of a run: tokens and images keep it, whatever port a server listens on.
ISSUER = "http://127.0.0.1:8700"
LISTENING = re.compile(rb"listening on [^ \n]*:(\d+)")


class NotStarted(Exception):
    def __init__(self, status, log):
        super().__init__(f"the server did not start ({status}): {log[-600:]}")
        self.status, self.log = status, log


class Server:
    def __init__(self, program, folder, environment=None, log=None):
        self.program, self.folder = program, folder
        self.database, self.log = os.path.join(folder, "w.db"), log or f"{folder}.log"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WALLETAUTH_")}
        self.environment = {
            **kept, "WALLETAUTH_DATABASE": f"sqlite:{self.database}", "WALLETAUTH_ISSUER": ISSUER,
            "WALLETAUTH_PORT": "0", "WALLETAUTH_DEVICES_COOLING_PERIOD": "1s", "WALLETAUTH_LIMITS_SESSIONS": "10000",
            **(environment or {}),
        }  # fmt: skip
        self.process, self.port = None, 0

    def start(self, patience=60):
        """Returns when it is ready, after at most twice so many seconds."""
        with open(self.log, "ab") as errors:
            begins = errors.tell()
            self.process = subprocess.Popen(
                [self.program, "serve"], stdout=subprocess.PIPE, stderr=errors, env=self.environment
            )
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        line = self.process.stdout.readline() if ready else b""
        if not line:
            raise NotStarted(self.end(), self.said(begins))
        # The line names the issuer; the port that it listens on is in the log, which may be written a moment later.
        deadline = time.monotonic() + patience
        while not (found := LISTENING.search(self.said(begins).encode())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise NotStarted(self.kill(), self.said(begins))
            time.sleep(0.002)
        self.port = int(found[1])
        return self

    def said(self, begins=0):
        with open(self.log, "rb") as log:
            log.seek(begins)
            return log.read().decode(errors="replace")

    def said_by_loader(self):
        """What the dynamic loader complained about."""
        return next((line for line in self.said().splitlines() if "ld.so" in line), None)

    @property
    def runs(self):
        return self.process is not None and self.process.poll() is None

    def stop(self):
        """Asks it to stop; returns its status."""
        if self.runs:
            self.process.send_signal(signal.SIGTERM)
        return self.end()

    def kill(self):
        if self.runs:
            self.process.kill()
        return self.end()

    def end(self):
        """Waits for its end, and kills it where it does not come."""
        if self.process is None:
            return None
        try:
            status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        return status

    def command(self, *arguments, secret=None):
        """A command of the operator's: its status, its output, its process."""
        process = subprocess.Popen(
            [self.program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment, text=True,
        )  # fmt: skip
        output, errors = process.communicate(secret or "")
        return Answer(process.returncode, output, errors, process.pid)

    def administer(self, *arguments, secret=None):
        """The same, where nothing else than success will do; its JSON, where it was asked for."""
        answer = self.command(*arguments, secret=secret)
        if answer.status:
            raise SystemExit(f"walletauth {' '.join(arguments[:2])}: {answer.errors}")
        return json.loads(answer.output) if "--json" in arguments else answer.output


class Answer:
    def __init__(self, status, output, errors, process):
        self.status, self.output, self.errors, self.process = status, output, errors, process
