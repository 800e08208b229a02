"""Chromium at every page of the sandbox in one language: at three widths it looks for faults that axe-core finds, for pages that scroll
sideways, and for texts that are cut off or lie on others. Colors depend on neither: it judges them in English and at one width, in both color
schemes.

    chromium_pages.py ISSUER WALLETAUTH LANGUAGE [--pictures FOLDER] [NAME=URL …]

ISSUER is a sandbox on localhost whose database the environment names, and WALLETAUTH the program that administers it. NAME=URL is a page that
the caller prepared. With --pictures it writes pictures of the pages instead. Prints JSON: how many pages it saw, and their faults.

A new page is one line of `TOUR`.
"""

import argparse
import base64
import hashlib
import hmac
import importlib.util
import json
import pathlib
import re
import secrets
import subprocess
import time
import urllib.parse
import urllib.request

from webdriver import Chromium, app

WIDTHS = (320, 375, 1280)
SCHEMES = ("light", "dark")
PASSWORD = "correct horse battery"
CALLBACK = "http://127.0.0.1/callback"
# No app on this computer has it, so the browser stays at the page that leads there.
OWN_SCHEME = "com.example.wallet:/callback"


# Texts lie on each other if the boxes of their glyphs do, by more than the room that a font leaves above and below its letters.
GEOMETRY = """
const faults = [];
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth) faults.push(`scrolls sideways: ${root.scrollWidth} of ${root.clientWidth} pixels`);
const boxes = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, parent = node.parentElement;
  if (!node.data.trim() || parent.closest("script, style") || !parent.checkVisibility({ visibilityProperty: true })) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const box of range.getClientRects()) {
    const spare = box.height * 0.2;
    if (box.width > 1) boxes.push({ node, left: box.left, right: box.right, top: box.top + spare, bottom: box.bottom - spare });
  }
}
boxes.forEach((one, index) => {
  for (const other of boxes.slice(index + 1)) {
    if (one.node === other.node) continue;
    const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    if (across > 1 && down > 1) faults.push(`"${one.node.data.trim()}" lies on "${other.node.data.trim()}"`);
  }
});
for (const element of document.body.querySelectorAll("*")) {
  const style = getComputedStyle(element);
  if (!["hidden", "clip"].includes(style.overflowX) || !element.checkVisibility()) continue;
  if (element.scrollWidth > element.clientWidth + 1) faults.push(`"${element.innerText}" is cut off`);
}
return faults;
"""
# axe-core is in every document from its beginning. Its rules about colors take as long as all the others.
COLOR_RULES = ("color-contrast", "link-in-text-block")
AXE = """
return axe.run(document, { resultTypes: ["violations"], ...%s }).then((found) =>
  found.violations.map((fault) => `${fault.id}: ${fault.help}: ${fault.nodes.map((node) => node.html).join(" ")}`));
"""
LAYOUT = f"""
const layout = (() => {{ {GEOMETRY} }})();
const rules = (() => {{ {AXE % json.dumps({"rules": {rule: {"enabled": False} for rule in COLOR_RULES}})} }})();
return rules.then((faults) => layout.concat(faults));
"""
COLORS = AXE % json.dumps({"runOnly": COLOR_RULES})
# What is looked for, and how the page is shown for it.
LOOKS = [(width, "light", LAYOUT) for width in WIDTHS]
COLOR_LOOKS = [(WIDTHS[-1], scheme, COLORS) for scheme in SCHEMES]


