"""Trials: a server that has lived a little, a fault, its end, and what is then on the disk."""

import copy
import os
import re
import shutil
import time
from collections import Counter

import records
from control import READ, SYNC, WRITE, Recording
from disk import JOURNAL, STRICT
from facts import Violation, must
from images import Cut, Images
from manager import DISK_FAILED, Manager
from people import Guesser, Operator, Owner, Payer
from server import NotStarted
from stage import Stage
from wire import Mark, Unanswered

# The acts on an empty disk.
FROM_NOTHING = {"first start", "migration"}
LOUD = re.compile(r" (ERROR|CRITICAL) ")


class Base:
    """A disk with a past: everything on it was acknowledged, and lies there."""

    def __init__(self, place, program, library, seed):
        self.program, self.library = program, library
        recording = Recording(place, library)
        self.folder = recording.folder
        self.stage = Stage(recording, program, seed)
        try:
            self.stage.begin()
            self.stage.load(0.5)
        finally:
            self.stage.stop()
        self.stage.resolve(records.read(recording.trace))
        for history in self.stage.ledger:
            for step in history.steps:
                if step.mark is not None:
                    step.begins, step.moment, step.mark = -1, 0, Mark(at=0)

    def stage_at(self, place, seed):
        """The same past, on a disk of its own."""
        recording = Recording(place, self.library)
        shutil.copytree(self.folder, recording.folder, dirs_exist_ok=True)
        stage = Stage(recording, self.program, seed)
        stage.ledger, stage.eras = copy.copy(self.stage.ledger), [(0, 0)]
        stage.has_successors = True
        stage.backend, stage.round = self.stage.backend, 100
        return stage


