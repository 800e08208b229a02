"""The steps in production: only an attested app enrolls, and a face and a passkey approve payments. The platform's stand-in is `wallet attester`."""

import json
import os
import secrets
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass

from authenticator import AuthenticatorApp
from narrator import Step, require
from programs import PATIENCE, ProductionServer, WalletApp, WalletBackend
from registrations import account, app, backend
from steps import LOOPBACK, WALLET_CLIENT

APP_ID = "ABCDE12345.com.example.wallet"
SCOPES = "openid profile offline_access accounts payments"
PAYEE = "Dune Bakery"
PAYEE_ACCOUNT = "DE02120300000000202051"
PIN = "274916\n"
# A person is asked at the terminal.
UNATTENDED = "--passkey-unattended"
VERIFIER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "verify_evidence.py")


@dataclass
class Production:
    """The second server, and ada's phone there."""

    server: ProductionServer
    phone: WalletApp
    # The folder of the platform's stand-in.
    attester: str
    backend: WalletBackend | None = None


def start(stage):
    open_server(stage, pays=False)


def start_with_backend(stage):
    open_server(stage, pays=True)


def open_server(stage, pays):
    step = Step("The operator starts a second server, in production, where only attested apps enroll")
    folder = os.path.join(stage.server.folder, "production")
    os.mkdir(folder, 0o700)
    server = ProductionServer(stage.server.program, folder)
    phone = WalletApp(os.path.join(stage.programs, "wallet"), folder, server.issuer, WALLET_CLIENT, "phone")
    phone.environment["WALLET_CA_FILE"] = server.certificate
    attester = os.path.join(folder, "attester")
    root = phone.run("attester", "create", attester, "--app-id", APP_ID)["root"]
    server.configure(WALLETAUTH_DEVICES_APPLE_ROOTS=root, WALLETAUTH_DEVICES_BIOMETRIC_KEYS="attested-app")
    stage.stand_ins.append(server)
    server.start()
    stage.production = Production(server, phone, attester)
    resource = []
    if pays:
        money = stage.production.backend = WalletBackend(
            os.path.join(stage.programs, "wallet-backend"), folder, server.issuer, server.certificate
        )
        # Ends before the server.
        stage.stand_ins.insert(0, money)
        resource = ["--resource", money.url]
    app(
        server, WALLET_CLIENT, "Example Wallet", LOOPBACK, "--first-party", *resource, "--attest", "required",
        "--apple-app-id", APP_ID, scope=SCOPES,
    )  # fmt: skip
    if pays:
        money.start("wallet-backend", backend(server, "wallet-backend", "Example Wallet's backend", "wallet_operations"))
        phone.environment["WALLET_BACKEND"] = money.url
    step.detail(f"walletauth client create … --attest required --apple-app-id {APP_ID}")
    step.done(
        "It has TLS, and in place of Apple's root one of `wallet attester create`, a stand-in for App Attest.",
        "The sandbox takes every biometric key, so what an attestation is worth shows in production alone.",
    )


def refused(stage):
    step = Step("A program with ada's password and her code, but not the app, tries to enroll")
    sign_in(stage)
    refusal = stage.production.phone.refusal("device", "enroll", "ada's phone")
    require(refusal["code"] == "attestation_required", f"the enrollment without attestation got: {refusal}")
    step.done(
        "Refused: no platform vouches for it, so its key becomes none of her devices.",
        "A client id is public. Who knows it, a password and a code could enroll any script or emulator.",
    )


def sign_in(stage):
    """Signs in by password and an authenticator app: production has no outbox to read codes in."""
    phone, password = stage.production.phone, secrets.token_urlsafe(12)
    account(stage.production.server, "ada", password)
    first = ("sign-in", "--username", "ada", "--password-stdin", "--scope", SCOPES)
    phone.run(*first, secret=password + "\n")
    codes = AuthenticatorApp(phone.run("mfa", "authenticator", "--begin")["secret"])
    phone.run("mfa", "authenticator", "--confirm", "--code-stdin", secret=codes.code() + "\n")
    phone.run(*first, "--two-factors", secret=f"{password}\n{codes.code()}\n")


