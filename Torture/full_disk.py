"""A disk that is really full: a tmpfs of a few MiB, filled by a file that is not the server's, and freed again."""

import os
import shutil
import subprocess
import traceback

from facts import must
from faults import Fault
from people import Owner, Payer
from server import NotStarted
from trials import Trial

SIZE = 12 << 20


def run(base, place, seed):
    """The outcome, or nothing where this machine does not let a file system be mounted."""
    disk = os.path.join(place, "disk")
    os.makedirs(disk)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        shutil.rmtree(place)
        return None
    try:
        return outcome(FullDisk(base, Fault("full tmpfs", "serve", [], unready=True), place, seed))
    finally:
        subprocess.run(["umount", "--lazy", disk], check=False)


def outcome(trial):
    """What came of a trial; a fault of the harness is told as one."""
    try:
        trial.run()
    except Exception:  # noqa: BLE001
        trial.violations.append(("harness", "harness: " + traceback.format_exc()[-1500:]))
    manager = getattr(trial, "manager", None)
    return {
        "fault": trial.fault.title, "reached": trial.fault.reached, "failed": trial.failed, "images": trial.examined,
        "checked": dict(trial.checked), "violations": trial.violations, "place": trial.place,
        "ends": len(manager.ends) if manager else 0,
    }  # fmt: skip


class FullDisk(Trial):
    """Load until nothing more fits, a start on the full disk, and room again."""

    def run(self):
        self.ballast = os.path.join(self.place, "disk", "ballast")
        return super().run()

    def serve(self):
        self.server.start()
        with self.manager:
            self.stage.load(0.3, [Owner, Payer], meanwhile=self.fill)
            self.held("log", lambda: must(self.server.runs, "full tmpfs: the server ended; it has to wait for room"))
        self.server.stop()
        self.fill_up()
        try:
            self.server.start()
            self.server.stop()
        except NotStarted as trouble:
            log = trouble.log
            self.held("reason", lambda: must("full" in log or "free" in log, f"reason: it says {log[-300:]}"))
        os.unlink(self.ballast)
        self.failed = 1
        self.after()

    def fill(self, until):
        self.fill_up()
        self.held("readiness", self.manager.unready)
        os.unlink(self.ballast)
        self.manager.recover()

    def fill_up(self):
        with open(self.ballast, "ab", buffering=0) as file:
            for size in (1 << 20, 4096):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    continue


