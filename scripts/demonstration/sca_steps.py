"""The steps of strong customer authentication: a small payment, a large one with a code, a changed one, a replay, the proof; then by face and by passkey, in production."""

import base64
import html
import json
import os
import re
import time

import attestation_steps
from narrator import Step, require
from native_steps import codes, new_code, sign_in_with_code
from programs import PATIENCE, WalletBackend
from registrations import app, backend, reachable_account
from steps import LOOPBACK, WALLET_CLIENT, start_server

BACKEND_CLIENT = "wallet-backend"
SCOPES = "openid profile offline_access accounts payments"
PAYEE = "Dune Bakery"
PAYEE_ACCOUNT = "DE02120300000000202051"
PIN = "274916\n"


def start(stage):
    stage.server.environment["WALLETAUTH_SCA_EXEMPTIONS_LOW_VALUE_SINGLE"] = "30.00 EUR"
    start_server(stage)


def prepare(stage):
    step = Step("The operator registers the app and the wallet's backend, and starts the backend")
    person, server = stage.person, stage.server
    stage.backend = WalletBackend(os.path.join(stage.programs, "wallet-backend"), server.folder, stage.gateway.url)
    reachable_account(server, person.username, person.password)
    app(
        server, WALLET_CLIENT, "Example Wallet", LOOPBACK, "--first-party", "--resource", stage.backend.url,
        "--consent-return-url", LOOPBACK, scope=SCOPES,
    )  # fmt: skip
    stage.backend.start(BACKEND_CLIENT, backend(server, BACKEND_CLIENT, "Example Wallet's backend", "wallet_operations"))
    step.done(
        "The backend keeps the money in its own ledger; the server keeps the consents. Each has its own database.",
        "A backend needs one Swift library and no framework: Examples/WalletBackend is meant to be copied.",
    )


def sign_in(stage):
    step = Step("ada signs in on her phone and checks her balance")
    stage.app = stage.wallet("phone")
    stage.app.environment["WALLET_BACKEND"] = stage.backend.url
    sign_in_with_code(stage, stage.app, "--link", "ada's phone", "--scope", SCOPES)
    stage.app.run("payees", "add", PAYEE, PAYEE_ACCOUNT)
    require(balance(stage) == 100_000, "the wallet does not begin with 1000.00 EUR")
    step.done(
        f"Two factors, once. The wallet has 1000.00 EUR and a payee, {PAYEE}.",
        "The backend checks her token, its scope and a proof of her phone's key: a copied token is useless.",
    )


def small(stage):
    step = Step("She pays 12.50 EUR for breakfast")
    sent = len(messages(stage))
    paid = stage.app.run("transfer", "--to", PAYEE, "--amount", "12.50", "--answers-stdin")
    require(paid["sca"] == "EXEMPT" and paid["exemption"] == "LOW_VALUE", f"the small transfer was: {paid}")
    require(len(messages(stage)) == sent, "a message was sent for an exempt payment")
    require(balance(stage) == 98_750, "12.50 EUR did not leave the wallet")
    step.done(
        "No consent was needed: up to 30 EUR each, 100 EUR in total and five in a row are exempt (RTS article 16).",
        "The operator turns exemptions on; the server keeps count, and its signed statement on each payment names the one that applied.",
    )


def large(stage):
    step = Step("She pays 250.00 EUR for the party: this needs her consent")
    known = len(codes(stage))
    process = stage.app.start("transfer", "--to", PAYEE, "--amount", "250.00", "--factor", "email", "--answers-stdin", "--json")
    code = new_code(stage, process, known)
    text = messages(stage)[0]
    require("250.00" in text and PAYEE in text, f"the message does not name amount and payee: {text}")
    step.detail(f"Her e-mail says: {text.splitlines()[0]}")
    output, errors = process.communicate(code + "\n", timeout=PATIENCE)
    require(process.returncode == 0, f"wallet transfer: {errors.strip()}")
    stage.paid = json.loads(output)
    require(stage.paid["sca"] == "VERIFIED", f"the large transfer was: {stage.paid}")
    require(balance(stage) == 73_750, "250.00 EUR did not leave the wallet")
    step.done(
        "The code came with the amount and the payee, so she knew what it was for. One code, one payment.",
        "Two factors: the sign-in on her phone, and the code. The app shows what the server reports, not what the app itself believes.",
    )


def changed(stage):
    step = Step("Someone between app and backend turns 100.00 EUR into 600.00 EUR after she agreed")
    known = len(codes(stage))
    stage.backend.gateway.alter = raise_amount
    process = stage.app.start("transfer", "--to", PAYEE, "--amount", "100.00", "--factor", "email", "--answers-stdin", "--json")
    output, errors = process.communicate(new_code(stage, process, known) + "\n", timeout=PATIENCE)
    stage.backend.gateway.alter = None
    require(process.returncode == 1, "the changed transfer was paid")
    refusal = json.loads(output)["error"]
    require(refusal["code"] == "operation_changed", f"the changed transfer got: {refusal}")
    require(balance(stage) == 73_750, "the changed transfer moved money")
    step.detail(errors.strip().splitlines()[-1])
    step.done(
        "Refused: her consent is for 100.00 EUR to one payee, and for nothing else (dynamic linking, RTS article 5).",
        "Before it signs anything, the server compares what is carried out with what she was shown, to the letter.",
    )


def raise_amount(headers, body):
    """What an attacker in the middle does to the request that carries the consent: another amount, passed off as a new one."""
    if b"scaDetails" not in body:
        return headers, body
    changed = json.loads(body)
    changed["amount"]["value"] = "60000"
    headers = {k: v for k, v in headers.items() if k.lower() not in ("idempotency-key", "content-length")}
    return {**headers, "Idempotency-Key": "a-name-of-the-thiefs-own"}, json.dumps(changed).encode()


