"""The steps of the phone that approves: pushes, a payment from another app, a flood, a sign-in by scanning, a relay, a lost phone."""

import base64
import hashlib
import json
import os
import secrets
import time
import urllib.parse
from datetime import datetime, timedelta, timezone

from computer import Computer
from narrator import Step, require
from native_steps import sign_in_with_code
from person import Person
from programs import PATIENCE, WalletBackend
from registrations import app, backend, reachable_account
from sca_steps import BACKEND_CLIENT, PAYEE, PAYEE_ACCOUNT, SCOPES, balance, messages
from stand_ins import PushService, Shop
from steps import LOOPBACK, WALLET_CLIENT, loopback_of, page_address, start_server

PINS = {"ada": "274916\n", "ben": "801573\n"}
TOKENS = {"ada": "a1" * 32, "ben": "b2" * 32}
NEW_TOKEN = "c3" * 32
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
STOPPED = "A different number was chosen on the phone, so this sign-in was stopped"
# The server's (decision 121).
UNASKED_PUSHES = 4


def start(stage):
    stage.pushes = PushService(stage.server.folder, gone=TOKENS["ben"])
    stage.stand_ins.append(stage.pushes)
    # In production a new phone waits for a day before it signs.
    stage.server.environment |= {"WALLETAUTH_DEVICES_COOLING_PERIOD": "1s", **stage.pushes.settings(WALLET_CLIENT)}
    start_server(stage)


def prepare(stage):
    step = Step("The operator registers an app, the wallet's backend, and a shop with a webhook")
    server = stage.server
    stage.people = {"ada": stage.person, "ben": Person("ben", stage.person.password[::-1])}
    for name, person in stage.people.items():
        reachable_account(server, name, person.password)
    stage.backend = WalletBackend(os.path.join(stage.programs, "wallet-backend"), server.folder, stage.gateway.url)
    app(server, WALLET_CLIENT, "Example Wallet", LOOPBACK, "--first-party", "--resource", stage.backend.url, scope=SCOPES)
    stage.backend.start(BACKEND_CLIENT, backend(server, BACKEND_CLIENT, "Example Wallet's backend", "wallet_operations"))
    stage.shop = Shop(stage.gateway.url, "cafe-zurich", backend(server, "cafe-zurich", "Café Zürich", "transactions"))
    stage.stand_ins.append(stage.shop)
    added = server.administer("webhook", "add", stage.shop.url, "--client", "cafe-zurich", "--kind", "transactions", "--json")
    stage.shop.secret = json.loads(added)["secret"]
    server.administer("brand", "update", "default", "--scan-sign-in", "on")
    step.done(
        "Apple's push service is a stand-in, which writes down what it is asked to deliver. All other programs are real.",
        "Signing in by scanning is off until the operator turns it on, and pushes until there is a key for them.",
    )


def phones(stage):
    step = Step("ada and ben set up their phones: one sign-in, a PIN, and an address for pushes")
    usable = []
    stage.owners = {}
    for name, person in stage.people.items():
        stage.person = person
        phone = stage.wallets[name] = stage.wallet(f"phone-of-{name}")
        phone.environment["WALLET_BACKEND"] = stage.backend.url
        sign_in_with_code(stage, phone, "--link", f"{name}'s phone", "--scope", SCOPES)
        phone.run("pin", "set", "--pin-stdin", secret=PINS[name])
        phone.run("device", "push", TOKENS[name])
        usable += [datetime.fromisoformat(device["coolingUntil"]) for device in phone.run("device", "list")["devices"]]
        stage.owners[name] = json.loads(stage.server.administer("account", "show", name, "--json"))["accountId"]
    stage.person = stage.people["ada"]
    # A new phone cannot sign yet. The times are whole seconds, and may have been rounded down.
    while datetime.now(timezone.utc) < max(usable) + timedelta(seconds=1):
        time.sleep(0.05)
    step.done(
        "The server can tell both phones that something waits. It keeps their addresses encrypted.",
        "An address opens nothing: what signs is the phone's key, and what proves who holds it, the PIN. The server has neither.",
    )


