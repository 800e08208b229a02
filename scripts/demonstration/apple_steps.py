"""The steps of Sign in with Apple: a loyalty program's backend, an app, and the sandbox's stand-in for Apple."""

import base64
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request

from narrator import Step, require
from programs import PATIENCE
from registrations import app, backend
from steps import LOOPBACK, WALLET_CLIENT, start_server

BACKEND = "loyalty-backend"
MERCHANT, INTEGRATION, CARD_TEMPLATE, STORE = 10101010, "apple", 0, "pxweb"
BUNDLE, SERVICES = WALLET_CLIENT, WALLET_CLIENT + ".web"
TEAM, KEY = "SANDBOXTM1", "SANDBOXKEY"
FIELD_SET = "http://paytronix.com/oauth/fieldset"


def register(stage):
    step = Step("The operator downloads the developer's key, and registers Apple for the merchant's loyalty app")
    key = os.path.join(stage.server.folder, f"AuthKey_{KEY}.p8")
    with urllib.request.urlopen(f"{apple(stage)}/AuthKey_{KEY}.p8", timeout=PATIENCE) as answer, open(key, "wb") as file:
        file.write(answer.read())
    add_provider(stage, "apple", TEAM, key, "--loyalty-merchant", str(MERCHANT), "--loyalty-integration", INTEGRATION)
    app(stage.server, WALLET_CLIENT, "Loyalty App", LOOPBACK, "--first-party")
    guests = ["--guest-tokens", "--loyalty-merchant", str(MERCHANT)]
    stage.secret = backend(stage.server, BACKEND, "Loyalty backend", "user_read account_read", *guests)
    checked = stage.server.administer("provider", "check", "apple")
    step.detail(checked.strip().splitlines()[-1])
    step.done(
        "The .p8 key is sealed in the database. `provider check` had Apple accept a client secret made with it.",
        "A client secret is created when it is needed and lasts minutes; none is kept, so none expires unnoticed.",
    )


def mixed_up(stage):
    step = Step("He mixes up team and key, as happens in Apple's console")
    key = os.path.join(stage.server.folder, f"AuthKey_{KEY}.p8")
    add_provider(stage, "mixed-up", "OTHERTEAM1", key)
    told = stage.server.refused("provider", "check", "mixed-up")
    stage.server.administer("provider", "remove", "mixed-up")
    step.detail(told)
    step.done("`provider check` says what Apple would refuse.", "Otherwise the first guest would have found out.")


def unknown_guest(stage):
    step = Step("A guest taps “Sign in with Apple” for the first time")
    stage.credential = sheet(stage, BUNDLE)
    answer = call(stage, "/oauth/requestGuestToken.json", guest_token(stage.credential))
    require(answer.get("errorCode") == "authentication.no_matching_guest", f"the server returned {answer}")
    step.detail(f"{answer['errorCode']}: {answer['errorMessage']}")
    step.done(
        "No one here has that Apple Account. The app offers to enroll.",
        "The lookup comes first: Apple's code, which works once, is still unspent.",
    )


def enroll(stage):
    step = Step("They enroll, with the same credential")
    stage.account = call(stage, "/enrollment/createAndRegister.json", enrollment(stage.credential))
    require("oauthTokens" in stage.account, f"the server returned {stage.account}")
    require("merchant_id" not in claims(stage.account["oauthTokens"]["access_token"]), "a guest has a merchant_id")
    again = call(stage, "/enrollment/createAndRegister.json", enrollment(stage.credential))
    require(again.get("accountId") == stage.account["accountId"], f"the repetition got {again}")
    step.done(
        f"Account {stage.account['accountId']} exists, is linked to Apple, and has a pair of tokens.",
        "The response was lost and the backend asked again: it got the same account, although Apple's code was spent.",
    )


def known_guest(stage):
    step = Step("The next tap signs in at once; meanwhile Apple has changed its keys")
    console(stage, "roll-keys")
    answer = tap(stage)
    require(answer.get("result") == "success", f"the server returned {answer}")
    stage.guest = claims(answer["access_token"])["sub"]
    step.done(
        f"{answer['username']} is signed in, scopes: {answer['scope']}.",
        "The token named a key that the server had not seen; it asked Apple for the keys once.",
    )


def stolen_credentials(stage):
    step = Step("A thief tries what he has stolen")
    first = sheet(stage, BUNDLE)
    call(stage, "/oauth/requestGuestToken.json", guest_token(first))
    replayed = call(stage, "/oauth/requestGuestToken.json", guest_token(first))
    mine, theirs = sheet(stage, BUNDLE, account="mallory"), sheet(stage, BUNDLE)
    swapped = call(
        stage, "/oauth/requestGuestToken.json", guest_token({"code": mine["code"], "id_token": theirs["id_token"]})
    )
    bare = call(stage, "/oauth/requestGuestToken.json", guest_token({"code": mine["code"], "id_token": theirs["user"]}))
    for name, answer in {"a code a second time": replayed, "another person's token with his code": swapped, "a bare sub": bare}.items():
        require(answer.get("result") == "failure", f"{name} got {answer}")
        step.detail(f"{name}: {answer['errorCode']}")
    step.done("None of it works.", "Only what Apple says about the redeemed code counts, never what the app says.")


