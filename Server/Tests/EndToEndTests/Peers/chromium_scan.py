"""Chromium at a sign-in page whose code a phone scans: zbarimg reads the code off the screen, and the wallet program is the phone.

    chromium_scan.py ISSUER CLIENT FOLDER WALLET PIN

Prints one JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import base64
import hashlib
import json
import pathlib
import subprocess
import sys
import urllib.parse

from webdriver import Chromium, app

issuer, client, folder, wallet, pin = sys.argv[1:6]
LANGUAGES = ["en", "de", "fr", "es", "bg"]
NUMBER = "return document.querySelector('.scan-number')?.textContent"


callback = app()


def read(picture):
    """The text of the code in a picture. zbarimg shares no code with what drew it."""
    command = ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", picture]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def phone(*words, typed=""):
    run = subprocess.run([wallet, "sign-in-elsewhere", *words], input=typed, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"wallet: {run.stderr}")
    return run.stdout


def show(browser, language):
    """Opens the page in a language, and has it show a code."""
    query = {
        "response_type": "code", "client_id": client, "scope": "openid profile", "redirect_uri": callback,
        "code_challenge": base64.urlsafe_b64encode(hashlib.sha256(b"a verifier of no one").digest()).decode().rstrip("="),
        "code_challenge_method": "S256", "ui_locales": language,
    }  # fmt: skip
    browser.open(f"{issuer}/oauth2/authorize?" + urllib.parse.urlencode(query))
    browser.until("the button", lambda: browser.find("button[value=use_phone]"))
    browser.click("button[value=use_phone]")
    browser.until("the code", lambda: browser.find("#scan svg.symbol path"))


with Chromium() as browser:
    seen = {"headings": [], "codes": []}
    for language in LANGUAGES:
        show(browser, language)
        picture = pathlib.Path(folder) / f"scan-{language}.png"
        browser.whole_picture(str(picture))
        seen["codes"].append(read(picture).split("/")[0])
        seen["headings"].append(browser.run("return document.querySelector('h1').textContent"))
    show(browser, "en")
    picture = pathlib.Path(folder) / "scan.png"
    browser.whole_picture(str(picture))
    # The script shows the next code without loading the page again.
    browser.run("window.isSame = true")
    drawn = browser.run("return document.querySelector('#scan path').getAttribute('d')")
    browser.until(
        "the next code", lambda: browser.run("return document.querySelector('#scan path').getAttribute('d')") != drawn
    )
    seen["same"] = browser.run("return window.isSame")
    browser.whole_picture(str(picture))
    code = read(picture)
    asked = json.loads(phone(code, "--look", "--json"))
    browser.until("the number", lambda: browser.run(NUMBER))
    number = browser.run(NUMBER)
    seen["asked"] = {key: asked.get(key) for key in ("system", "sameNetwork")}
    seen["offered"] = int(number) in asked["numbers"]
    phone(code, "--number", number, "--pin-stdin", typed=pin + "\n")
    browser.until("the app", lambda: browser.url.startswith(callback))
    seen["code"] = "code=" in browser.url
    seen["cookies"] = browser.run("return document.cookie")
    print(json.dumps(seen))
