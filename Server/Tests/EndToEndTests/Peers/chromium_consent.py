"""Chromium at the page on which people agree to operations, with a passkey that it made before.

    chromium_consent.py LINK RETURN_URL CREDENTIALS

CREDENTIALS is what chromium_passkey.py kept of its authenticator. Prints one JSON object of what was seen; a step that fails
ends the program with a traceback and status 1.
"""

import json
import sys

from webdriver import Chromium

link, return_url, credentials = sys.argv[1:4]
with Chromium() as browser:
    with open(credentials, encoding="utf-8") as file:
        for credential in json.load(file):
            browser.call(
                "POST", f"{browser.session}/webauthn/authenticator/{browser.authenticator}/credential", credential
            )
    browser.open(link)
    # Nothing is agreed to before the button is pressed, even if the authenticator would sign.
    browser.until("the button", lambda: browser.find("#passkey:not([hidden]) button"))
    shown = browser.text
    # What others wrote is drawn in its own row, whatever its letters reach for.
    contained = browser.run(
        "return [...document.querySelectorAll('.facts dd')].every(value => getComputedStyle(value).contain === 'paint')"
    )
    browser.click("#passkey:not([hidden]) button")
    browser.until("the app", lambda: browser.url.startswith(return_url))
    print(json.dumps({"shown": shown, "contained": contained, "back": browser.url}))
