"""Power cuts: where a trace is cut, what the disk then holds, and two servers at a time that are started on it."""

import multiprocessing
import os
import shutil
import threading
import time
from collections import Counter

import records
from disk import JOURNAL, POLICIES, STRICT
from probe import Examination
from replay import Replay, chance, write_image

WORKERS = 2
# The images lie in memory: of very many violations the first are enough.
KEPT = 200
# Where all unsynced writes are gone most is lost, so it is tried most.
WEIGHTS = {"none": 4, "all": 1, "prefix": 2, "suffix": 1, "files": 2, "pages": 2, "sectors": 2}


# What a disk does in one step.
STEPS = {records.SYNC_ENDS, records.RENAME, records.LINK, records.UNLINK}


class Cut:
    """One image to be: after which record, and what of the unsynced is kept."""

    def __init__(self, sequence, policy, names, seed, focus=None):
        self.sequence, self.policy, self.names, self.seed, self.focus = sequence, policy, names, seed, focus

    def __str__(self):
        return f"--seed {self.seed} record {self.sequence}, unsynced writes: {self.policy}, names: {self.names}"


def plan(trace, count, seed, rare=()):
    """Cuts at syncs, where answers left, and anywhere; all syncs before any twice. What happens once in a trace, such as a
    restore, has up to a fifth of the cuts: `rare` are the first and the last record of each."""
    coins = chance(seed, "plan")
    syncs, answers, once = [], [], []
    for record in trace:
        if record.kind in STEPS and any(begins <= record.sequence <= ends for begins, ends in rare):
            once.append(record.sequence)
        if record.kind == records.SYNC_ENDS:
            # Before it is done, when it is, and in the middle of what follows.
            syncs.append(record.sequence - coins.choice((0, 0, 1)))
        elif record.kind == records.ANSWER:
            answers.append(record.sequence)
    places = spread(once, min(len(once), count // 5), coins)
    places += spread(syncs, count * 2 // 5, coins) + spread(answers, count // 4, coins)
    places += [coins.randint(1, len(trace)) for _ in range(count - len(places))]
    policies = [policy for policy in POLICIES for _ in range(WEIGHTS[policy])]
    return sorted(
        (Cut(max(1, place), coins.choice(policies), coins.choice((STRICT, JOURNAL)), seed) for place in places),
        key=lambda cut: cut.sequence,
    )  # fmt: skip


def spread(places, count, coins):
    """So many of the places: each once before any twice, without order."""
    chosen = []
    while places and len(chosen) < count:
        chosen += coins.sample(places, min(len(places), count - len(chosen)))
    return chosen


class Images:
    """Makes images of a stage's trace, and has them examined in processes of their own."""

    def __init__(self, stage, trace, program, library, place, base=None):
        self.stage, self.trace, self.base = stage, trace, base
        self.program, self.library, self.place = program, library, place
        self.number, self.checked = 0, Counter()
        self.examined, self.found = 0, []

    def run(self, cuts, report=lambda violation: None):
        """Examines all of them. Returns the violations, with the cut and the image of each."""
        room, over = threading.Semaphore(2 * WORKERS), threading.Event()
        context = multiprocessing.get_context("fork")
        found = []
        # Forked, so that each examiner has the ledger as it is.
        Images.current = self
        with context.Pool(WORKERS) as pool:
            try:
                for cut, path, violations, checked in pool.imap_unordered(examine, self.make(cuts, room, over)):
                    room.release()
                    self.take(checked)
                    for kind, sentence in violations:
                        found.append((cut, kind, sentence, path))
                        report(found[-1])
                    if not violations or len(found) > KEPT:
                        shutil.rmtree(path)
                        shutil.rmtree(path + ".examined", ignore_errors=True)
            finally:
                # After Ctrl-C or a failed examination the pool waits for its thread that makes images, which waits for room.
                over.set()
                room.release()
        self.found += found
        return found

    def make(self, cuts, room, over):
        replay = Replay(self.trace, self.base)
        for cut in cuts:
            room.acquire()
            if over.is_set():
                return
            self.number += 1
            path = os.path.join(self.place, f"image-{self.number}")
            coins = chance(cut.seed, cut.sequence, cut.policy, cut.names)
            write_image(replay.until(cut.sequence).after(cut.policy, cut.names, coins), path)
            yield cut, path

    def here(self, cuts):
        """The same in this process, for a server that met a fault: an operator has removed what keeps it from starting."""
        for cut, path in self.make(cuts, threading.Semaphore(len(cuts)), threading.Event()):
            remove(os.path.join(path, "w.db.disk-failures"))
            Images.current = self
            _, _, violations, checked = examine((cut, path))
            self.take(checked)
            yield from ((cut, kind, sentence, path) for kind, sentence in violations)

    def as_it_runs(self, folder, cut):
        """What programs on the same machine see, the page cache of all files included."""
        copy = os.path.join(self.place, "running")
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.sock", "*-shm"))
        remove(os.path.join(copy, "w.db.disk-failures"))
        examination = Examination(self.stage, cut, chance(cut)).image(self.program, copy, time.time(), self.library)
        self.take(examination.checked)
        return [(kind, f"{sentence} [as it runs: {copy}]") for kind, sentence in examination.violations]

    def take(self, checked):
        self.examined += 1
        self.checked.update(checked)

    def focus(self, cut):
        """The fact that a cut is about; the other process has the same ledger."""
        return None if cut.focus is None else self.stage.ledger[cut.focus]


def remove(path):
    if os.path.exists(path):
        os.unlink(path)


def examine(task):
    cut, path = task
    images = Images.current
    examination = Examination(images.stage, cut.sequence, chance(cut.seed, cut.sequence, "facts"), images.focus(cut))
    # What the examination changes is not what is kept: of a violation the image stays as the cut left it.
    copy = path + ".examined"
    shutil.copytree(path, copy)
    moment = images.trace[cut.sequence - 1].time
    examination.image(images.program, copy, moment, images.library)
    if not examination.violations:
        shutil.rmtree(copy)
        os.unlink(copy + ".log")
    return cut, path, examination.violations, examination.checked
