"""Facts of the operator's: copies, keys, checkpoints, the first start, a restore."""

import os
import sqlite3
import urllib.parse

import records
from facts import History, Session, must
from wire import digest, phone


class Backup(History):
    """A copy under its final name: there once it was told, and never by half."""

    kind = "backup"

    def __init__(self, era, name):
        super().__init__(era)
        self.name, self.digest = name, None

    def check(self, probe, cut):
        done, _ = self.at(cut)
        path = os.path.join(probe.server.folder, self.name)
        there = os.path.exists(path)
        must(there or not done, f"backup: {self.name} was told, and is not there")
        if not there:
            return
        with open(path, "rb") as file:
            content = file.read()
        must(not done or digest(content) == self.digest, f"backup: {self.name} is not what was written")
        try:
            copy = sqlite3.connect(f"file:{urllib.parse.quote(path)}?mode=ro&immutable=1", uri=True)
            sound = [row[0] for row in copy.execute("PRAGMA integrity_check")]
            copy.close()
        except sqlite3.DatabaseError as trouble:
            sound = [str(trouble)]
        must(sound == ["ok"], f"backup: {self.name} is damaged: {sound[:2]}")


class Keys(History):
    """Keys made by `keys rotate`."""

    kind = "keys"

    def check(self, probe, cut):
        done, _ = self.at(cut)
        listed = {(key["purpose"].split()[0], key["keyId"]) for key in probe.keys}
        for step in done:
            for key in step.values["keys"]:
                must((step.values["purpose"], key) in listed, f"keys: {step.values['purpose']} {key} was made, and is gone")


class Start(History):
    """The first start: once it was ready, its keys are the database's for good."""

    kind = "first start"

    def check(self, probe, cut):
        done, _ = self.at(cut)
        listed = {(key["purpose"], key["keyId"]) for key in probe.keys}
        for step in done:
            must(set(step.values["keys"]) <= listed, "first start: the keys it began with are gone")


class Checkpoints(History):
    """The checkpoints of the audit log that a server kept by the time it had stopped."""

    kind = "checkpoints"
    # From the trace: the file may also have a line whose sync failed, which was never acknowledged.
    lines = ()

    def take(self, kept):
        """The lines that were synced by then, of those in a trace."""
        self.lines = [line for synced, line in kept if synced <= self.steps[0].mark.at]

    def check(self, probe, cut):
        done, _ = self.at(cut)
        if not done:
            return
        try:
            with open(probe.server.database + ".checkpoints", "rb") as file:
                content = file.read()
        except FileNotFoundError:
            content = b""
        # `in` on an iterator goes on behind what it found: all of them, in their order.
        there = iter(content.split(b"\n"))
        missing = [number for number, line in enumerate(self.lines) if line not in there]
        must(not missing, f"checkpoints: of {len(self.lines)} lines, number {missing[:1]} is not there or not in its place")


def kept_lines(trace, name):
    """The lines of a file that is only added to, each with the record since which it is on the disk."""
    file, waiting, kept = None, [], []
    for record in trace:
        if record.kind == records.OPEN and record.name == name:
            file = record.file
        elif record.file != file:
            continue
        elif record.kind == records.WRITE:
            waiting.append(record)
        elif record.kind == records.SYNC_ENDS:
            whole = [write for write in waiting if write.sequence < record.value]
            if not record.error:
                kept += [(record.sequence, write.data.strip(b"\n")) for write in whole]
            waiting = [write for write in waiting if write not in whole]
        elif record.kind == records.TRUNCATE:
            waiting = []
    return kept


class Restore(History):
    """A restore: the sessions of before are over, and the accounts of the copy are there."""

    kind = "restore"

    def __init__(self, era, ended, username):
        super().__init__(era)
        self.ended, self.username = ended, username

    def check(self, probe, cut):
        done, _ = self.at(cut)
        if not done:
            return
        for session in self.ended:
            last = [step for step in session.steps if step.mark is not None and "token" in step.values]
            if last:
                app = session.app.over(probe.wire)
                reply = Session.renew(app, last[-1].values["token"], phone.secrets.token_urlsafe(16))
                must(reply.status != 200, "restore: a session of the time before answers a refresh")
        shown = probe.command("account", "show", self.username, "--json")
        must(shown.status != 0, f"restore: {self.username} was made after the copy, and is there")


