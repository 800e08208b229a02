"""The steps of native sign-in: a new device, a second factor, a PIN, wrong PINs until it locks, recovery, and an attested app."""

import re
import time

import attestation_steps
from narrator import Step, require
from programs import PATIENCE
from registrations import app, reachable_account
from steps import LOOPBACK, WALLET_CLIENT, start_server

PIN = "274916\n"
WRONG_PIN = "274917\n"
FORGOTTEN_PASSWORD = "two herons in the reeds"
NEW_PASSWORD = "three kites over the pier"
NEW_PIN = "801573\n"
TRIES = 5


def prepare(stage):
    step = Step("The operator creates an account with a confirmed e-mail address, and registers the app")
    person = stage.person
    reachable_account(stage.server, person.username, person.password)
    app(stage.server, WALLET_CLIENT, "Example Wallet", LOOPBACK, "--first-party")
    step.done(
        "The server can reach ada, so it has a second factor to ask for.",
        "The brand's policy decides what a new device must prove; by default it is a second factor.",
    )


def stolen_password(stage):
    step = Step("A thief who has ada's password tries it on his own device")
    thief = stage.wallet("thief")
    refusal = thief.refusal(
        "sign-in", "--username", stage.person.username, "--password-stdin", secret=f"{stage.person.password}\n000000\n"
    )
    require(refusal["code"] == "invalid_credentials", f"the thief was told: {refusal}")
    step.done(
        "The password was right, but not enough: a code went to ada's mailbox, which he cannot read.",
        "Until the second factor is right, nothing about the account is revealed or changed.",
    )


def new_device(stage):
    step = Step("ada signs in on her new phone, and types the code from her e-mail")
    stage.app = stage.wallet("phone")
    sign_in_with_code(stage, stage.app, "--link", "ada's phone")
    devices = stage.app.run("device", "list")
    require([device["name"] for device in devices["devices"]] == ["ada's phone"], f"her devices are: {devices}")
    step.done(
        "The phone created a key that never leaves it, and is enrolled: from now on the server knows it by that key.",
        "Enrollment takes two fresh factors, and ada gets an e-mail about it.",
    )


def sign_in_with_code(stage, app, *options):
    """Types the password, reads the code where a developer reads it, and types that too."""
    known = len(codes(stage))
    process = app.start("sign-in", "--username", stage.person.username, "--password-stdin", "--json", *options)
    process.stdin.write(stage.person.password + "\n")
    process.stdin.flush()
    type_code(stage, process, known, 6, "")


def type_code(stage, process, known, digits, rest):
    """Waits for a code, types it, and what is to be typed after it."""
    output, errors = process.communicate(new_code(stage, process, known, digits) + "\n" + rest, timeout=PATIENCE)
    require(process.returncode == 0, f"wallet: {errors.strip() or output.strip()}")


def new_code(stage, process, known, digits=6):
    """Waits for one more code than was known before the wallet's command, or before a page asked for it."""
    deadline = time.monotonic() + PATIENCE
    while len(found := codes(stage, digits)) <= known:
        require(process is None or process.poll() is None, "the wallet ended before a code was sent")
        require(time.monotonic() < deadline, "no code was sent")
        time.sleep(0.05)
    return found[0]


def codes(stage, digits=6):
    """The codes in the sandbox's outbox, the newest first."""
    page = stage.person.open(f"{stage.gateway.url}/sandbox/outbox").read().decode()
    return re.findall(rf"<code>(\d{{{digits}}})</code>", page)


def set_pin(stage):
    step = Step("She sets a PIN")
    stage.app.run("pin", "set", "--pin-stdin", secret=PIN)
    stage.app.run("sign-out")
    step.done(
        "Phone and server derived a key from it together: neither keeps the PIN, or anything to guess it from.",
        "A stolen phone plus a stolen database are not enough to try PINs: each guess has to go through the server.",
    )


def sign_in_by_pin(stage):
    step = Step("She signs in with her PIN")
    stage.app.run("sign-in", "--pin", "--pin-stdin", secret=PIN)
    require(stage.app.run("status") is not None, "the PIN left no session")
    stage.app.run("sign-out")
    step.done(
        "Two signatures, the phone's and the PIN's, in one step: that makes two factors.",
        "Six digits are enough, because the server counts attempts and because the digits are worthless without the phone.",
    )


def wrong_pins(stage):
    step = Step(f"A thief who has the phone guesses: {TRIES} wrong PINs")
    for _ in range(TRIES - 1):
        refusal = stage.app.refusal("sign-in", "--pin", "--pin-stdin", secret=WRONG_PIN)
        require(refusal["code"] == "invalid_credentials", f"a wrong PIN got: {refusal}")
    refusal = stage.app.refusal("sign-in", "--pin", "--pin-stdin", secret=WRONG_PIN)
    require(refusal["code"] == "pin_locked", f"the last try got: {refusal}")
    refusal = stage.app.refusal("sign-in", "--pin", "--pin-stdin", secret=PIN)
    require(refusal["code"] == "pin_locked" and refusal["statusCode"] == 423, f"the locked PIN says: {refusal}")
    step.done(
        "After the fifth, even the right PIN is refused: it is locked (423), and ada gets an e-mail.",
        "Each attempt is counted before anything is compared, so a thousand at once are still only five.",
    )


def recover(stage):
    step = Step("ada has her phone back: she signs in with her password and sets a new PIN")
    stage.app.run("sign-in", "--username", stage.person.username, "--password-stdin", secret=stage.person.password + "\n")
    stage.app.run("pin", "set", "--pin-stdin", secret=NEW_PIN)
    stage.app.run("sign-out")
    refusal = stage.app.refusal("sign-in", "--pin", "--pin-stdin", secret=PIN)
    require(refusal["code"] == "invalid_credentials", f"the old PIN got: {refusal}")
    stage.app.run("sign-in", "--pin", "--pin-stdin", secret=NEW_PIN)
    step.done(
        "Password and phone are two factors, so no code was asked for. The old PIN no longer works.",
        "If you forget a PIN, you need no one's help; if you find a phone, you cannot get around the password.",
    )


def forgotten_password(stage):
    step = Step("bob, whose only other factor is his mailbox, has forgotten his password and resets it himself")
    stage.app.run("sign-out")
    reachable_account(stage.server, "bob", FORGOTTEN_PASSWORD)
    known = len(codes(stage, 8))
    process = stage.app.start("recover", "--username", "bob", "--answers-stdin", "--json")
    type_code(stage, process, known, 8, NEW_PASSWORD + "\n")
    stage.app.run("sign-out")
    refusal = stage.app.refusal("sign-in", "--username", "bob", "--password-stdin", secret=FORGOTTEN_PASSWORD + "\n")
    require(refusal["code"] == "invalid_credentials", f"the old password got: {refusal}")
    step.done(
        "An eight-digit code to his mailbox, and a new password. The old one no longer works, and every other session has ended.",
        "For ada the mailbox would not be enough, because she also has a phone. And for a day, no one can change how bob signs in.",
    )


def audit(stage):
    step = Step("An auditor checks the audit log")
    stage.server.administer("audit", "verify")
    latest = stage.server.administer("audit", "tail").strip().splitlines()[-1]
    step.done(
        f"`walletauth audit verify` found every chain intact; the latest entry: {' '.join(latest.split()[:3])}.",
        "Each entry is bound to the one before it, so a changed, moved or removed entry is detected.",
    )


ALL = [
    start_server, prepare, stolen_password, new_device, set_pin, sign_in_by_pin, wrong_pins, recover,
    forgotten_password, audit, *attestation_steps.ENROLLING,
]  # fmt: skip
