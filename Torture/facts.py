"""What was acknowledged, and when: a history for each thing that has one.

A history is a list of steps. At a power cut each step whose answer had left must be on the disk. Of the step that was under
way, if there was one, either outcome is right. What does not fit either is a violation. What callers are told is here; what
the operator is told is in files.py.
"""

import json
import math
import time
from dataclasses import dataclass, field

from wire import phone


# In seconds, what was agreed to may be carried out; less what a slow machine takes to say so.
LIFETIME = 5 * 60 - 15


@dataclass
class Step:
    """Something asked for: since which record, and the mark of its answer, if one came."""

    what: str
    begins: int
    mark: object = None
    values: dict = field(default_factory=dict)
    time: float = 0
    moment: float = math.inf


class Violation(Exception):
    """A fact that an image, or the server after a fault, does not keep."""


def must(holds, sentence):
    if not holds:
        raise Violation(sentence)


class History:
    """The steps of one thing, in order. `kind` is the name of its facts in every table."""

    kind = ""

    def __init__(self, era):
        self.era, self.steps = era, []

    def asks(self, what, now, **values):
        self.steps.append(Step(what, now, values=values))
        return self.steps[-1]

    @staticmethod
    def answered(step, mark, **values):
        step.values.update(values)
        step.mark, step.time = mark, time.time()

    def at(self, cut):
        """What was acknowledged by then, and what was under way."""
        done = [step for step in self.steps if step.moment <= cut]
        behind = done[-1].begins if done else -1
        waiting = [step for step in self.steps if step.moment > cut and behind < step.begins < cut]
        return done, waiting

    def since(self, cut):
        """How many records before a cut something was last acknowledged here."""
        done, _ = self.at(cut)
        return cut - done[-1].moment if done else math.inf

    def checks(self, probe, cut):
        """What has to hold then, one by one: the name of the kind, and a call that raises where it does not."""
        yield self.kind, lambda: self.check(probe, cut)

    def check(self, probe, cut):
        raise NotImplementedError


class Session(History):
    """Opened by a code, renewed, perhaps revoked."""

    kind = "refresh"

    def __init__(self, era, app):
        super().__init__(era)
        self.app, self.code, self.verifier = app, None, None
        self.refresh_token = self.access_token = None

    def checks(self, probe, cut):
        done, waiting = self.at(cut)
        if not done:
            return
        last = done[-1]
        if last.what == "revoke":
            yield "revocation", lambda: self.stays_revoked(probe, last)
        elif not any(step.what == "revoke" for step in waiting):
            yield "refresh", lambda: self.goes_on(probe, last, waiting)
            published = "keys: the key of an access token is no longer published"
            yield "keys", lambda: must(probe.has_key(last.values["access"]), published)
        yield "code", lambda: self.is_spent(probe)

    def stays_revoked(self, probe, last):
        reply = self.renew(self.app.over(probe.wire), last.values["token"], last.values["attempt"])
        must(reply.status != 200, "revocation: a session that was revoked answers a refresh")

    def goes_on(self, probe, last, waiting):
        under_way = next((step for step in waiting if step.what == "refresh"), None)
        attempt = under_way.values["attempt"] if under_way else phone.secrets.token_urlsafe(16)
        reply = self.renew(self.app.over(probe.wire), last.values["token"], attempt)
        must(reply.status == 200, f"refresh: the token that was answered last is refused: {reply}")
        known = under_way.values.get("token") if under_way else None
        must(known in (None, reply.json["refresh_token"]), "refresh: the same attempt gets another token")

    def is_spent(self, probe):
        reply = self.app.over(probe.wire).step(phone.TOKEN, **self.redemption())
        must(reply.status != 200, "code: a code that was redeemed is redeemed again")

    def redemption(self):
        return {**self.app.redemption(self.code), "code_verifier": self.verifier}

    @staticmethod
    def renew(app, token, attempt):
        return app.step(
            phone.TOKEN, grant_type="refresh_token", client_id=app.app, refresh_token=token, attempt=attempt
        )


class Operation(History):
    """A payment: asked for by the backend, challenged, agreed to, carried out once."""

    kind = "consent"

    def __init__(self, era, backend, name, body):
        super().__init__(era)
        self.backend, self.name, self.body, self.event = backend, name, body, None

    def check(self, probe, cut):
        done, waiting = self.at(cut)
        if not done:
            return
        backend, last = probe.backend, done[-1].what
        reached = {"verify": "VERIFIED", "use": "AUTHORIZED"}
        allowed = {reached.get(what, "SCA_REQUIRED") for what in (last, *(step.what for step in waiting))}
        reply = backend.get(probe.wire, f"/v1/wallet-operations/{self.name}")
        must(reply.status == 200, f"consent: the operation that was asked for is unknown: {reply}")
        status = reply.json["status"]
        if status == "EXPIRED" and time.time() - done[-1].time > LIFETIME:
            return
        must(status in allowed, f"consent: {last} was acknowledged and the operation is {status}")
        if status in ("AUTHORIZED", "VERIFIED"):
            if status == "VERIFIED":
                reply = backend.use(probe.wire, self)
                must(reply.status == 200, f"consent: what was agreed to cannot be carried out: {reply}")
            reply = backend.use(probe.wire, self)
            must(
                reply.status == 409 and "sca_already_used" in reply.text,
                f"consent: what was carried out is carried out again: {reply}",
            )


class PIN(History):
    """The tries of a device's PIN."""

    kind = "pin"

    def __init__(self, era, device, kind="pin"):
        super().__init__(era)
        self.device, self.kind = device, kind

    def check(self, probe, cut):
        done, waiting = self.at(cut)
        if not done:
            return
        left = done[-1].values["left"]
        least = max(0, left - 2) if waiting else left - 1
        # A right PIN under way sets the count back.
        most = 4 if any(step.what == "right" for step in waiting) else left - 1
        self.device.issuer.over(probe.wire)
        reply = self.device.guess()
        after = reply.json.get("remaining_attempts", 0)
        must(least <= after <= most, f"pin: {left} tries were left, and one more leaves {after}: {reply}")


class Account(History):
    """Made by the operator."""

    kind = "account"

    def __init__(self, era, username):
        super().__init__(era)
        self.username = username

    def check(self, probe, cut):
        shown = probe.command("account", "show", self.username, "--json")
        must(shown.status == 0, f"account: {self.username} was made, and is unknown: {shown.errors}")


class Failures(History):
    """Wrong passwords of an account."""

    kind = "failures"

    def __init__(self, era, username):
        super().__init__(era)
        self.username = username

    def check(self, probe, cut):
        done, waiting = self.at(cut)
        wrong, more = sum(step.what == "wrong" for step in done), sum(step.what == "wrong" for step in waiting)
        shown = probe.command("account", "show", self.username, "--json")
        must(shown.status == 0, f"failures: {self.username} is unknown: {shown.errors}")
        counted = json.loads(shown.output)["failures"]["unknownDevices"]["count"]
        must(wrong <= counted <= wrong + more, f"failures: {wrong} were told, and {counted} are counted")
