"""A phone with a PIN: it signs in, agrees to payments, and its holder mistypes."""

from facts import PIN
from people import PASSWORD, Worker, expect
from wire import phone, wpin1

BY_PIN = {"method": "PIN", "channel": "DEVICE"}
TWO_FACTORS = "urn:wallet-auth:acr:2fa"


class Device(phone.Phone):
    """The benchmark's phone, with the code of its own holder, and with PINs that are wrong."""

    def sign_in_by_two_factors(self, username, password):
        app = self.issuer
        asked = app.step(
            phone.SIGN_IN, **app.sign_in, login_method="password", username=username, password=password,
            acr_values=TWO_FACTORS,
        ).json  # fmt: skip
        expect(asked.get("error_code") == "mfa_required", asked)
        answer = app.step(
            phone.SIGN_IN, **app.sign_in, auth_session=asked["auth_session"], mfa_token=asked["mfa"]["token"],
            mfa_answer=app.code(f"{username}@example.com"),
        )  # fmt: skip
        expect(answer.status == 200, answer)
        self.session = self.worker.redeem(answer.json["authorization_code"])
        return self.session.access_token

    def __init__(self, worker, username):
        self.worker = worker
        worker.app.new_challenge()
        super().__init__(worker.app, username, PASSWORD)

    def evaluate(self, **fields):
        if self.issuer.nonce is None:
            self.issuer.renew_nonce()
        body, headers = self.signed({**self.issuer.evaluation(self.id, self.blinded), **fields})
        return self.issuer.ask("POST", phone.EVALUATION, body.encode(), **headers)

    def guess(self, right=False):
        """A sign-in by PIN: its last answer."""
        reply = self.evaluate(payloadHash=self.issuer.subject)
        if reply.status != 200:
            return reply
        kept, self.pin = self.pin, self.pin if right else self.device
        try:
            form = self.sign_in_form(reply.json)
        finally:
            self.pin = kept
        return self.issuer.step(phone.SIGN_IN, **form)

    def consent(self, event, operation):
        """The assertion that agrees to an operation."""
        subject = wpin1.payload_hash("wallet-sca-v1", phone.base64.urlsafe_b64decode(operation + "=="))
        reply = self.evaluate(purpose="sca", transactionId=event, payloadHash=subject)
        expect(reply.status == 200, reply)
        payload = {
            "aud": self.issuer.url, "sub": self.account, "enr": self.id, "epoch": 1, "cid": reply.json["challengeId"],
            "nonce": reply.json["nonce"], "pur": "sca", "txid": event, "txh": subject, "decision": "approve",
            "factor": "PIN", "iat": int(phone.time.time()),
        }  # fmt: skip
        return wpin1.assertion(payload, self.device, self.pin)


class PhoneOwner(Worker):
    """Agrees by the PIN of a device, signs in by it, and mistypes it."""

    def __init__(self, stage, number):
        super().__init__(stage, number)
        self.device = None

    def work(self):
        if self.device is None or self.tries > 20 or self.era != self.stage.era:
            self.device, self.tries, self.era = Device(self, self.account("phone")), 0, self.stage.era
            # What an assertion of a sign-in is about is this pair, in an image too.
            self.app.device = self.device
            self.pin = self.stage.add(PIN(self.stage.era, self.device))
            self.pay()
        for _ in range(2):
            self.guess("wrong", 401)
        self.guess("right", 200)
        self.refresh(self.device.session)
        self.pay()

    def guess(self, what, status):
        self.tries += what == "wrong"
        step, reply = self.ask(self.pin, what, lambda: self.device.guess(right=what == "right"))
        expect(reply.status == status, reply)
        left = reply.json["remaining_attempts"] if what == "wrong" else 5
        self.pin.answered(step, reply.mark, left=left)

    def pay(self):
        session = self.device.session
        while True:
            operation, ways = self.operation(session)
            if any(way["method"] == "PIN" and way["channel"] == "DEVICE" for way in ways):
                break
            # The device is in its cooling period of a second.
            self.stage.pause()
        operation.kind = "pin consent"
        shown = self.sca(operation, "challenge", "challenges", session, verification=BY_PIN)["operation"]
        step = self.pin.asks("right", self.wire.now)
        value = self.device.consent(operation.event, shown)
        answer, reply = self.ask(
            operation, "verify",
            lambda: self.app.ask(
                "POST", f"/v1/sca/events/{operation.event}/attempts",
                {"walletOperationId": operation.name, "verification": BY_PIN, "value": value}, session.access_token,
            ),
        )  # fmt: skip
        expect(reply.status == 200 and reply.json["status"] == "VERIFIED", reply)
        operation.answered(answer, reply.mark)
        self.pin.answered(step, reply.mark, left=5)
        if self.stage.coin(0.7):
            self.use(operation)