def enrolled(stage):
    step = Step("The genuine app enrolls with what the platform says of it")
    server, phone = stage.production.server, stage.production.phone
    phone.environment["WALLET_ATTESTER"] = stage.production.attester
    phone.run("device", "enroll", "ada's phone")
    for line in server.administer("device", "list", "ada").splitlines():
        step.detail(line)
    require(device(stage)["attestation"]["app"] == APP_ID, f"the device is: {device(stage)}")
    step.done(
        "The platform signed the server's challenge and the key, and `device list` says which app it is.",
        "Another person's attestation is about another challenge, so it enrolls nothing.",
    )


def device(stage):
    return json.loads(stage.production.server.administer("device", "list", "ada", "--json"))["devices"][0]


def face(stage):
    step = Step("She sets a PIN, and with it turns face recognition on")
    phone = stage.production.phone
    phone.run("pin", "set", "--pin-stdin", secret=PIN)
    phone.run("biometrics", "enable", "--pin-stdin", secret=PIN)
    require(device(stage).get("biometricKeyVoucher") == "app", f"the device is: {device(stage)}")
    step.done(
        "The attested app vouches for the key that signs after a look at her face (devices.biometricKeys attested-app).",
        "Without it, a program with a key in a file could claim to have seen a face.",
    )


def passkey(stage):
    step = Step("She adds a passkey, and waits a day")
    phone = stage.production.phone
    phone.run("passkey", "add", "--name", "ada's phone", UNATTENDED)
    file = os.path.join(stage.production.server.folder, "demo.db")
    with closing(sqlite3.connect(file, timeout=PATIENCE)) as rows, rows:
        rows.execute("UPDATE devices SET cooling_until = created_at")
        rows.execute("UPDATE passkeys SET cooling_until = created_at")
    step.detail("Here the demo ends the day in the database.")
    phone.run("payees", "add", PAYEE, PAYEE_ACCOUNT)
    step.done(
        "From now on phone and passkey approve payments.",
        "She gets a message about each at once, so a thief's would be gone before it can pay.",
    )


def pay_by_face(stage):
    step = Step("She pays 250.00 EUR with her face")
    said = pay(stage, step, "250.00", "biometric")
    require(f"the app {APP_ID} attested by apple" in said and "on the word of the app" in said, f"the proof says: {said}")
    step.done(
        "Phone and face are two factors, in one look. The proof names the app, and on whose word the key counted.",
        "scripts/verify_evidence.py shares no code with the server, and needs neither its database nor its secrets.",
    )


def pay_by_passkey(stage):
    step = Step("She pays 90.00 EUR with her passkey, inside the app")
    pay(stage, step, "90.00", "device-passkey")
    step.done(
        "The passkey signed a challenge that contains the payment, and the same program verifies it.",
        "No page opens, and the signature is for this amount and payee alone.",
    )


def pay(stage, step, amount, factor):
    """Returns what the independent program says of the proof."""
    production = stage.production
    paid = production.phone.run("transfer", "--to", PAYEE, "--amount", amount, "--factor", factor, "--answers-stdin", UNATTENDED)
    require(paid["sca"] == "VERIFIED", f"the transfer was: {paid}")
    folder = production.server.folder
    keys, file = os.path.join(folder, "audit-keys.json"), os.path.join(folder, f"{factor}.jws")
    with open(keys, "w", encoding="utf-8") as kept:
        kept.write(production.server.administer("audit", "key"))
    with open(file, "w", encoding="utf-8") as kept:
        kept.write(production.backend.run("evidence", paid["transferId"], "--audit-keys", keys))
    found = subprocess.run([sys.executable, VERIFIER, file, keys], capture_output=True, text=True, timeout=PATIENCE)
    said = found.stdout.strip()
    require(found.returncode == 0, f"the proof does not hold: {said} {found.stderr.strip()}")
    step.detail(said)
    return said


ENROLLING = [start, refused, enrolled, face]
PAYING = [start_with_backend, refused, enrolled, face, passkey, pay_by_face, pay_by_passkey]