def replay(stage):
    step = Step("A thief repeats the paid request, byte for byte; and the app repeats its consent under a new name")
    paid = stage.backend.gateway.paid
    require(paid is not None, "no paid request was seen")
    headers, body = paid
    copied = stage.person.open(f"{stage.backend.url}/transfers", body, headers)
    require(copied.status == 401, f"the copied request got {copied.status}")
    process = stage.app.start(
        "call", f"{stage.backend.url}/transfers", "-d", body.decode(), "-H",
        f"Idempotency-Key: the-same-again-{time.time_ns()}", "--json",
    )  # fmt: skip
    output, _ = process.communicate(timeout=PATIENCE)
    answer = json.loads(output)
    require(answer["status"] == 409, f"the consent was taken twice: {answer['status']}")
    require(json.loads(answer["body"])["code"] == "sca_already_used", f"the second use got: {answer['body']}")
    again = stage.app.run(
        "call", f"{stage.backend.url}/transfers", "-d", without_consent(body), "-H",
        f"Idempotency-Key: {headers['Idempotency-Key']}",
    )
    require(json.loads(again["body"])["transferId"] == stage.paid["transferId"], "the same key made another transfer")
    require(balance(stage) == 73_750, "a repetition moved money")
    step.done(
        "The copy lacked a fresh proof (401). The spent consent was refused (409). The app's own repetition got its response.",
        "So it is safe to repeat a request whose response was lost, and an eavesdropper gains nothing.",
    )


def without_consent(body):
    """The request as the app first sent it."""
    request = json.loads(body)
    request.pop("scaDetails", None)
    return json.dumps(request)


def wrong_codes(stage):
    step = Step("A thief with her unlocked phone guesses codes for his own payment: five wrong ones")
    process = stage.app.start("transfer", "--to", PAYEE, "--amount", "400.00", "--factor", "email", "--answers-stdin", "--json")
    output, errors = process.communicate("000000\n" * 5, timeout=PATIENCE)
    require(process.returncode == 1, "the thief's transfer was paid")
    refusal = json.loads(output)["error"]
    require(refusal["code"] == "data_error", f"the fifth wrong code got: {refusal}")
    require(balance(stage) == 73_750, "the thief's transfer moved money")
    step.done(
        "After the fifth, the payment is closed, nothing was paid, and ada gets a message.",
        "Each attempt is counted before anything is compared; the app shows how many are left.",
    )


def evidence(stage):
    step = Step("A year later someone asks: did she agree to that?")
    keys = keep(stage, "audit-keys.json", stage.server.administer("audit", "key"))
    record = stage.backend.run("evidence", stage.paid["transferId"], "--audit-keys", keys)
    file = keep(stage, "evidence.jws", record)
    verdict = stage.server.administer("audit", "verify-evidence", file, "--keys", keys)
    for line in verdict.strip().splitlines()[:4]:
        step.detail(line)
    keep(stage, "evidence.jws", with_another_amount(record))
    forged = stage.server.refused("audit", "verify-evidence", file, "--keys", keys)
    step.detail(f"With the amount changed: {forged}")
    step.done(
        "The record verifies: who agreed to what, when, with which factors, signed. With one digit changed it does not.",
        "To contest or audit a payment, you need neither the app nor anyone's word for it.",
    )


def keep(stage, name, text):
    """Writes a file into the demo's folder; returns its path."""
    file = os.path.join(stage.server.folder, name)
    with open(file, "w", encoding="utf-8") as kept:
        kept.write(text)
    return file


def with_another_amount(record):
    """The record as a forger would like to have it, under the signature that it has."""
    header, payload, signature = record.strip().split(".")
    claims = unpack(payload)
    # It contains what she was shown, byte for byte, encoded once more.
    shown = next((word for word in re.findall(r"[\w-]{80,}", claims) if '"25000"' in unpack(word)), None)
    require(shown is not None and PAYEE in unpack(shown), "the evidence does not hold amount and payee as she was shown them")
    changed = claims.replace(shown, pack(unpack(shown).replace('"25000"', '"95000"'))).replace('"25000"', '"95000"')
    return f"{header}.{pack(changed)}.{signature}\n"


def unpack(word):
    """The text of base64url; nothing where it is something else."""
    try:
        return base64.urlsafe_b64decode(word + "=" * (-len(word) % 4)).decode()
    except ValueError:
        return ""


def pack(text):
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def sign_out(stage):
    step = Step("ada signs out")
    stage.app.run("sign-out")
    refusal = stage.app.refusal("balance")
    require(refusal["code"] == "signed_out", f"after signing out the balance got: {refusal}")
    stage.backend.run("check")
    step.done(
        "Her phone no longer shows anything from the wallet, and the backend's books are in order.",
        "Every balance is the sum of its entries, and all balances add up to zero: double entry.",
    )


def balance(stage):
    """What is in the wallet, in cents."""
    return int(stage.app.run("balance")["balance"]["value"])


def messages(stage):
    """What the sandbox's outbox holds, the newest first, as the person reads it."""
    page = stage.person.open(f"{stage.gateway.url}/sandbox/outbox").read().decode()
    return [html.unescape(text) for text in re.findall(r'message-text">(.*?)</p>', page, flags=re.S)]


ALL = [
    start, prepare, sign_in, small, large, changed, replay, wrong_codes, evidence, sign_out, *attestation_steps.PAYING,
]  # fmt: skip
