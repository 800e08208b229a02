"""One server under watch with everybody who uses it, and the ledger of what they were told."""

import math
import os
import random
import threading
import time

import records
from control import NothingRecorded
from facts import Account
from files import Checkpoints, Restore, Start, kept_lines
from people import BACKEND, PASSWORD, Backend, Guesser, Operator, Owner, Payer
from phones import PhoneOwner
from server import Server
from wire import Mark, Unanswered, Wire

OWNERS = 4
EVERYBODY = (Owner, Owner, Payer, PhoneOwner, Guesser, Operator)


class Stage:
    def __init__(self, recording, program, seed):
        self.recording, self.control = recording, recording.control
        self.server = Server(program, recording.folder, recording.environment, os.path.join(recording.place, "server.log"))
        self.chance = random.Random(seed)
        self.era, self.round, self.ledger, self.eras = 0, 0, [], []
        self.refusals, self.trouble = [], []
        self.has_successors, self.addresses = False, 0

    # --- what workers ask for

    def wire(self):
        return Wire(self.server, self.control)

    def coin(self, share):
        return self.chance.random() < share

    def add(self, history):
        self.ledger.append(history)
        return history

    def owner(self, number):
        return f"owner{number % OWNERS}"

    def new_address(self):
        """An address of this machine that no request came from yet."""
        self.addresses += 1
        return f"127.1.{self.addresses >> 8}.{self.addresses & 255}"

    @staticmethod
    def pause():
        """Between two looks at something that takes its time."""
        time.sleep(0.1)

    def command(self, *arguments, secret=None):
        """A command, and the mark of its answer: the server's to its process, or its end where it worked alone."""
        since = self.control.sequence
        answer = self.server.command(*arguments, secret=secret)
        if answer.status:
            raise Unanswered(f"{arguments[:2]}: {answer.errors}")
        return answer.output, Mark((True, answer.process), since, at=self.control.sequence)

    def make_account(self, name, address):
        account = self.add(Account(self.era, name))
        step = account.asks("create", self.control.sequence)
        _, mark = self.command(
            "account", "create", name, "--password-stdin", "--email", address, "--email-verified",
            secret=PASSWORD + "\n",
        )  # fmt: skip
        account.answered(step, mark)

    # --- the acts

    def begin(self, migrates=False):
        """The first start on an empty disk, and who is there from then on. `migrates` has a command make the tables before it."""
        self.eras.append((0, 0))
        first = self.add(Start(0))
        step = first.asks("start", 0)
        if migrates:
            self.command("database", "migrate")
        self.server.start()
        ready = self.control.sequence
        if not ready:
            raise NothingRecorded(
                f"the server has started and nothing was recorded: {self.recording.library} was not loaded into {self.server.program} "
                f"({self.server.said_by_loader() or 'is the program linked statically?'})"
            )
        listed = self.server.administer("keys", "list", "--json")["keys"]
        first.answered(step, Mark(at=ready), keys=[(key["purpose"], key["keyId"]) for key in listed])
        administer = self.server.administer
        administer(
            "client", "create", "com.example.torture", "--name", "Torture", "--public", "--first-party",
            "--redirect-uri", "com.example.torture:/callback", "--scope", "offline_access",
        )  # fmt: skip
        administer("brand", "update", "default", "--new-device", "allow")
        registered = administer(
            "client", "create", BACKEND, "--name", "Shop", "--confidential", "--auth-method",
            "client_secret_post", "--scope", "wallet_operations", "--json",
        )  # fmt: skip
        self.backend = Backend(registered["clientSecret"])
        for number in range(OWNERS):
            self.make_account(self.owner(number), f"owner{number}@example.com")

    def load(self, seconds, kinds=EVERYBODY, meanwhile=lambda until: None):
        """Everybody at work at the same time; returns when all have finished what they began."""
        self.round += 1
        until = time.monotonic() + seconds
        ends = threading.Event()
        workers = [kind(self, number) for number, kind in enumerate(kinds)]
        threads = [threading.Thread(target=self.work, args=(worker, until, ends)) for worker in workers]
        for thread in threads:
            thread.start()
        try:
            meanwhile(until)
        finally:
            ends.set()
            for thread in threads:
                thread.join()
        if self.trouble:
            raise self.trouble[0]

    def work(self, worker, until, ends):
        try:
            while True:
                try:
                    worker.work()
                except Unanswered as refusal:
                    self.refusals.append(str(refusal))
                    self.pause()
                if time.monotonic() > until and ends.is_set():
                    break
        except BaseException as trouble:  # noqa: BLE001: it is raised where the threads are joined
            self.trouble.append(trouble)
        finally:
            worker.wire.close()

    def stop(self):
        """A clean stop; by then the checkpoints of the audit log are in their file."""
        begins = self.control.sequence
        status = self.server.stop()
        if status == 0:
            told = self.add(Checkpoints(self.era))
            told.answered(told.asks("stop", begins), Mark(at=self.control.sequence))
        return status

    def restart(self, kill=False):
        self.server.kill() if kill else self.stop()
        self.server.start()

    def restore(self, between=lambda: None, before=lambda: None):
        """A backup, what happens after it, and its restore: of what came after nothing may be left."""
        copy = Operator(self, 90).back_up()
        between()
        late = f"late-{self.era}"
        self.make_account(late, f"{late}@example.com")
        ended = [h for h in self.ledger if h.kind == "refresh" and h.era == self.era][-3:]
        self.stop()
        restore = self.add(Restore(self.era + 1, ended, late))
        step = restore.asks("restore", self.control.sequence)
        self.eras.append((step.begins, math.inf))
        before()
        self.command("database", "restore", "--from", os.path.join(self.server.folder, copy))
        restore.answered(step, Mark(at=self.control.sequence))
        self.after_restore()
        self.server.start()

    def after_restore(self):
        """Since now the restored database counts, where that is the one."""
        if self.server.runs and not self.server.command("account", "show", f"late-{self.era}").status:
            return
        self.era += 1
        self.eras[-1] = (self.eras[-1][0], self.control.sequence)

    def end(self):
        self.stop()
        return self.resolve(records.read(self.recording.trace))

    def resolve(self, trace):
        """The moments of all facts, from the trace."""
        moments = records.answers(trace)
        kept = kept_lines(trace, "w.db.checkpoints")
        for history in self.ledger:
            if history.kind == "checkpoints" and not history.lines:
                history.take(kept)
            for step in history.steps:
                if step.mark is not None:
                    step.moment = step.mark.resolve(moments)
        return trace
