"""Chromium at the hosted pages of the server under test: it sets a PIN on the account's page, mistyped first, makes a passkey
there, signs in with it on the sign-in page, and is refused where its authenticator did not look who is there.

    chromium_passkey.py ISSUER USERNAME CLIENT_ID CODE_CHALLENGE DATABASE KEPT

The password and the PIN are the lines of standard input; without the second no PIN is set.

In the database a day has passed since the passkey was added. Afterwards the file KEPT holds what the authenticator holds. Prints one
JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import json
import re
import sys
import urllib.parse
import urllib.request

import database as storage
from webdriver import Chromium, app


def sent_code(issuer):
    with urllib.request.urlopen(issuer + "/sandbox/outbox", timeout=120) as answer:
        return re.search(r"<code>([0-9]{6})</code>", answer.read().decode()).group(1)


def sign_in_by_password(browser, issuer, username, password):
    browser.open(issuer + "/account")
    browser.type("#username", username)
    browser.type("#password", password)
    browser.click("button[value=sign_in]")
    browser.until("the question for the code", lambda: browser.find("#answer"))
    browser.type("#answer", sent_code(issuer))
    browser.click("button[value=answer_factor]")
    browser.until("the account's page", lambda: browser.find("button[value=manage_passkeys]"))


def set_pin(browser, pin):
    """Types the PIN backwards the second time, and then as it is; returns what the page said to the former."""
    browser.click("button[value=manage_pin]")
    browser.until("the PIN's form", lambda: browser.find("#new-pin"))
    browser.type("#new-pin", pin)
    browser.type("#repeated-pin", pin[::-1])
    browser.click("button[value=set_pin]")
    browser.until("a word about the repetition", lambda: browser.find("#repeated-pin[aria-invalid]"))
    word = browser.run("return document.getElementById('notice').innerText")
    fields = browser.run(
        "return ['new-pin', 'repeated-pin'].map(id => document.getElementById(id))"
        ".map(field => ({value: field.value, invalid: field.getAttribute('aria-invalid')}))"
    )
    browser.type("#new-pin", pin)
    browser.type("#repeated-pin", pin)
    browser.click("button[value=set_pin]")
    browser.until("the PIN", lambda: "The PIN was saved." in browser.text)
    # That the page of the mistyped one came with status 400 is no fault of it.
    console = [line for line in complaints(browser) if "status of 400" not in line]
    return {"word": word, "fields": fields, "console": console}


def complaints(browser):
    """What the browser complained of since it was asked last."""
    return [line for line in browser.console() if "favicon" not in line]


def add_passkey(browser):
    browser.click("button[value=manage_passkeys]")
    browser.until("the form", lambda: browser.run("return !document.getElementById('passkey').hidden"))
    browser.type("#passkey-name", "Chromium")
    browser.click("#passkey button")
    browser.until("the passkey", lambda: "The passkey was added." in browser.text)


def authorization(issuer, client, challenge, redirect_uri, state):
    query = urllib.parse.urlencode(
        {
            "response_type": "code",
            "client_id": client,
            "redirect_uri": redirect_uri,
            "scope": "openid offline_access",
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
    )
    return f"{issuer}/oauth2/authorize?{query}"


def forget(browser, issuer):
    """As another visitor of the same browser: without a session, and as an unknown device."""
    browser.open(issuer + "/sandbox/outbox")
    browser.call("DELETE", browser.session + "/cookie")


def press(browser, unless=lambda: False):
    """Presses the passkey's button, which a script shows."""

    def pressed():
        if not unless():
            browser.click("#passkey:not([hidden]) button")
        return True

    browser.until("the button", pressed)


def use_passkey(browser, state):
    """Presses the button, unless the browser's own suggestion was quicker."""

    def arrived():
        return f"state={state}" in browser.url and "/callback" in browser.url

    press(browser, unless=arrived)
    browser.until("the app", arrived)
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(browser.url).query))


def main():
    issuer, username, client, challenge, database, kept = sys.argv[1:7]
    password = sys.stdin.readline().rstrip("\n")
    pin = sys.stdin.readline().rstrip("\n")
    redirect_uri = app()
    seen = {"redirect_uri": redirect_uri}
    with Chromium() as browser:
        sign_in_by_password(browser, issuer, username, password)
        if pin:
            seen["pin"] = set_pin(browser, pin)
        add_passkey(browser)
        seen["credentials"] = [
            {"party": key["rpId"], "resident": key["isResidentCredential"]} for key in browser.credentials()
        ]
        # The authenticator has one for this account: it makes no second one, and the page says so.
        press(browser)
        known = browser.until("a word about it", lambda: browser.run("return document.getElementById('passkey-status').innerText"))
        seen["known"] = known

        storage.execute(database, "UPDATE passkeys SET cooling_until = created_at")
        forget(browser, issuer)
        browser.open(authorization(issuer, client, challenge, redirect_uri, "first"))
        seen["answer"] = use_passkey(browser, "first")

        with open(kept, "w", encoding="utf-8") as file:
            json.dump(browser.credentials(), file)

        # An authenticator that did not look who is there.
        forget(browser, issuer)
        browser.verify_person(False)
        browser.open(authorization(issuer, client, challenge, redirect_uri, "second"))
        press(browser)
        seen["unverified"] = browser.until(
            "a word about it", lambda: browser.run("return document.getElementById('passkey-status').innerText")
        )
        seen["stayed"] = "/callback" not in browser.url
        seen["console"] = complaints(browser)
    print(json.dumps(seen))


main()
