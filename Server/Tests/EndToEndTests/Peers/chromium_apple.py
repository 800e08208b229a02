"""Chromium signs in with Apple on the hosted page, at the sandbox's stand-in for Apple, in a window as wide as a phone.

    chromium_apple.py AUTHORIZATION_URL REDIRECT_URI NEW_NAME

The stand-in is a part of the server, so its page is opened by the machine's other name: the answer is posted from one site to another,
as Apple's is. A person cancels, another one who hides their address is offered an account, a third makes one, and comes straight in the
next time, as another visitor of the same browser. Prints one JSON object of what was seen; a step that fails ends the program with a
traceback and status 1.
"""

import json
import sys
import urllib.parse

from webdriver import Chromium

url, redirect_uri, name = sys.argv[1:4]
server = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(url))


def leave(browser):
    browser.until("the button", lambda: browser.find('button[name="provider"]'))
    browser.click('button[name="provider"]')
    browser.until("the stand-in", lambda: "/sandbox/apple/" in browser.url and browser.find("#account"))
    elsewhere = browser.url.replace("//127.0.0.1", "//localhost", 1)
    assert elsewhere != browser.url, browser.url
    browser.open(elsewhere)
    browser.until("the stand-in under its other name", lambda: browser.find("#account"))


def agree(browser, account, hides_email=False):
    leave(browser)
    browser.run(f"document.getElementById('account').value = {json.dumps(account)}")
    if hides_email:
        browser.click('input[name="hides_email"]')
    browser.click('button[value="continue"]')


def offered(browser):
    browser.until("the offer", lambda: browser.find('button[value="create_account"]'))
    return browser.text


seen = {}
with Chromium() as browser:
    browser.call("POST", browser.session + "/window/rect", {"width": 360, "height": 740})
    browser.open(url)
    seen["button"] = browser.run("return document.querySelector('button[name=provider]').innerText")

    leave(browser)
    browser.click('button[value="cancel"]')
    seen["cancelled"] = browser.until("the notice", lambda: browser.run("return document.getElementById('notice').innerText"))
    seen["cancelledAt"] = browser.url

    agree(browser, "grace", hides_email=True)
    seen["hidden"] = offered(browser)

    browser.open(url)
    agree(browser, "ada")
    seen["offer"] = offered(browser)
    seen["address"] = browser.url
    seen["suggested"] = browser.run("return document.getElementById('username').value")
    seen["console"] = browser.complaints()
    browser.run("document.getElementById('username').value = ''")
    browser.type("#username", name)
    browser.click('button[value="create_account"]')
    seen["first"] = browser.at_the_app(redirect_uri)

    # Another visitor: no session, and no known device.
    browser.open(f"{server}/sandbox/outbox")
    browser.call("DELETE", browser.session + "/cookie")
    browser.open(url)
    agree(browser, "ada")
    seen["second"] = browser.at_the_app(redirect_uri)
print(json.dumps(seen))
