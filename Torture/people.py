"""Who puts the load on a server: people with sessions, payers, guessers, an operator. Those with phones are in phones.py."""

import json
import os
import secrets

from facts import Failures, Operation, Session
from files import Backup, Keys
from wire import App, base64url, digest, phone

PASSWORD = "seven herons in the reeds"
BACKEND = "torture-backend"
PAYMENT = {"type": "TRANSFER", "amount": {"value": "9000", "currency": "EUR"}, "payee": {"name": "Anna", "account": "DE02"}}
BY_MAIL = {"method": "OTP", "channel": "EMAIL"}


class Unexpected(Exception):
    """An answer that the load has no use for: a fault of the harness or of the server, and never ignored."""


def expect(holds, reply):
    if not holds:
        raise Unexpected(str(reply))


class Backend:
    """The backend that asks for payments; its token is renewed where it is refused."""

    def __init__(self, secret):
        self.secret, self.token = secret, None

    def send(self, wire, method, path, body=None):
        for _ in range(2):
            if self.token is None:
                form = {"grant_type": "client_credentials", "client_id": BACKEND, "client_secret": self.secret}
                self.token = wire.form(phone.TOKEN, form).json["access_token"]
            fields = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
            reply = wire.send(method, path, None if body is None else json.dumps(body), fields)
            if reply.status != 401:
                break
            self.token = None
        return reply

    def get(self, wire, path):
        return self.send(wire, "GET", path)

    def use(self, wire, operation):
        body = {"eventId": operation.event, **PAYMENT}
        return self.send(wire, "POST", f"/v1/wallet-operations/{operation.name}/consume", body)


class Worker:
    """One after the other on one connection. `ledger` takes every history."""

    def __init__(self, stage, number):
        self.stage, self.number, self.made = stage, number, 0
        self.wire = stage.wire()
        self.app = App(self.wire)

    def new_name(self, kind):
        self.made += 1
        return f"{kind}-{self.stage.era}-{self.stage.round}-{self.number}-{self.made}"

    def ask(self, history, what, request, **values):
        """A step of a history: what is under way while it is asked, and the answer."""
        step = history.asks(what, self.wire.now, **values)
        return step, request()

    def account(self, kind):
        """A new account with a confirmed address; its name."""
        name = self.new_name(kind)
        self.stage.make_account(name, f"{name}@example.com")
        return name

    def sign_in(self, username):
        """A session by password."""
        self.app.new_challenge()
        reply = self.app.step(
            phone.SIGN_IN, **self.app.sign_in, login_method="password", username=username, password=PASSWORD
        )
        expect(reply.status == 200, reply)
        return self.redeem(reply.json["authorization_code"])

    def redeem(self, code):
        session = self.stage.add(Session(self.stage.era, self.app))
        session.code, session.verifier = code, self.app.verifier
        step, reply = self.ask(session, "redeem", lambda: self.app.step(phone.TOKEN, **session.redemption()))
        expect(reply.status == 200, reply)
        self.keep(session, step, reply)
        return session

    @staticmethod
    def keep(session, step, reply):
        tokens = reply.json
        session.refresh_token, session.access_token = tokens["refresh_token"], tokens["access_token"]
        session.answered(step, reply.mark, token=tokens["refresh_token"], access=tokens["access_token"])

    def refresh(self, session):
        """The SDK's way: an answer that does not come is asked for again, by the same attempt."""
        attempt = base64url(secrets.token_bytes(16))
        step, reply = self.ask(
            session, "refresh", lambda: session.renew(self.app, session.refresh_token, attempt), attempt=attempt
        )
        expect(reply.status == 200, reply)
        self.keep(session, step, reply)

    def revoke(self, session):
        values = {"token": session.refresh_token, "attempt": base64url(secrets.token_bytes(16))}
        step, reply = self.ask(
            session, "revoke",
            lambda: self.app.step("/oauth2/revoke", client_id=self.app.app, token=session.refresh_token), **values,
        )  # fmt: skip
        expect(reply.status == 200, reply)
        session.answered(step, reply.mark)

    def operation(self, session):
        """Asked for by the backend."""
        name = self.new_name("op")
        claims = json.loads(phone.base64.urlsafe_b64decode(session.access_token.split(".")[1] + "=="))
        operation = self.stage.add(Operation(self.stage.era, self.stage.backend, name, claims))
        body = {"walletOperationId": name, "accountId": claims["sub"], "sessionId": claims["sid"], **PAYMENT}
        step, reply = self.ask(
            operation, "create", lambda: self.stage.backend.send(self.wire, "POST", "/v1/wallet-operations", body)
        )
        expect(reply.status == 201, reply)
        operation.event = reply.json["eventId"]
        operation.answered(step, reply.mark)
        return operation, reply.json.get("availableVerifications", [])

    def sca(self, operation, what, path, session, **body):
        path = f"/v1/sca/events/{operation.event}/{path}"
        body["walletOperationId"] = operation.name
        step, reply = self.ask(operation, what, lambda: self.app.ask("POST", path, body, session.access_token))
        expect(reply.status == 200, reply)
        operation.answered(step, reply.mark)
        return reply.json

    def use(self, operation):
        step, reply = self.ask(operation, "use", lambda: self.stage.backend.use(self.wire, operation))
        expect(reply.status == 200, reply)
        operation.answered(step, reply.mark)