def push(stage):
    step = Step("ada orders at a café on the web, and its backend asks her to sign")
    stage.order = stage.shop.ask(stage.owners["ada"], "Café Zürich", "1250")
    sent = stage.pushes.about(stage.order)
    require(sent["token"] == TOKENS["ada"], f"the push went to {sent['token']}")
    step.detail(f"At Apple's: {sent['body']}")
    for word in ("Café", "Z\\u00fcrich", "12.50", "1250", "EUR", "ada"):
        require(word not in sent["body"], f"the push says {word}")
    step.done(
        "The push has an id and a general sentence: no amount, no payee, no name.",
        "It is a hint. What is on a lock screen, and what Apple or Google learn, is that something waits.",
    )


def sign(stage):
    step = Step("Her phone asks the server what waits; she reads it, and types her PIN")
    phone = stage.wallets["ada"]
    waits = phone.run("approvals", "list")["approvals"]
    require([(item["id"], item["kind"]) for item in waits] == [(stage.order, "transaction")], f"what waits: {waits}")
    process = phone.start("approvals", "approve", stage.order, "--yes", "--pin-stdin", "--json")
    began = time.monotonic()
    output, errors = process.communicate(PINS["ada"], timeout=PATIENCE)
    require(process.returncode == 0, f"wallet approvals approve: {errors.strip()}")
    for line in errors.strip().splitlines():
        step.detail(line)
    require("12.50 EUR" in errors and "Café Zürich" in errors, f"the phone shows: {errors}")
    require(json.loads(output)["status"] == "SIGNED", f"the transaction is: {output}")
    event = stage.shop.hear("transaction.signed", stage.order)
    require(event["data"]["sub"] == stage.owners["ada"] and event["data"]["secondFactor"] == "PIN", f"the event is: {event}")
    late = (event["arrived"] - began) * 1000
    step.detail(f"The café's webhook: {event['type']}, signature verified, {late:.0f} ms after she typed her PIN")
    step.done(
        "The café's backend did not ask once: the server told it.",
        "She signed the bytes that her phone showed. An event is signed too, and repeated until the backend has accepted it.",
    )


def pay(stage):
    step = Step("She pays 250.00 EUR on a tablet that is not enrolled, and the payment waits for her phone")
    stage.app = tablet = stage.wallet("tablet")
    tablet.environment["WALLET_BACKEND"] = stage.backend.url
    sign_in_with_code(stage, tablet, "--scope", SCOPES)
    tablet.run("payees", "add", PAYEE, PAYEE_ACCOUNT)
    process = tablet.start("transfer", "--to", PAYEE, "--amount", "250.00", "--factor", "push", "--json")
    try:
        sent = stage.pushes.wait(lambda push: json.loads(push["body"]).get("kind") == "operation")
        step.detail(f"At Apple's: {sent['body']}")
        phone = stage.wallets["ada"]
        waits = phone.run("approvals", "list")["approvals"]
        require([item["id"] for item in waits] == [json.loads(sent["body"])["id"]], f"what waits: {waits}")
        text = " · ".join(waits[0]["content"])
        step.detail(f"Waiting: {text}")
        require("250.00 EUR" in text and PAYEE in text, f"the phone shows: {text}")
        require(process.poll() is None, "the tablet did not wait")
        phone.run("approvals", "approve", waits[0]["id"], "--yes", "--pin-stdin", secret=PINS["ada"])
        output, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    require(process.returncode == 0, f"wallet transfer: {errors.strip()}")
    require(json.loads(output)["sca"] == "VERIFIED", f"the transfer was: {output}")
    require(balance(stage) == 75_000, "250.00 EUR did not leave the wallet once")
    again = phone.refusal("approvals", "approve", waits[0]["id"], "--yes", "--pin-stdin", secret=PINS["ada"])
    require(again["code"] == "nothing_pending", f"the second approval got: {again}")
    stage.backend.run("check")
    step.done(
        "The tablet went on by itself, and she has paid once: a second approval finds nothing.",
        "What the phone signs is amount and payee. A thief with her password at another device waits in vain.",
    )