class Trial:
    """One fault."""

    def __init__(self, base, fault, place, seed, brief=False):
        self.base, self.fault, self.place, self.seed, self.brief = base, fault, place, seed, brief
        self.violations, self.failed, self.examined, self.checked = [], 0, 0, Counter()
        # What a command said that did not succeed.
        self.refused = ""

    def run(self):
        os.makedirs(self.place, exist_ok=True)
        if self.fault.act in FROM_NOTHING:
            stage = Stage(Recording(self.place, self.base.library), self.base.program, self.seed)
        else:
            stage = self.base.stage_at(self.place, self.seed)
        self.stage, self.control, self.server = stage, stage.control, stage.server
        self.manager = Manager(stage)
        try:
            self.held("recovery", lambda: getattr(self, self.fault.act.replace(" ", "_"))())
            self.look()
        finally:
            self.server.kill()
        return self

    # --- the acts

    def serve(self):
        self.server.start()
        with self.manager:
            self.stage.load(0.3, meanwhile=self.under_fault)
            self.control.mend()
        self.after()

    def under_fault(self, until):
        self.switch_on()
        deadline = time.monotonic() + (20 if self.fault.reached else 3)
        # The log is copied into the database now and then, so a fault there takes a while.
        while not self.count() and time.monotonic() < deadline:
            time.sleep(0.02)
        if self.fault.unready:
            self.held("readiness", self.manager.unready)
        time.sleep(max(0.0, until - time.monotonic()))

    def checkpoint(self):
        """Waits for a checkpoint in parts: pages are written to the database, and it is not synced."""
        self.server.start()
        slow, broken = self.fault.rules

        def meanwhile(until):
            deadline = time.monotonic() + 60
            log = self.server.database + "-wal"
            # A snapshot of an empty log would hold back all of a checkpoint, and not a part.
            while time.monotonic() < deadline and not (os.path.exists(log) and os.path.getsize(log) > 1 << 19):
                time.sleep(0.02)
            self.control.fail(0, **slow)
            self.control.fail(2, WRITE, "w.db", error=0)
            self.control.fail(3, SYNC, "w.db", error=0)
            written = synced = 0
            while time.monotonic() < deadline and self.server.runs:
                time.sleep(0.1)
                before, (written, _), (now, _) = written, self.control.counts(2), self.control.counts(3)
                if written == before and written > 0 and now == synced:
                    break
                if now > synced:
                    # A whole one came first: its pages do not count.
                    self.control.fail(2, WRITE, "w.db", error=0)
                    written = 0
                synced = now
            self.control.fail(1, **broken)
            self.control.fail(0, **{**slow, "delay": 0})
            while not self.count() and time.monotonic() < deadline:
                time.sleep(0.02)
            # What follows a checkpoint that is taken for done begins the log again, over what the disk lacks.
            failed_at = self.control.sequence
            while not self.manager.ends and self.control.sequence < failed_at + 1500 and time.monotonic() < deadline:
                time.sleep(0.05)

        with self.manager:
            self.stage.load(0.5, [Owner, Owner, Payer, Guesser, Operator, Operator], meanwhile=meanwhile)
            self.control.mend()
        self.after()

    def backup(self):
        self.server.start()
        with self.manager:
            self.stage.load(0.1, [Owner, Operator], meanwhile=self.under_fault)
            self.control.mend()
        self.after()

    def stop(self):
        self.server.start()
        self.stage.load(0.3)
        self.switch_on()
        self.ended(self.stage.stop())
        self.attempt_start()
        self.count()
        self.control.mend()
        self.after()

    def start_after_a_kill(self):
        """The log that was left is written into a new file, and copied into the database."""
        self.server.start()
        self.stage.load(0.3)
        self.server.kill()
        self.switch_on()
        ended = self.attempt_start()
        self.count()
        if self.fault.spares:
            said = f"spared: without room, a start ends as on a failed disk: {self.manager.last_words()}"
            self.held("spared", lambda: must(ended != DISK_FAILED, said))
        self.control.mend()
        self.after()

    def first_start(self):
        self.begun(self.attempt_start)

    def migration(self):
        """The first start, where a command made the tables before it."""
        self.begun(lambda: self.ended(self.server.command("database", "migrate").status))

    def begun(self, attempt):
        self.switch_on()
        attempt()
        self.count()
        self.control.mend()
        self.server.stop()
        self.stage.begin()
        left = [name for name in os.listdir(self.server.folder) if name.endswith(".new")]
        self.held("key", lambda: must(not left, f"key: the start leaves {left}, with the master key in it"))
        self.stage.load(0.2, [Owner, Payer])

    def restore(self):
        self.server.start()
        self.stage.load(0.2, [Owner, Payer])
        try:
            self.stage.restore(before=self.switch_on)
        except (Unanswered, NotStarted) as trouble:
            self.refused = str(trouble)
            # Whether it says so or not: the old database is there, or the restored one, whole.
            self.count()
            self.control.mend()
            self.manager.recover()
            self.stage.after_restore()
        self.count()
        self.control.mend()
        self.after()

    def attempt_start(self):
        """The status of a start that was refused."""
        try:
            self.server.start()
        except NotStarted as trouble:
            self.manager.refused_to_start(trouble)
            return trouble.status
        return None

    def ended(self, status):
        if status is not None and status < 0:
            self.violations.append(("end", f"end: it stopped by the signal {-status}"))

    # --- around them

    def switch_on(self):
        for number, rule in enumerate(self.fault.rules):
            self.control.fail(number, **rule)

    def count(self):
        """How many calls have failed by now; delays are no failures."""
        self.failed = max(self.failed, sum(self.control.counts(number)[1] for number in range(len(self.fault.rules))))
        return self.failed

    def after(self):
        """The fault is over: everything works again."""
        self.count()
        self.manager.recover()
        before = len(self.stage.refusals)
        self.stage.load(0.2, [Owner, Payer, Guesser])
        refused = self.stage.refusals[before:]
        must(not refused, f"recovery: refused after the fault was over: {refused[:1]}")
        rules = [rule for rule in self.fault.rules if rule["name"] == "w.db" and rule["operations"] & ~READ]
        if rules and self.failed:
            told = LOUD.search(self.server.said()) or self.refused
            must(told, "log: the database's file could not be written, and neither the log nor the command says so")

    def held(self, kind, check):
        try:
            check()
        except Violation as violation:
            self.violations.append((kind, str(violation)))

    def look(self):
        """The running machine's view, and the disk's after a power cut now, at the stop, and near the fault."""
        self.violations += self.manager.violations
        at_end = self.control.sequence
        if self.server.runs:
            self.stage.stop()
        trace = self.stage.resolve(records.read(self.stage.recording.trace))
        base = None if self.fault.act in FROM_NOTHING else self.base.folder
        place = os.path.join(self.place, "images")
        os.makedirs(place)
        images = Images(self.stage, trace, self.base.program, self.base.library, place, base)
        faults = [record.sequence for record in trace if record.kind == records.FAULT]
        cuts = [Cut(at_end, "none", STRICT, self.seed)]
        if not self.brief:
            cuts.append(Cut(at_end, "pages", JOURNAL, self.seed))
            # What the stop wrote behind what a failed sync lost.
            cuts.append(Cut(len(trace), "none", STRICT, self.seed))
        for number in {faults[0], faults[-1]} if faults else ():
            for after in (60,) if self.brief else (1, 60, 400) if number == faults[0] else (60,):
                cuts.append(Cut(min(number + after, len(trace)), "none", JOURNAL, self.seed))
        cuts.sort(key=lambda cut: cut.sequence)
        self.violations += [(kind, f"{sentence} [power cut: {cut}; {path}]") for cut, kind, sentence, path in images.here(cuts)]
        self.violations += images.as_it_runs(self.server.folder, len(trace))
        self.examined, self.checked = images.examined, images.checked

