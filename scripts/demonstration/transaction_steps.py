"""The steps of transactions: a shop's QR code, two phones, a wrong PIN, a rejection, the proof."""

import html
import json
import os
import re
import time
import urllib.parse
from dataclasses import replace
from datetime import datetime, timedelta, timezone

from narrator import Failed, Step, require
from native_steps import sign_in_with_code
from person import Person
from programs import PATIENCE, WalletBackend
from registrations import app, backend, reachable_account
from sca_steps import keep, pack, unpack
from steps import LOOPBACK, WALLET_CLIENT, start_server

SHOP = "cafe-zurich"
PINS = {"ada": "274916\n", "ben": "801573\n"}
WRONG_PIN = "274917\n"


def start(stage):
    # In production a new phone waits for a day before it signs.
    stage.server.environment["WALLETAUTH_DEVICES_COOLING_PERIOD"] = "1s"
    start_server(stage)


def prepare(stage):
    step = Step("A café registers its till, and opens its shop's page")
    server = stage.server
    stage.people = {"ada": stage.person, "ben": Person("ben", stage.person.password[::-1])}
    for name, person in stage.people.items():
        reachable_account(server, name, person.password)
    app(server, WALLET_CLIENT, "Example Wallet", LOOPBACK, "--first-party")
    open_shop(stage)
    step.done(
        f"The shop is at {stage.backend.url}/shop. It is a backend in Swift with one library: Examples/WalletBackend.",
        "It holds the server's audit keys from the first day, so it can check every signature by itself.",
    )


def open_shop(stage):
    """Registers the café's backend, and starts it."""
    server = stage.server
    secret = backend(server, SHOP, "Café Zürich", "wallet_operations transactions", "--transactions-without-account")
    stage.keys = keep(stage, "audit-keys.json", server.administer("audit", "key"))
    stage.backend = WalletBackend(os.path.join(stage.programs, "wallet-backend"), server.folder, stage.gateway.url)
    stage.backend.start(SHOP, secret, "--shop-audit-keys", stage.keys)


def phones(stage):
    step = Step("ada and ben set up their phones: one sign-in, and a PIN that never leaves the phone")
    stage.phones = {name: set_up(stage, person) for name, person in stage.people.items()}
    for phone in stage.phones.values():
        wait_until_it_signs(phone)
        phone.run("sign-out")
    step.done(
        "Both have signed out again: no one has to be signed in to sign at a till.",
        "The phone's key identifies the phone; the PIN proves who holds it. The server stores neither.",
    )


def set_up(stage, person):
    """That person's phone: signed in, enrolled, and with a PIN."""
    phone = stage.wallet(f"phone-of-{person.username}")
    sign_in_with_code(replace(stage, person=person), phone, "--link", f"{person.username}'s phone")
    phone.run("pin", "set", "--pin-stdin", secret=PINS[person.username])
    return phone


def wait_until_it_signs(phone):
    """A new phone cannot yet. The times are whole seconds, and may have been rounded down."""
    usable = [datetime.fromisoformat(device["coolingUntil"]) for device in phone.run("device", "list")["devices"]]
    while datetime.now(timezone.utc) < max(usable) + timedelta(seconds=1):
        time.sleep(0.05)


def buy(stage):
    step = Step("ada picks something, and the page shows a QR code")
    stage.purchase = Purchase(stage)
    seen = stage.purchase.read()
    require("Waiting for your wallet" in seen, f"the page says: {heading(seen)}")
    step.detail(f"The page says: {heading(seen)}. The code says: {stage.purchase.code.split('#')[0]}#…")
    step.done(
        "The page waits. The part after # is a secret that browsers never send: only someone who sees the code has it.",
        "The bytes to sign are created when a phone claims the code, for that phone's account, and are never re-encoded.",
    )


def sign(stage):
    step = Step("She scans it, reads it, mistypes her PIN, and then gets it right")
    process = stage.phones["ada"].start("transactions", "approve", stage.purchase.code, "--yes", "--pin-stdin")
    output, errors = process.communicate(WRONG_PIN + PINS["ada"], timeout=PATIENCE)
    require(process.returncode == 0, f"wallet transactions approve: {errors.strip()}")
    for line in errors.strip().splitlines():
        step.detail(line)
    step.detail(output.strip().splitlines()[0])
    require("4 attempts left" in errors, "the wrong PIN was not reported")
    began = time.monotonic()
    state = stage.purchase.wait("SIGNED")
    step.detail(f"The page says: {state['text']} ({(time.monotonic() - began) * 1000:.0f} ms later)")
    step.done(
        "The page had changed before she looked up.",
        "The phone parsed the exact bytes that it signs, and showed nothing else. Each transaction asks for the PIN again.",
    )


