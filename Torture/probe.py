"""Examines a disk: has a server start on it, and asks for everything that was acknowledged before the power cut."""

import glob
import json
import math
import os
import time

from facts import Violation, must
from server import NotStarted, Server
from wire import Unanswered, Wire, phone

# What costs a program's start each time is looked at for a few.
AT_RISK, OTHERS, BY_COMMAND = 12, 5, 2
NEAR = 400
# What ends sessions comes last.
ORDER = (
    "first start", "checkpoints", "account", "failures", "backup", "keys", "consent", "pin consent", "pin", "refresh",
    "restore",
)  # fmt: skip
# What a restore that was under way has left.
OLD, RESTORED = "the old database", "the restored one"
real_time = time.time


class Probe:
    """A server on a disk, and what the checks of facts ask of it."""

    def __init__(self, server, backend):
        self.server, self.backend = server, backend
        self.wire, self.listed, self.published = Wire(server), None, None

    def command(self, *arguments):
        return self.server.command(*arguments)

    @property
    def keys(self):
        if self.listed is None:
            self.listed = self.server.administer("keys", "list", "--json")["keys"]
        return self.listed

    def has_key(self, token):
        """Whether the key of an access token is in the published set."""
        if self.published is None:
            keys = self.wire.send("GET", "/.well-known/jwks.json").json["keys"]
            self.published = {key["kid"] for key in keys}
        header = json.loads(phone.base64.urlsafe_b64decode(token.split(".")[0] + "=="))
        return header["kid"] in self.published


class Examination:
    """Facts of a ledger, held against a disk or against a server that runs."""

    def __init__(self, stage, cut, chance, focus=None):
        self.stage, self.cut, self.chance, self.focus = stage, cut, chance, focus
        self.violations, self.checked = [], {}

    def image(self, program, folder, moment, library):
        """An image, at the time of its power cut."""
        # The next second: a token of the last moment is not from the future.
        shift = int(moment) + 1 - int(real_time())
        time.time = lambda: real_time() + shift
        environment = {"LD_PRELOAD": library, "TORTURE_CLOCK": str(shift)}
        server = Server(program, folder, environment)
        try:
            self.held("start", lambda: self.started(server))
            if server.runs:
                self.running(server)
                self.held("stop", lambda: must(server.stop() == 0, "stop: it does not stop cleanly"))
        finally:
            server.kill()
            time.time = real_time
        return self

    @staticmethod
    def started(server):
        try:
            server.start()
        except NotStarted as trouble:
            raise Violation(f"start: {trouble}") from trouble
        left = glob.glob(os.path.join(server.folder, "*.new"))
        must(not left, f"key: the start leaves {[os.path.basename(name) for name in left]}, with the master key in it")

    def running(self, server):
        """What must hold of a server that runs on a disk."""
        probe = Probe(server, self.stage.backend)
        self.held("database", lambda: must_succeed("database", probe.command("database", "check")))
        self.held("audit", lambda: must_succeed("audit", probe.command("audit", "verify")))
        era, outcome = self.era(probe)
        before = len(self.violations)
        for history in self.chosen(era):
            for kind, check in history.checks(probe, self.cut):
                self.held(kind, check)
        if outcome == OLD and len(self.violations) > before:
            # One thing went wrong here, and it shows in many facts.
            _, sentence = self.violations[before]
            self.violations[before:] = [("restore", f"restore: cut short it left the old database, and not whole: {sentence}")]
        if outcome == RESTORED:
            # Not told yet, and done: then all of it.
            for history in self.stage.ledger:
                if history.kind == "restore" and history.era == era:
                    self.held("restore", lambda history=history: history.check(probe, math.inf))
        probe.wire.close()

    def era(self, probe):
        """Since which restore facts count; of one that was under way, its outcome. Either database is right, whole."""
        era = max(number for number, (_, ends) in enumerate(self.stage.eras) if ends <= self.cut)
        if era + 1 < len(self.stage.eras) and self.stage.eras[era + 1][0] < self.cut:
            gone = probe.command("account", "show", f"late-{era}", "--json").status != 0
            return (era + 1, RESTORED) if gone else (era, OLD)
        return era, None

    def chosen(self, era):
        """The facts nearest to the cut, and some of the others."""
        known = [h for h in self.stage.ledger if h.era == era and (h.at(self.cut)[0] or h.kind == "backup")]
        near = sorted((h for h in known if h.since(self.cut) <= NEAR), key=lambda h: h.since(self.cut))
        # One kind does not crowd out the others: the nearest of each come first.
        ranks = {}
        for history in near:
            ranks[history] = sum(other.kind == history.kind for other in ranks)
        near.sort(key=ranks.get)
        far = [h for h in known if h not in ranks]
        if self.focus in near:
            near.insert(0, near.pop(near.index(self.focus)))
        chosen = near[:AT_RISK] + self.chance.sample(far, min(OTHERS, len(far)))
        by_command = [h for h in chosen if h.kind in ("account", "failures")][BY_COMMAND:]
        return sorted((h for h in chosen if h not in by_command), key=lambda h: ORDER.index(h.kind))

    def held(self, kind, check):
        self.checked[kind] = self.checked.get(kind, 0) + 1
        try:
            check()
        except Violation as violation:
            self.violations.append((kind, str(violation)))
        except (Unanswered, SystemExit) as trouble:
            self.violations.append((kind, f"{kind}: no answer: {trouble}"))


def must_succeed(what, answer):
    must(answer.status == 0, f"{what}: {(answer.errors or answer.output).strip()[:400]}")