class Visitor:
    """One browser, and the operator who prepares what it visits."""

    def __init__(self, browser, issuer, program):
        self.browser, self.issuer, self.program = browser, issuer, program
        self.name = None
        self.callback = app()

    # The operator.

    def administer(self, *words, typed=""):
        done = subprocess.run([self.program, *words], input=typed, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            raise AssertionError(f"{words}: {done.stderr} {done.stdout}")
        return done.stdout

    def prepare(self):
        self.administer("brand", "update", "default", "--account-pin", "on", "--registration", "passkey", "--secret-questions", "on", "--own-names", "on")
        self.administer(
            "client", "create", "wallet", "--name", "Example Wallet", "--public", "--first-party",
            "--redirect-uri", CALLBACK, "--redirect-uri", OWN_SCHEME, "--scope", "openid profile",
        )  # fmt: skip
        self.administer(
            "client", "create", "shop", "--name", "The Corner Shop", "--public",
            "--redirect-uri", CALLBACK, "--scope", "openid profile email offline_access",
        )  # fmt: skip

        self.administer(
            "client", "create", "television", "--name", "Living Room Television", "--public", "--first-party", "--allow-bearer",
            "--device-grant", "--scope", "openid profile",
        )  # fmt: skip

    def person(self):
        """Another person, so that none is known from an earlier language."""
        self.name = "maria-" + secrets.token_hex(3)
        self.administer(
            "account", "create", self.name, "--password-stdin", "--email", f"{self.name}@example.com",
            "--email-verified", "--phone", "+359 88 812 3456", "--given-name", "Maria", "--family-name", "Petrova",
            typed=PASSWORD + "\n",
        )  # fmt: skip

    def code(self):
        request = urllib.request.Request(self.issuer + "/sandbox/outbox", headers={"Accept": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            messages = json.load(answer)["messages"]
        return next(message["code"] for message in messages if message["code"])

    def app_code(self):
        """What an authenticator app shows for the secret on the page (RFC 6238)."""
        secret = base64.b32decode(self.browser.run("return document.querySelector('.secret code').innerText").replace(" ", ""))
        digest = hmac.digest(secret, int(time.time() // 30).to_bytes(8, "big"), "sha1")
        at = digest[-1] & 15
        return f"{(int.from_bytes(digest[at : at + 4], 'big') & 0x7FFFFFFF) % 1000000:06}"

    def device_code(self):
        """What a device shows that asks for tokens."""
        form = urllib.parse.urlencode({"client_id": "television", "scope": "openid"}).encode()
        with urllib.request.urlopen(self.issuer + "/oauth2/device_authorization", form, timeout=120) as answer:
            return json.load(answer)["user_code"]

    # The visitor.

    def open(self, path):
        self.browser.open(path if path.startswith("http") else self.issuer + path)

    def authorize(self, client="wallet", **more):
        query = {
            "response_type": "code", "client_id": client, "scope": "openid profile",
            "redirect_uri": self.callback,
            "code_challenge": base64.urlsafe_b64encode(hashlib.sha256(secrets.token_bytes(8)).digest()).decode().rstrip("="),
            "code_challenge_method": "S256",
        }  # fmt: skip
        self.open("/oauth2/authorize?" + urllib.parse.urlencode(query | more))

    def press(self, action, **fields):
        """Fills in fields, presses a button and waits for the next page."""
        if not self.browser.run(f"return document.querySelector('button[value={action}]') !== null"):
            raise AssertionError(f"no button {action}: {self.browser.url} {self.browser.text}")
        for name, text in fields.items():
            self.browser.run(f"document.querySelector('[name={name}]:not([type=hidden])').value = {json.dumps(text)}")
        # Not a click at coordinates, which may be outside of a small window.
        self.leave(
            f"const button = document.querySelector('button[value={action}]');"
            "button.form.noValidate = true; button.form.requestSubmit(button)"
        )

    def submit(self, path):
        """Sends the form of a page that has one button for it."""
        self.leave(f"document.querySelector('form[action$=\"{path}\"]').requestSubmit()")

    def leave(self, script):
        """Does what leads to another page, and waits for that: a submission returns before the next document."""
        self.browser.run("document.documentElement.dataset.former = 'yes'")
        self.browser.run(script)
        self.browser.until(
            f"the page after {script}",
            lambda: self.browser.run("return document.readyState === 'complete' && !document.documentElement.dataset.former"),
        )

    def arrive(self, path):
        """Waits for a page that the browser goes on to by itself."""
        self.browser.until(path, lambda: path in self.browser.url and self.browser.run("return document.readyState === 'complete'"))

    def forget(self):
        self.open("/sandbox/outbox")
        self.browser.call("DELETE", self.browser.session + "/cookie")

    def sign_in(self):
        self.press("sign_in", username=self.name, password=PASSWORD)

    def answer(self):
        self.press("answer_factor", answer=self.code())

    def account(self):
        self.open("/account")

    def operator(self):
        """Another person who helps people, and one with a name longer than a line who is helped."""
        self.person()
        self.administer("operator", "grant", self.name, "--role", "owner", "--all-brands")
        self.helped = "donaudampfschifffahrtselektrizitaeten-" + secrets.token_hex(3)
        self.administer("account", "create", self.helped, "--email", f"{self.helped}@example.com", "--brand", "default")

    def help(self, more=""):
        """The console's page of the person who is helped."""
        self.open("/admin?q=" + self.helped)
        if more:
            self.open(self.browser.url + more)

    def close(self):
        """Closes the account, and keeps the code that takes that back."""
        self.press("close_account")
        self.keep_code = self.browser.run("return document.querySelector('.secret code').textContent")


TOUR = [
    ("sign-in", lambda v: (v.person(), v.forget(), v.authorize())),
    ("sign-in: wrong password", lambda v: v.press("sign_in", username=v.name, password="wrong")),
    ("back to the app", lambda v: (v.authorize(redirect_uri=OWN_SCHEME), v.press("cancel"))),
    ("recovery", lambda v: (v.authorize(), v.press("forgot_password"))),
    ("recovery: code", lambda v: v.press("recover", username=v.name)),
    ("registration", lambda v: (v.authorize(), v.press("register"))),
    ("registration: code", lambda v: v.press("send_registration_code", address=f"new-{v.name}@example.com")),
    ("registration: account", lambda v: v.press("check_registration_code", registration_code=v.code())),
    ("registration: passkey", lambda v: v.press("register_by_passkey", username="new-" + v.name)),
    ("second factor", lambda v: (v.authorize(), v.sign_in())),
    ("second factor: wrong code", lambda v: v.press("answer_factor", answer="00000x")),
    ("consent to an app", lambda v: (v.authorize("shop", scope="openid profile email offline_access"), v.sign_in(), v.answer())),
    ("continue as", lambda v: (v.press("allow"), v.authorize("shop"))),
    ("account", lambda v: v.account()),
    ("account: sign in again", lambda v: v.press("change_password")),
    ("password", lambda v: (v.sign_in(), v.answer())),
    ("password: typed differently", lambda v: v.press("save_password", new_password="a new phrase 1", repeated_password="a new phrase 2")),
    ("password: too common", lambda v: v.press("save_password", new_password="password", repeated_password="password")),
    ("authenticator app", lambda v: (v.press("show_account"), v.press("set_up_authenticator"))),
    ("authenticator app: wrong code", lambda v: v.press("confirm_authenticator", code="00000x")),
    ("account: authenticator on", lambda v: v.press("confirm_authenticator", code=v.app_code())),
    ("authenticator app: remove", lambda v: v.press("ask_to_remove_authenticator")),
    ("account: authenticator removed", lambda v: v.press("remove_authenticator")),
    ("PIN", lambda v: v.press("manage_pin")),
    ("PIN: typed differently", lambda v: v.press("set_pin", new_pin="804613", repeated_pin="316408")),
    ("apps with access", lambda v: (v.press("show_account"), v.press("manage_apps"))),
    ("recovery codes", lambda v: (v.press("show_account"), v.press("make_recovery_codes"))),
    ("account: with codes", lambda v: v.account()),
    ("passkeys", lambda v: (v.press("manage_passkeys"), v.sign_in(), v.answer())),
    ("account: another browser", lambda v: (v.forget(), v.account(), v.sign_in(), v.answer())),
    ("account: other sessions ended", lambda v: v.press("end_other_sessions")),
    ("account: language", lambda v: v.press("choose_language")),
    ("account: name", lambda v: (v.press("show_account"), v.press("change_name"))),
    ("account: name refused", lambda v: v.press("save_name", given_name="")),
    ("account: secret questions", lambda v: (v.press("show_account"), v.press("choose_questions"))),
    ("account: secret questions refused", lambda v: v.press("set_questions", answer_first_pet="x")),
    ("account: activity", lambda v: (v.press("show_account"), v.press("show_activity"))),
    ("account: export", lambda v: (v.press("show_account"), v.press("ask_to_export"))),
    ("account: new address", lambda v: (v.press("show_account"), v.press("change_email"))),
    ("account: new address refused", lambda v: v.press("send_email_code", email="maria at home")),
    ("account: code to the address", lambda v: v.press("send_email_code", email="new.address@example.com")),
    ("account: wrong code", lambda v: v.press("confirm_email", contact_code="000000")),
    ("account: new number", lambda v: (v.press("show_account"), v.press("change_phone"))),
    ("account: close?", lambda v: (v.press("show_account"), v.press("ask_to_close"))),
    ("account: closed", lambda v: v.close()),
    ("account: keep", lambda v: v.open("/account/keep")),
    ("account: keep, wrong code", lambda v: v.press("keep_account", keep_code="AAAA-AAAA-AAAA-AAAA")),
    ("account: kept", lambda v: v.press("keep_account", keep_code=v.keep_code)),
    ("sign out?", lambda v: (v.forget(), v.account(), v.sign_in(), v.answer(), v.open("/oauth2/logout"))),
    ("signed out", lambda v: v.press("sign_out")),
    ("account: signed out", lambda v: (v.forget(), v.account(), v.sign_in(), v.answer(), v.press("sign_out"))),
    ("device: code", lambda v: (v.person(), v.forget(), v.open("/device"))),
    ("device: wrong code", lambda v: v.press("enter", user_code="BCDF-GHJK")),
    ("device", lambda v: (v.press("enter", user_code=v.device_code()), v.sign_in(), v.answer())),
    ("device: refused", lambda v: v.press("deny")),
    ("device: connected", lambda v: (v.open("/device"), v.press("enter", user_code=v.device_code()), v.press("connect"))),
    ("error: unknown app", lambda v: v.authorize("nobody")),
    ("error: no such page", lambda v: v.open("/nothing/here")),
    ("console: sign-in", lambda v: (v.operator(), v.forget(), v.open("/admin"))),
    ("console", lambda v: (v.sign_in(), v.answer())),
    ("console: no such account", lambda v: v.open("/admin?q=nobody")),
    ("console: account", lambda v: v.help()),
    ("console: deactivate?", lambda v: v.help("&ask=account_deactivate")),
    ("console: account deactivated", lambda v: v.press("account_deactivate")),
    ("console: erase?", lambda v: (v.help("&ask=account_erase"), v.sign_in(), v.answer())),
    ("console: the operator's own account", lambda v: v.open("/admin?q=" + v.name)),
    ("console: audit log", lambda v: v.open("/admin/audit")),
    ("console: accounts", lambda v: v.open("/admin/list?of=account")),
    ("console: apps", lambda v: v.open("/admin/list?of=client")),
    ("console: app", lambda v: v.open("/admin/list?of=client&id=shop")),
    ("console: operators", lambda v: v.open("/admin/list?of=operator")),
    ("console: messages", lambda v: v.open("/admin/list?of=outbox")),
    ("console: details", lambda v: v.browser.run("for (const fold of document.querySelectorAll('details')) fold.open = true")),
    ("console: keys", lambda v: v.open("/admin/list?of=keys")),
    ("console: brand", lambda v: v.open("/admin/list?of=brand&id=default")),
    ("console: empty list", lambda v: v.open("/admin/list?of=webhook")),
    ("account: an operator's", lambda v: v.account()),
    ("console: unknown list", lambda v: v.open("/admin/list?of=nothing")),
    ("console: no access", lambda v: (v.person(), v.forget(), v.open("/admin"), v.sign_in(), v.answer())),
    ("transaction in a browser", lambda v: v.open("/t/anything")),
    ("sandbox", lambda v: v.open("/")),
    ("sandbox: account created", lambda v: v.submit("/sandbox/accounts")),
    ("sandbox: client created", lambda v: (v.open("/"), v.submit("/sandbox/clients"))),
    ("sandbox: signed in", lambda v: (v.person(), v.forget(), v.open("/sandbox/sign-in"), v.sign_in(), v.answer(), v.arrive("/sandbox/sign-in/done"))),
    ("sandbox: not signed in", lambda v: (v.forget(), v.open("/sandbox/sign-in"), v.press("cancel"), v.arrive("/sandbox/sign-in/callback"))),
    ("outbox", lambda v: v.open("/sandbox/outbox")),
    ("Apple: sign-in", lambda v: v.open(APPLE)),
    ("Apple: console", lambda v: v.open("/sandbox/apple")),
    ("Apple: keys rotated", lambda v: v.press("roll-keys")),
]
# What a page that the caller prepared has besides what it shows first.
FURTHER = {
    "payment": [
        ("payment: forgotten password", lambda v: v.browser.run("document.querySelector('details.forgot').open = true")),
        ("payment: wrong password", lambda v: v.press("agree", password="wrong")),
    ],
}
APPLE = "/sandbox/apple/auth/authorize?client_id=com.example.wallet.web&redirect_uri=https%3A%2F%2Fexample.com&response_type=code&state=s"


def faults(browser, looks):
    """What is wrong with the page that is shown. It is resized and not loaded again."""
    found = []
    for width, scheme, script in looks:
        browser.look(width, scheme)
        found += [f"{width} {scheme}: {fault}" for fault in browser.run(script)]
    return found


def photograph(browser, folder, name):
    for width in WIDTHS:
        for scheme in SCHEMES:
            browser.look(width, scheme)
            browser.whole_picture(folder / f"{name}-{width}-{scheme}.png")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("issuer")
    parser.add_argument("program")
    parser.add_argument("language")
    parser.add_argument("prepared", nargs="*", metavar="NAME=URL")
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    pages = list(TOUR)
    for page in options.prepared:
        name, url = page.split("=", 1)
        pages += [(name, lambda v, url=url: v.open(url)), *FURTHER.get(name, [])]
    looks = LOOKS + COLOR_LOOKS if options.language == "en" else LOOKS
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    else:
        package = importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]
        axe = pathlib.Path(package, "axe.min.js").read_text("utf-8") + "; axe.configure({ allowedOrigins: ['<same_origin>'] })"
    wrong = []
    with Chromium() as browser:
        visitor = Visitor(browser, options.issuer, options.program)
        visitor.prepare()
        if not options.pictures:
            browser.begin_documents_with(axe)
        browser.speak(options.language)
        for name, reach in pages:
            reach(visitor)
            if options.pictures:
                photograph(browser, options.pictures, options.language + "-" + re.sub(r"\W+", "-", name))
            else:
                wrong += [f"{name}, {fault}" for fault in faults(browser, looks)]
    print(json.dumps({"pages": len(pages), "faults": wrong}))


main()
