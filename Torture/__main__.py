"""Power cuts and failing disks: what the server told its callers has to be there afterwards.

Three parts. The proof: facts that count as told 200 records too early have to come out as violations. The cuts: images of a
disk at every moment of a recorded load, each with a server started on it. The faults: calls that fail, on a server that runs.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import faults
import full_disk
import records
from control import NothingRecorded, Recording
from images import WORKERS, Images, plan
from proof import Unproved, prove
from stage import Stage
from trials import Base, Trial

HERE = os.path.dirname(os.path.abspath(__file__))


class Run:
    def __init__(self, options):
        self.options, self.began = options, time.monotonic()
        # In memory: a real disk's waits are none of the model's, and a folder of images is written in no time.
        self.place = tempfile.mkdtemp(prefix="torture-", dir="/dev/shm")
        self.checked, self.phases, self.violations, self.notes, self.results = Counter(), [], [], [], []
        self.kept = False

    # --- recorded loads, and what power cuts leave of them

    def record(self, number, seconds):
        """All acts of a database's life in one trace: a first start, load, restarts, a kill, a restore."""
        place = os.path.join(self.place, f"recording-{number}")
        os.makedirs(place)
        stage = Stage(Recording(place, self.options.library), self.options.program, self.options.seed + number)
        try:
            stage.begin(migrates=number % 2 == 1)
            stage.load(seconds)
            stage.restart(kill=True)
            stage.load(seconds / 4)
            stage.restore(between=lambda: self.new_audit_key(stage))
            stage.load(seconds / 2)
            trace = stage.end()
        finally:
            stage.server.kill()
        if stage.refusals:
            raise SystemExit(f"a load without faults was refused: {stage.refusals[0]}")
        os.makedirs(os.path.join(place, "images"))
        images = Images(stage, trace, self.options.program, self.options.library, os.path.join(place, "images"))
        return stage, trace, images

    @staticmethod
    def new_audit_key(stage):
        """What a restore takes away and the checkpoints outside of the database have seen."""
        stage.command("keys", "rotate", "audit")
        stage.restart()

    def cuts_and_proof(self):
        recordings, seconds, wanted = (1, 1.5, 36) if self.options.short else (8, 6, 4800)
        images_of_each = (self.options.images or wanted) // recordings
        for number in range(recordings):
            began = time.monotonic()
            stage, trace, images = self.record(number, seconds)
            syncs = sum(record.kind == records.SYNC_ENDS for record in trace)
            self.phase("recording", began, records=len(trace), syncs=syncs, facts=self.facts(stage))
            if number == 0 and self.options.only in (None, "proof"):
                began = time.monotonic()
                found = prove(images, self.options.seed)
                self.phase("proof", began, images=images.examined, found=found)
            if self.options.only != "proof":
                began, before = time.monotonic(), images.examined
                rare = [(begins, ends) for begins, ends in stage.eras if ends]
                images.run(plan(trace, images_of_each, self.options.seed + number, rare), self.report)
                self.phase("cuts", began, images=images.examined - before)
            self.checked.update(images.checked)
            if not self.kept:
                shutil.rmtree(stage.recording.place)
            if self.options.only == "proof":
                return

    @staticmethod
    def facts(stage):
        return dict(Counter(history.kind for history in stage.ledger for step in history.steps if step.mark is not None))

    def report(self, violation):
        cut, kind, sentence, path = violation
        self.kept = True
        self.violations.append({"kind": kind, "what": sentence, "where": str(cut), "image": path})
        if sum(one["kind"] == kind for one in self.violations) <= 3:
            print(f"    VIOLATION {sentence}\n      {cut}\n      {path}", flush=True)

    # --- faults

    def faults(self):
        began = time.monotonic()
        base = Base(os.path.join(self.place, "base"), self.options.program, self.options.library, self.options.seed)
        chosen = (faults.short if self.options.short else faults.all_of_them)(self.options.seed)
        trials = [
            (Trial, base, fault, os.path.join(self.place, f"trial-{number}"), self.options.seed + number, self.options.short)
            for number, fault in enumerate(chosen)
        ]
        results = self.results
        with ProcessPoolExecutor(WORKERS, mp_context=get_context("fork")) as pool:
            Run.trials = trials
            try:
                for future in as_completed([pool.submit(attempt, number) for number in range(len(trials))]):
                    results.append(future.result())
                    self.checked.update(results[-1]["checked"])
                    self.judge(results[-1])
            except BaseException:
                # Otherwise Ctrl-C would end the trials that run, and wait for all those that do not yet.
                pool.shutdown(cancel_futures=True)
                raise
        missed = [result["fault"] for result in results if not result["failed"] and result["reached"]]
        self.phase("faults", began, trials=len(results), failed_calls=sum(r["failed"] for r in results),
                   images=sum(r["images"] for r in results), ends=sum(r["ends"] for r in results), not_reached=len(missed))
        self.notes += [f"not reached: {title}" for title in missed]
        self.full_disk(base)

    def judge(self, result):
        for kind, sentence in result["violations"]:
            self.kept = True
            self.violations.append({"kind": kind, "what": sentence, "where": result["fault"], "image": result["place"]})
        if result["violations"]:
            print(f"    VIOLATION {result['fault']} (--seed {self.options.seed})\n      {result['place']}", flush=True)
            for kind, sentence in result["violations"][:4]:
                print(f"      {sentence[:600]}", flush=True)
        else:
            shutil.rmtree(result["place"], ignore_errors=True)

    def full_disk(self, base):
        if self.options.short:
            return
        began = time.monotonic()
        outcome = full_disk.run(base, os.path.join(self.place, "full"), self.options.seed)
        if outcome is None:
            self.notes.append("skipped: a full tmpfs, which takes root and the right to mount")
            return
        self.judge(outcome)
        self.checked.update(outcome["checked"])
        self.phase("full tmpfs", began, images=outcome["images"])

    # --- the table

    def phase(self, name, began, **counts):
        counts["seconds"] = round(time.monotonic() - began, 1)
        self.phases.append({"phase": name, **counts})
        shown = ", ".join(f"{key} {value}" for key, value in counts.items() if not isinstance(value, dict))
        print(f"    {name:<11} {shown}", flush=True)

    def end(self):
        images = sum(phase.get("images", 0) for phase in self.phases)
        print(f"\n    {'what was checked':<16} {'times':>8} {'violations':>11}")
        violated = Counter(violation["kind"] for violation in self.violations)
        for kind in sorted(self.checked | violated):
            print(f"    {kind:<16} {self.checked[kind]:>8} {violated[kind]:>11}")
        seconds = round(time.monotonic() - self.began)
        print(f"    {images} images, {len(self.violations)} violations, {seconds} s, --seed {self.options.seed}")
        for note in self.notes:
            print(f"    {note}")
        self.write(images, seconds)
        self.clear()
        return 1 if self.violations else 0

    def clear(self):
        """Removes what was recorded, unless it shows violations."""
        if self.kept:
            self.say_kept()
        else:
            shutil.rmtree(self.place, ignore_errors=True)

    def say_kept(self):
        print(f"    {self.place} is kept. It takes memory: remove it when you have seen it.", file=sys.stderr)

    def write(self, images, seconds):
        folder = os.path.join(HERE, "results")
        os.makedirs(folder, exist_ok=True)
        asked = ["git", "-C", HERE, "rev-parse", "HEAD"]
        commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        document = {
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "commit": commit, "seed": self.options.seed,
            "short": self.options.short, "program": self.options.program, "seconds": seconds, "images": images,
            "phases": self.phases, "checked": self.checked, "violations": self.violations, "notes": self.notes,
            "faults": self.results,
        }  # fmt: skip
        name = os.path.join(folder, time.strftime("%Y%m%d-%H%M%S") + ("-short" if self.options.short else "") + ".json")
        with open(name, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
        print(f"    {os.path.relpath(name)}")


def attempt(number):
    """A trial in a process of its own: it sets the clock of its images."""
    kind, *arguments = Run.trials[number]
    return full_disk.outcome(kind(*arguments))


def main():
    parser = argparse.ArgumentParser(prog="scripts/torture")
    parser.add_argument("--program", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--images", type=int)
    parser.add_argument("--only", choices=("cuts", "faults", "proof"))
    options = parser.parse_args()
    if options.seed is None:
        options.seed = int(time.time()) % 1_000_000
    run = Run(options)
    print(f"    --seed {options.seed}, in {run.place}", flush=True)
    try:
        if options.only != "faults":
            run.cuts_and_proof()
        if options.only in (None, "faults"):
            run.faults()
    except KeyboardInterrupt:
        run.clear()
        sys.exit(130)
    except NothingRecorded as nothing:
        run.clear()
        sys.exit(f"error: {nothing}")
    except Unproved as unproved:
        run.say_kept()
        sys.exit(f"error: {unproved}")
    except BaseException:
        run.say_kept()
        raise
    sys.exit(run.end())


if __name__ == "__main__":
    main()