def in_the_app(stage):
    step = Step("The app signs the same person in without the backend, with its own key")
    stage.app = stage.wallet("phone")
    stage.app.run("sign-in", "--provider", "apple")
    status = stage.app.run("status")
    require(status["subject"] == stage.guest, f"the app is signed in as {status}")
    step.done(
        "The same account through the native API: the server's nonce is in Apple's token, and the session is bound to the phone.",
        "Two ways in, one account: found by Apple's team and identifier, never by an e-mail address.",
    )


def outage(stage):
    step = Step("Apple is down for a moment")
    console(stage, "outage")
    answer = call(stage, "/oauth/requestGuestToken.json", guest_token(sheet(stage, BUNDLE)))
    require(answer.get("errorCode") == "authentication.provider_unavailable", f"the server returned {answer}")
    console(stage, "recovery")
    step.detail(f"{answer['errorCode']}: {answer['errorMessage']}")
    step.done("No one is signed out, and nothing is counted against the guest.", "Existing tokens are still renewed.")


def withdrawn(stage):
    step = Step("The guest opens Settings and stops using Sign in with Apple for the app")
    console(stage, "consent-revoked", client_id=BUNDLE)
    refusal = stage.app.refusal("call", f"{stage.server.issuer}/oauth2/userinfo")
    step.detail(f"The app: {refusal['code']}")
    step.done(
        "Apple's notification ended the sessions that came through Apple. The account and everything in it stay.",
        "It is verified like a token, and works once: a forged or repeated one changes nothing.",
    )


def erase(stage):
    step = Step("They come back, and have the account erased")
    back = tap_later(stage)
    require(back.get("result") == "success", f"the server returned {back}")
    stage.server.administer("account", "erase", back["username"], "--yes")
    deadline = time.monotonic() + PATIENCE
    while "no longer uses the app" not in console(stage, "state", account="ada", client_id=BUNDLE):
        require(time.monotonic() < deadline, "the app is still in the person's Apple settings")
        time.sleep(0.1)
    step.done(
        "The app is gone from their Apple settings: its token at Apple was revoked.",
        "Apple requires this when an account is erased. The server retries until Apple has responded.",
    )


ALL = [
    start_server, register, mixed_up, unknown_guest, enroll, known_guest, stolen_credentials, in_the_app, outage,
    withdrawn, erase,
]  # fmt: skip


def tap(stage):
    return call(stage, "/oauth/requestGuestToken.json", guest_token(sheet(stage, BUNDLE)))


def tap_later(stage):
    """A tap in another second than the consent's end, and once the server asks Apple again after the outage."""
    deadline = time.monotonic() + PATIENCE
    while True:
        answer = tap(stage)
        waits = answer.get("errorCode") in ("authentication.invalid_external_account", "authentication.provider_unavailable")
        if not waits or time.monotonic() > deadline:
            return answer
        time.sleep(0.5)


def apple(stage):
    return f"{stage.server.issuer}/sandbox/apple"


def add_provider(stage, name, team, key, *options):
    stage.server.administer(
        "provider", "add", "apple", name, "--team-id", team, "--key-id", KEY, "--private-key", key,
        "--client-id", BUNDLE, "--client-id", SERVICES, "--services-id", SERVICES, "--base-url", apple(stage),
        *(["--loyalty-card-template", str(CARD_TEMPLATE), "--loyalty-activation-store", STORE] if options else []), *options,
    )  # fmt: skip


def sheet(stage, client, account="ada"):
    """What the phone's sheet hands to the app."""
    return post(f"{apple(stage)}/native", json.dumps({"client_id": client, "account": account}).encode(), "application/json")


def console(stage, action, **fields):
    """Something happens at Apple; returns the page that tells of it."""
    fields = {"action": action, "account": "ada", **fields}
    request = urllib.request.Request(apple(stage), data=urllib.parse.urlencode(fields).encode())
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.read().decode()


def guest_token(credential):
    return {
        "authentication": "b2b",
        "grant_type": FIELD_SET,
        "merchantId": MERCHANT,
        "scope": "user_read account_read",
        "fields": {
            "externalIdentifier": INTEGRATION,
            "externalAccessToken": credential["code"],
            "externalAccountCode": credential["id_token"],
        },
    }


def enrollment(credential):
    return {
        "authentication": "b2b",
        "merchantId": MERCHANT,
        "cardTemplateCode": CARD_TEMPLATE,
        "activationStoreCode": STORE,
        "enforceUniqueFields": [],
        "setUserFields": {"style": "typed", "username": "testUsername", "password": "testPassword"},
        "setAccountFields": {
            "style": "typed",
            "externalAccounts": [
                {
                    "accountCode": credential["id_token"],
                    "integration": INTEGRATION,
                    "accessToken": credential["code"],
                }
            ],
        },
    }


def call(stage, path, body):
    """A call of the loyalty program's backend."""
    basic = base64.b64encode(f"{BACKEND}:{stage.secret}".encode()).decode()
    return post(stage.server.issuer + path, json.dumps(body).encode(), "application/json", Authorization=f"Basic {basic}")


def post(url, body, kind, **headers):
    request = urllib.request.Request(url, data=body, headers={"Content-Type": kind, "Accept": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as answer:
        return json.load(answer)


def claims(token):
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
