"""Interferes between the messages of a commit, and repeats each call as docs/protocol.md says.

    lost_commits.py --issuer URL --client ID --backend ID --control PORT
        settings on standard input, as for cluster_load.py; PORT is the control of postgresql_proxy.py

For a code's redemption, the connection to the database is cut at each message of the transaction, and reset or deaf at each
message of the commit. A refresh commits with its one statement: the connection is cut at each of its messages, and reset or deaf at
the last. For each other call it is cut before the commit, reset within it, and deaf after it. One commit is stalled. The call is
answered as if nothing had happened, or by 503; its repetition has the outcome that the first one would have had. Prints a report as
JSON; exit status 1 if something did not hold.
"""

import argparse
import json
import secrets
import socket
import sys
import time

from cluster_load import PAYMENT, PIN, PURCHASE, World, Wrong, generation

import wpin1
from wpin1 import unb64


class Control:
    def __init__(self, port):
        self.port = port

    def ask(self, line):
        with socket.create_connection(("127.0.0.1", self.port), timeout=120) as connection:
            connection.sendall(line.encode() + b"\n")
            return connection.makefile().readline().strip()

    def fault(self, kind, number, table):
        self.ask(f"fault {kind} {number} {table}")

    def seen(self):
        return json.loads(self.ask("seen"))


class Call:
    """A call that is made again for each fault. `make` returns what sends it, and what looks at the last answer.

    `table` is the one that the call changes by a statement that commits by itself. Other calls have a transaction.
    """

    def __init__(self, name, make, every=False, table=""):
        self.name, self.make, self.every, self.table = name, make, every, table


def calls(world, phone):
    backend = world.backend

    renewed, opened = phone.session(), []

    def paying():
        """A session whose sign-in counts: after five minutes without one, a consent takes more than the look at the holder."""
        if not opened or time.monotonic() - opened[-1][1] > 120:
            opened.append((phone.session(), time.monotonic()))
        return opened[-1][0]

    def refresh():
        session = renewed
        spent, attempt = session.token, secrets.token_urlsafe(16)

        def check(status, told):
            require(status == 200, told)
            require(generation(told["refresh_token"]) == generation(spent) + 1, "a refresh rotated more than once")
            again = phone.refresh(spent, attempt)[1]
            require(again.get("refresh_token") == told["refresh_token"], "another successor")
            session.token = told["refresh_token"]

        form = {"grant_type": "refresh_token", "client_id": phone.state["client"], "refresh_token": spent, "attempt": attempt}
        return lambda **more: phone.send("POST", "/oauth2/token", form, phone.by_dpop, form=True, **more), check

    def redemption():
        code, verifier = phone.code_by_pin()
        answers = []

        def send(**more):
            answers.append(phone.redeem_once(code, verifier))
            return answers[-1]

        def check(status, told):
            # Redeemed by the first request, the code's repetition ends the session; otherwise it is redeemed now.
            require(status == 200 or told.get("error") == "invalid_grant", told)
            require(sum(answer[0] == 200 for answer in answers) <= 1, "one code opened two sessions")

        return send, check

    def sign_in():
        with phone.evaluating:
            form, verifier, _ = phone.sign_in_form(PIN)

        def check(status, told):
            require(status == 200, told)
            require(phone.redeem_once(told["authorization_code"], verifier)[0] == 200, "the code opens nothing")

        return lambda **more: phone.send("POST", "/oauth2/authorize-challenge", form, phone.by_dpop, form=True, **more), check

    def evaluation():
        body, _ = phone.evaluation(pin=PIN, purpose="login", payloadHash=wpin1.b64(secrets.token_bytes(32)))
        headers = phone.by_device()

        def check(status, told):
            require(status == 200, told)
            again = phone.post_evaluation(body, headers)[1]
            require(again.get("challengeId") == told["challengeId"], "another challenge")
            # Gives the try back.
            phone.session()

        return lambda **more: phone.send("POST", "/v1/pin/evaluate", body, headers, **more), check

    def wanted(session):
        name = f"pay-{secrets.token_hex(8)}"
        return name, {"walletOperationId": name, "accountId": phone.state["account"], "sessionId": session.id, **PAYMENT}

    def operation():
        name, body = wanted(paying())

        def check(status, told):
            require(status == 201, told)
            require(backend.must(201, "POST", "/v1/wallet-operations", body, name)["eventId"] == told["eventId"], "another event")

        return lambda **more: backend.send("POST", "/v1/wallet-operations", body, name, **more), check

    def agreed():
        session = paying()
        name, body = wanted(session)
        event = backend.must(201, "POST", "/v1/wallet-operations", body, name)["eventId"]
        body = {"walletOperationId": name, "verification": {"method": "BIOMETRIC", "channel": "DEVICE"}}
        path = f"/v1/sca/events/{event}"
        challenge = phone.must(200, "POST", path + "/challenges", body, phone.by_dpop, session.access)
        about = wpin1.payload_hash("wallet-sca-v1", unb64(challenge["operation"]))
        key = phone.keys["presence"]
        value = phone.assertion(challenge, "sca", about, "BIOMETRIC", 0, key, txid=event, decision="approve")
        return name, event, path + "/attempts", body | {"value": value}, session.access

    def consent():
        _, _, path, body, access = agreed()

        def check(status, told):
            require((status, told.get("status")) == (200, "VERIFIED"), told)

        return lambda **more: phone.send("POST", path, body, phone.by_dpop, access, **more), check

    def consumption():
        name, event, path, body, access = agreed()
        phone.must(200, "POST", path, body, phone.by_dpop, access)
        use = {"eventId": event, "accountId": phone.state["account"], **PAYMENT}
        path = f"/v1/wallet-operations/{name}/consume"

        def check(status, told):
            require((status, told.get("status")) == (200, "AUTHORIZED"), told)
            require(backend.send("POST", path, use, name)[1] == told, "another authentication code")
            status, told = backend.send("POST", path, use, name + "-again")
            require(told.get("code") == "sca_already_used", f"carried out twice: {status} {told}")

        return lambda **more: backend.send("POST", path, use, name, **more), check

    def creation():
        key = f"order-{secrets.token_hex(8)}"
        body = {"accountId": phone.state["account"], "reference": key, **PURCHASE}

        def check(status, told):
            require(status == 201, told)
            path = f"/v1/transactions/{told['transactionId']}"
            require(backend.must(201, "POST", "/v1/transactions", body, key)["transactionId"] == told["transactionId"], "another one")
            backend.must(204, "DELETE", path)

        return lambda **more: backend.send("POST", "/v1/transactions", body, key, **more), check

    def signature():
        key = f"order-{secrets.token_hex(8)}"
        created = backend.must(201, "POST", "/v1/transactions", {"accountId": phone.state["account"], **PURCHASE}, key)
        phone.claim(created["qrData"])
        phone.confirm(False)
        path, body = f"/v1/transactions/{created['transactionId']}/sign", {"jws": phone.signed(None, False)}

        def check(status, told):
            require((status, told.get("status")) == (200, "SIGNED"), told)

        return lambda **more: phone.send("POST", path, body, phone.nothing, **more), check

    return [
        Call("refresh", refresh, every=True, table="sessions"), Call("code redemption", redemption, every=True),
        Call("sign-in by PIN", sign_in),
        Call("PIN evaluation", evaluation), Call("wallet operation", operation), Call("consent", consent),
        Call("carrying out", consumption), Call("transaction", creation), Call("signature", signature),
    ]  # fmt: skip