def flood(stage):
    step = Step("Someone who got into the café's backend floods her phone, so that she approves one to be left alone")
    ids = [stage.shop.ask(stage.owners["ada"], "Gift Cards 24", "50000") for _ in range(UNASKED_PUSHES)]
    for number in ids[:-1]:
        stage.pushes.about(number)
    step.detail(f"Her e-mail says: {message(stage, 'Several approvals')}")
    sent = [item for item in json.loads(stage.server.administer("outbox", "list", "--json"))["messages"] if item["channel"] == "push"]
    require(len(sent) == UNASKED_PUSHES + 1, f"{len(sent)} pushes were sent, the payment's among them")
    waits = {item["id"] for item in stage.wallets["ada"].run("approvals", "list")["approvals"]}
    require(waits == set(ids), "the app does not show all that waits")
    for number in ids:
        stage.wallets["ada"].run("approvals", "reject", number)
        event = stage.shop.hear("transaction.rejected", number)
        require(event["data"]["reason"] == "UNEXPECTED", f"the event is: {event}")
    step.done(
        "With the coffee's, four pushes in ten minutes reached her; the fifth was held back. She stopped all of them, without her PIN.",
        "What she asks for herself is not counted, as the payment was not. What is held back waits in the app all the same.",
    )


def scan(stage):
    step = Step("At a computer: she signs in without typing anything there")
    desk = stage.wallet("computer")
    process = desk.start("sign-in", "--browser", "--no-open", "--scope", SCOPES, "--json")
    try:
        url = page_address(process)
        browser = Computer(FIREFOX)
        browser.show_code(url)
        picture = browser.photograph(os.path.join(stage.server.folder, "code.png"))
        asked = look(stage, picture)
        step.detail(f"Her phone: {asked['browser']} on {asked['system']}; which number is on the page: {choices(asked)}?")
        require((asked["browser"], asked["system"]) == ("Firefox", "Linux"), f"the phone shows: {asked}")
        browser.reload()
        number = browser.number()
        require(number in asked["numbers"], f"the page shows {number}, the phone {asked['numbers']}")
        step.detail(f"The page: {number}")
        stage.wallets["ada"].run(
            "sign-in-elsewhere", "--picture", picture, "--number", str(number), "--pin-stdin", secret=PINS["ada"]
        )
        callback = loopback_of(url)
        browser.reload(until=callback)
        require(browser.url.startswith(callback), f"the page says: {browser.heading()}")
        browser.open(browser.url)
        _, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    require(process.returncode == 0, f"wallet sign-in: {errors.strip()}")
    step.detail(f"Her e-mail says: {message(stage, 'scan')}")
    claims = read_token(desk.run("token")["accessToken"])
    require("cross_device" in claims["amr"] and claims["acr"].endswith(":1fa"), f"the token says: {claims}")
    step.detail(f"The token: amr {' '.join(claims['amr'])}; acr {claims['acr']}")
    desk.environment["WALLET_BACKEND"] = stage.backend.url
    refusal = desk.refusal("transfer", "--to", PAYEE, "--amount", "10.00", "--answers-stdin")
    require(refusal["code"] == "sca_required", f"a payment from there got: {refusal}")
    step.detail(f"A payment from there: {refusal['message']}")
    step.done(
        "The page, without any script, went on once the phone had signed. The password was not near this computer.",
        "The token says how it came about: cross_device. Such a session pays nothing and enrolls nothing.",
    )


