"""Chromium at pages whose scripts do something for a person: show a password, and have the code of a transaction's link drawn.

    chromium_scripts.py SIGN_IN LINK

Prints one JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import json
import sys

from webdriver import Chromium

sign_in, link = sys.argv[1:3]
TYPE = "return document.getElementById('password').type"
with Chromium() as browser:
    seen = {"console": []}
    browser.open(sign_in)
    browser.until("the button", lambda: browser.find("button.reveal:not([hidden])"))
    browser.type("#username", "ada")
    browser.type("#password", "a typed password")
    seen["types"] = [browser.run(TYPE)]
    for _ in range(2):
        browser.click("button.reveal")
        seen["types"].append(browser.run(TYPE))
    # It is masked again before the form is sent, and what was typed is sent unchanged.
    browser.click("button.reveal")
    seen["sent"] = browser.run(
        "const form = document.getElementById('password').form;"
        "form.addEventListener('submit', (event) => event.preventDefault());"
        "form.requestSubmit();"
        "return [form.elements.password.type, form.elements.password.value]"
    )
    browser.open(link)
    browser.until("the code", lambda: browser.find("svg.symbol path"))
    CODE = "document.querySelector('svg.symbol path').getAttribute('d')"
    seen["code"], seen["address"] = browser.run(f"return [{CODE}, location.href]")
    # The page goes on by itself, without a script.
    browser.until("the next page", lambda: "watch=" in browser.url and browser.find("svg.symbol path"))
    seen["next"] = browser.run(f"return {CODE}")
    seen["console"] = browser.console()
    print(json.dumps(seen))