def require(condition, what):
    if not condition:
        raise Wrong(str(what))


class Run:
    def __init__(self, world, control):
        self.world, self.control = world, control
        self.faults, self.refused, self.wrong = {}, 0, []

    def once(self, call, kind, number):
        """One call under one fault, and its repetition. Returns the messages of the transaction."""
        send, check = call.make()
        self.control.fault(kind, number, call.table)
        status, told = send(patience=0)
        seen = self.control.seen()
        commits = any(message.endswith("COMMIT") for message in seen["messages"])
        self.faults[kind] = self.faults.get(kind, 0) + seen["happened"]
        if status is None or status >= 500:
            self.refused += 1
            require(status == 503, f"{status} {told}")
            require(seen["happened"], f"refused without a fault: {told}")
            status, told = send()
        elif seen["happened"] and commits:
            raise Wrong(f"acknowledged with {status}, though the commit had no answer")
        check(status, told)
        return seen["messages"]

    def all_of(self, call):
        messages = self.once(call, "cut", 10_000)
        commit = next(number for number, message in enumerate(messages, 1) if message.endswith("COMMIT"))
        last = len(messages)
        faults = [("cut", commit), ("reset", last), ("lose", last)]
        if call.every:
            faults = [("cut", number) for number in range(1, last + 1)]
            faults += [(kind, number) for kind in ("reset", "lose") for number in range(commit, last + 1)]
        for kind, number in faults:
            try:
                self.once(call, kind, number)
            except Wrong as wrong:
                self.wrong.append(f"{call.name}, {kind} at message {number} of {messages}: {wrong}")

    def stalled(self, call):
        """Takes as long as the server's patience."""
        try:
            self.once(call, "stall", len(self.once(call, "stall", 10_000)))
        except Wrong as wrong:
            self.wrong.append(f"{call.name}, stalled: {wrong}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--issuer", "--client", "--backend"):
        parser.add_argument(name, required=True)
    parser.add_argument("--control", required=True, type=int)
    given = parser.parse_args()
    given.seed = 0
    world = World(given, json.loads(sys.stdin.readline()))
    run = Run(world, Control(given.control))
    known = calls(world, world.phones[0])
    for call in known:
        run.all_of(call)
    run.stalled(known[0])
    print(json.dumps({"calls": len(known), "faults": run.faults, "refused": run.refused, "wrong": run.wrong}))
    return 1 if run.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