class Owner(Worker):
    """Sessions that are renewed all day, and some that end."""

    def work(self):
        session = self.sign_in(self.stage.owner(self.number))
        for _ in range(8):
            self.refresh(session)
        if self.stage.coin(0.5):
            self.revoke(session)
            session = self.sign_in(self.stage.owner(self.number))
        self.refresh(session)


class Payer(Worker):
    """Agrees by codes. An account is sent fifteen an hour."""

    def work(self):
        name = self.account("payer")
        session = self.sign_in(name)
        for number in range(6):
            operation, _ = self.operation(session)
            self.sca(operation, "challenge", "challenges", session, verification=BY_MAIL)
            code = self.app.code(f"{name}@example.com")
            expect(code, "no code in the outbox")
            if number % 3 == 1:
                wrong = f"{(int(code) + 1) % 1000000:06d}"
                self.sca(operation, "wrong", "attempts", session, verification=BY_MAIL, value=wrong)
            self.sca(operation, "verify", "attempts", session, verification=BY_MAIL, value=code)
            if number % 3 != 2:
                self.use(operation)


class Guesser(Worker):
    """Wrong passwords, three for an account: more would have to wait."""

    def work(self):
        name = self.account("guessed")
        failures = self.stage.add(Failures(self.stage.era, name))
        # A network that guesses too much is refused: each account is guessed at from an address of its own.
        self.wire.close()
        self.wire.source = self.stage.new_address()
        for _ in range(3):
            self.app.new_challenge()
            step, reply = self.ask(
                failures, "wrong",
                lambda: self.app.step(
                    phone.SIGN_IN, **self.app.sign_in, login_method="password", username=name, password="wrong one",
                ),
            )  # fmt: skip
            expect(reply.status == 401, reply)
            failures.answered(step, reply.mark)


class Operator(Worker):
    """Backups, new keys, checkpoints, and a look at the whole."""

    PURPOSES = ("signatures", "refresh", "code", "audit", "personal", "pin")

    def work(self):
        stage = self.stage
        self.back_up()
        for purpose in stage.chance.sample(self.PURPOSES, 2):
            if purpose == "signatures":
                # A successor is published for hours before the next can be made.
                if stage.has_successors:
                    continue
                stage.has_successors = True
            keys = stage.add(Keys(stage.era))
            step = keys.asks("rotate", self.wire.now, purpose=purpose)
            made, mark = stage.command("keys", "rotate", purpose, "--json")
            keys.answered(step, mark, keys=json.loads(made)["keyIds"])
        stage.command("audit", "checkpoint")
        stage.command("database", "sweep")

    def back_up(self):
        stage = self.stage
        name = f"backups/{self.new_name('copy')}.db"
        backup = stage.add(Backup(stage.era, name))
        step = backup.asks("backup", self.wire.now)
        _, mark = stage.command("database", "backup", "--to", os.path.join(stage.server.folder, name))
        with open(os.path.join(stage.server.folder, name), "rb") as file:
            backup.digest = digest(file.read())
        backup.answered(step, mark)
        return name