def late(stage):
    step = Step("ben scans the same code from a photo of the page")
    refusal = stage.phones["ben"].refusal(
        "transactions", "approve", stage.purchase.code, "--yes", "--pin-stdin", secret=PINS["ben"]
    )
    require(refusal["code"] in ("transaction_over", "transaction_not_found"), f"ben was told: {refusal}")
    step.detail(f"His wallet says: {refusal['message']}")
    step.done("One code, one phone, one signature.", "Of two phones that scan at once, exactly one wins: the tests run 500 such races.")


def reject(stage):
    step = Step("ben scans the code of someone else's purchase, and reads before he signs")
    purchase = Purchase(stage, "the dearest")
    process = stage.phones["ben"].start("transactions", "reject", purchase.code, "--reason", "wrong-data")
    output, errors = process.communicate(timeout=PATIENCE)
    require(process.returncode == 0, f"wallet transactions reject: {errors.strip()}")
    for line in errors.strip().splitlines():
        step.detail(line)
    state = purchase.wait("REJECTED")
    step.detail(f"The page says: {state['text']}")
    step.done(
        "Rejecting needs no PIN: if you were sent something wrong, you should not have to type a secret to say so.",
        "Amount and payee come first on the screen, and no text may hide, mirror or overwrite them.",
    )


def own(stage):
    step = Step("Inside the app: ada signs new terms. No code, no page, her PIN alone")
    terms = keep(stage, "terms.txt", "Terms, version 7: the coffee is hot.")
    signed = stage.phones["ada"].run("transactions", "create", "--data", terms, "--pin-stdin", secret=PINS["ada"])
    require(signed["status"] == "SIGNED", f"the terms were: {signed}")
    step.detail(f"Transaction {signed['transactionId']}: {signed['status']}")
    step.done(
        "The server stored nothing until she signed, and then stored the transaction once.",
        "It has no amount, no payee and a version of its own, so it can never pass for a payment.",
    )


def proof(stage):
    step = Step("A year later someone asks: did she sign that?")
    document = stage.backend.run("purchase", "proof", stage.purchase.number(), "--audit-keys", stage.keys)
    file = keep(stage, "proof.jws", document)
    verdict = stage.server.administer("transaction", "verify", file, "--keys", stage.keys)
    for line in verdict.strip().splitlines():
        step.detail(line)
    keep(stage, "proof.jws", with_another_amount(document))
    forged = stage.server.refused("transaction", "verify", file, "--keys", stage.keys)
    step.detail(f"With the amount changed: {forged}")
    step.done(
        "Public keys are enough to check it: the server's statement, the phone's signature, and every step with its place in the log.",
        "The page is a receipt. The operator alone has the proof, which names account, device and addresses. The PIN's own "
        "signature stays at the server: with a stolen phone it would confirm guesses.",
    )


class Purchase:
    """A purchase in the shop, and its page."""

    def __init__(self, stage, which="the first"):
        self.person, self.shop = stage.people["ada"], stage.backend.url
        shelf = self.person.open(f"{self.shop}/shop").read().decode()
        goods = re.findall(r'name="good" value="([^"]+)"', shelf)
        require(goods, "the shop's shelf is empty")
        good = goods[0] if which == "the first" else goods[-1]
        answer = self.person.open(
            f"{self.shop}/shop/purchases", urllib.parse.urlencode({"good": good}).encode(), {"Origin": self.shop}
        )
        require(answer.status == 303, f"buying got {answer.status}")
        self.url = urllib.parse.urljoin(answer.url, answer.headers["Location"])
        link = re.search(r'class="button" href="([^"]+)"', self.read())
        require(link, "the page has no link for the wallet")
        self.code = html.unescape(link[1])

    def read(self):
        return self.person.open(self.url).read().decode()

    def state(self, seen):
        return json.loads(self.person.open(f"{self.url}/state?wait=20&seen={seen}").read())

    def wait(self, wanted):
        """Waits as the page's script does, until the page is at an end."""
        deadline, seen = time.monotonic() + PATIENCE, "WAITING"
        while time.monotonic() < deadline:
            state = self.state(seen)
            if state["over"]:
                require(state["state"] == wanted, f"the page says {state}")
                return state
            seen = state["state"]
        raise Failed("the page did not change")

    def number(self):
        """The order's number, from the receipt."""
        found = re.search(r"<dt>Order number</dt><dd>([0-9A-F]+)</dd>", self.read())
        require(found, "the receipt has no order number")
        return found[1]


def heading(page):
    found = re.search(r"<h1>(.*?)</h1>", page)
    return html.unescape(found[1]) if found else "nothing"


def with_another_amount(document):
    """The proof as a forger would like to have it, under the signature that it has."""
    header, payload, signature = document.strip().split(".")
    claims = json.loads(unpack(payload))
    shown = unpack(claims["payload"])
    value = json.loads(shown)["amount"]["value"]
    claims["payload"] = pack(shown.replace(f'"value":"{value}"', f'"value":"{value}0"'))
    return f"{header}.{pack(json.dumps(claims, separators=(',', ':')))}.{signature}\n"


ALL = [start, prepare, phones, buy, sign, late, reject, own, proof]
