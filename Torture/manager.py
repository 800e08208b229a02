"""A server under a fault, with a service manager that starts it again and an operator who looks at the disk."""

import os
import subprocess
import threading
import time

from facts import Violation, must
from server import NotStarted
from wire import Unanswered, Wire

DISK_FAILED, OUT_OF_SERVICE = 74, 78
PATIENCE = 30


class Manager:
    """Starts the server again where it ended because of the disk. Any other end by itself is a violation."""

    def __init__(self, stage):
        self.stage, self.server = stage, stage.server
        self.ends, self.violations, self.seen = [], [], None
        self.at_work = threading.Event()

    def __enter__(self):
        self.at_work.set()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.at_work.clear()
        self.thread.join()

    def watch(self):
        while self.at_work.is_set():
            if not self.server.runs:
                self.look_after(self.server.process)
            time.sleep(0.05)

    def look_after(self, process):
        """An end is seen once. A disk that fails for good is left alone until the fault is over."""
        if process is not self.seen:
            self.seen = process
            self.ends.append(process.wait())
            if self.ends[-1] not in (DISK_FAILED, OUT_OF_SERVICE):
                self.violations.append(("end", f"end: the server ended by itself with {self.ends[-1]}: {self.last_words()}"))
        if self.ends.count(DISK_FAILED) < 2 and OUT_OF_SERVICE not in self.ends:
            self.try_to_start()

    def try_to_start(self):
        try:
            self.server.start()
        except NotStarted as trouble:
            # Perhaps a command has the database open, which found no server to ask: then the next start succeeds.
            self.seen = self.server.process
            if trouble.status in (DISK_FAILED, OUT_OF_SERVICE):
                self.ends.append(trouble.status)
            self.refused_to_start(trouble)

    def refused_to_start(self, trouble):
        if trouble.status is not None and trouble.status < 0:
            self.violations.append(("end", f"end: a start ended with the signal {-trouble.status}"))

    def last_words(self):
        return self.server.said()[-500:]

    def recover(self):
        """The fault is over: the server works, if need be after a person has looked at the disk."""
        deadline = time.monotonic() + PATIENCE
        while not self.server.runs:
            try:
                self.server.start()
            except NotStarted as trouble:
                self.refused_to_start(trouble)
                if trouble.status == OUT_OF_SERVICE:
                    self.look_at_the_disk()
                must(time.monotonic() < deadline, f"recovery: it does not start: {trouble}")
        wire = Wire(self.server)
        while True:
            try:
                reply = wire.send("GET", "/health/ready")
                if reply.status == 200:
                    return wire.close()
            except Unanswered as trouble:
                reply = trouble
                if not self.server.runs:
                    return self.recover()
            must(time.monotonic() < deadline, f"recovery: it is not ready: {reply}")
            time.sleep(0.1)

    def look_at_the_disk(self):
        """What the refusal asks of a person. The removal is in the trace, as all that happens to the disk."""
        answer = self.server.command("database", "check")
        must(answer.status == 0, f"recovery: the database is not sound: {answer.errors}")
        failures = self.server.database + ".disk-failures"
        if os.path.exists(failures):
            subprocess.run(["unlink", failures], env=self.server.environment, check=True)

    def unready(self):
        """Waits until the server says that it is not ready, or has ended."""
        wire, deadline = Wire(self.server), time.monotonic() + 15
        try:
            while time.monotonic() < deadline:
                try:
                    if wire.send("GET", "/health/ready").status != 200:
                        return
                except Unanswered:
                    return
                time.sleep(0.1)
        finally:
            wire.close()
        raise Violation("readiness: 200 for 15 seconds while every write fails")