def relay(stage):
    step = Step("A relay: an attacker sends her the code of his own page, and she picks a number without looking")
    attacker = Computer(CHROME)
    attacker.show_code(authorization(stage))
    picture = attacker.photograph(os.path.join(stage.server.folder, "sent.png"))
    asked = look(stage, picture)
    step.detail(f"Her phone: {asked['browser']} on {asked['system']}; which number is on the page: {choices(asked)}?")
    require(asked["system"] == "Windows", f"the phone shows: {asked}")
    attacker.reload()
    wrong = next(number for number in asked["numbers"] if number != attacker.number())
    refusal = stage.wallets["ada"].refusal(
        "sign-in-elsewhere", "--picture", picture, "--number", str(wrong), "--pin-stdin", secret=""
    )
    require(refusal["code"] == "number_mismatch", f"the wrong number got: {refusal}")
    step.detail(f"Her wallet says: {refusal['message']}")
    attacker.reload(until=LOOPBACK)
    require("code=" not in attacker.url, "the attacker is signed in")
    require(STOPPED in attacker.page, f"his page says: {attacker.heading()}")
    step.detail(f"His page says: {STOPPED}…")
    step.done(
        "The sign-in was over before anyone asked for her PIN.",
        "His number is on his screen, not on hers. After three wrong ones in an hour no phone of hers signs in a browser for that hour.",
    )


def gone(stage):
    step = Step("ben has deleted the app and installed it again, and Apple no longer knows the address of his phone (410)")
    phone = stage.wallets["ben"]
    order = stage.shop.ask(stage.owners["ben"], "Café Zürich", "480")
    require(stage.pushes.about(order)["token"] == TOKENS["ben"], "the push did not go to ben's phone")
    deadline = time.monotonic() + PATIENCE
    while json.loads(phone.run("call", f"{stage.gateway.url}/v1/devices")["body"])["devices"][0]["push"]:
        require(time.monotonic() < deadline, "the address was not taken away")
    waits = phone.run("approvals", "list")["approvals"]
    require([item["id"] for item in waits] == [order], f"what waits: {waits}")
    step.detail(f"Waiting all the same: {' · '.join(waits[0]['content'])}")
    phone.run("approvals", "approve", order, "--yes", "--pin-stdin", secret=PINS["ben"])
    stage.shop.hear("transaction.signed", order)
    phone.run("device", "push", NEW_TOKEN)
    order = stage.shop.ask(stage.owners["ben"], "Café Zürich", "480")
    require(stage.pushes.about(order)["token"] == NEW_TOKEN, "the push did not go to the new address")
    require(stage.shop.refused == 0, "the shop received an event with a wrong signature")
    step.done(
        "The server took the address away, what waited was signed, and the app's next start registered a new one.",
        "A push that does not arrive costs nothing but time: the list in the app is always true.",
    )


def message(stage, words):
    """Waits for the first line of the message to ada that has these words."""
    deadline = time.monotonic() + PATIENCE
    while not (found := [text for text in messages(stage) if words in text]):
        require(time.monotonic() < deadline, f"no message says: {words}")
        time.sleep(0.05)
    require(len(found) == 1, f"{len(found)} messages say: {words}")
    return found[0].splitlines()[0]


def look(stage, picture):
    return stage.wallets["ada"].run("sign-in-elsewhere", "--picture", picture, "--look")


def choices(asked):
    return ", ".join(map(str, asked["numbers"]))


def authorization(stage):
    """What an app's request for a sign-in looks like, for a browser whose app does not matter."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(secrets.token_bytes(32)).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code", "client_id": WALLET_CLIENT, "redirect_uri": LOOPBACK, "scope": "openid profile",
        "state": secrets.token_urlsafe(16), "code_challenge": challenge, "code_challenge_method": "S256",
    }  # fmt: skip
    return f"{stage.gateway.url}/oauth2/authorize?{urllib.parse.urlencode(query)}"


def read_token(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


ALL = [start, prepare, phones, push, sign, pay, flood, scan, relay, gone]
