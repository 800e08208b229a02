"""The steps of an operator: a link in place of a password, a person who cannot sign in, the sentence that says why, and who may not erase."""

import html
import json
import re
import secrets
import urllib.parse
from dataclasses import dataclass

from authenticator import AuthenticatorApp
from narrator import Step, require
from person import Form, Person
from registrations import account, app
from steps import LOOPBACK, WALLET_CLIENT, start_server

# More than the server takes on a browser that it knows.
WRONG_PASSWORDS = 10


@dataclass
class Page:
    url: str
    status: int
    text: str

    @property
    def heading(self):
        return self.words(r"<h1[^>]*>(.*?)</h1>")

    @property
    def sentence(self):
        """What the page says first."""
        return self.words(r'<p class="lead">(.*?)</p>')

    def words(self, pattern):
        found = re.search(pattern, self.text, re.S)
        return html.unescape(re.sub(r"<[^>]+>", "", found[1])).strip() if found else ""


class Browser:
    """A person's browser, with nothing but pages and forms."""

    def __init__(self, name, password):
        self.person = Person(name, password)
        self.name, self.password = name, password

    def open(self, url, data=None, headers=None):
        """Follows redirects, as a browser does."""
        answer = self.person.open(url, data, headers)
        for _ in range(8):
            location = answer.headers.get("Location")
            if not location:
                break
            answer = self.person.open(urllib.parse.urljoin(answer.url, location))
        return Page(answer.url, answer.status, answer.read().decode())

    def press(self, page, action, **typed):
        form = Form(page.text)
        require(form.action is not None and "request" in form.fields, f"there is no form on the page {page.heading!r}")
        fields = {name: form.fields[name] for name in ("request", "csrf")} | {"action": action} | typed
        target = urllib.parse.urljoin(page.url, form.action)
        origin = "/".join(target.split("/")[:3])
        return self.open(target, urllib.parse.urlencode(fields).encode(), {"Origin": origin})


class Operator(AuthenticatorApp):
    """Someone who administers the server: a browser, and an authenticator app."""

    def __init__(self, browser, link):
        super().__init__()
        self.browser, self.link = browser, link

    def sign_in(self, url):
        """Opens a page of the console, with a password and a code before it, unless both were asked for a moment ago."""
        page = self.browser.open(url)
        if 'name="password"' not in page.text:
            return page
        page = self.browser.press(page, "sign_in", username=self.browser.name, password=self.browser.password)
        return self.browser.press(page, "answer_factor", answer=self.code())


def start(stage):
    stage.server.environment["WALLETAUTH_ADMIN_CONSOLE"] = "true"
    start_server(stage)
    account(stage.server, stage.person.username, stage.person.password)
    app(stage.server, WALLET_CLIENT, "Example Wallet", LOOPBACK, "--first-party")


def first_operator(stage):
    step = Step("The first operator, nora, gets a link; no one makes up a password for her")
    operator = stage.operators["nora"] = invite(stage, "nora", "owner", "--all-brands")
    step.detail("walletauth account create nora --operator owner --all-brands")
    step.detail(f"{operator.link[:60]}…")
    set_up = choose_password(operator)
    require(roles(stage) == {}, "nora has a role before her second factor")
    used = Browser("thief", "").open(operator.link)
    require(used.status == 410, f"the used link still works: {used.status}")
    confirm(operator, set_up)
    require(roles(stage) == {"nora": "owner"}, f"the operators are: {roles(stage)}")
    step.done(
        "On its page she chose a password and set up an authenticator app. After the second, and not before, she is the owner.",
        "The link works once, for 15 minutes. The person who set up the server never knew her password, and a used link opens nothing.",
    )


def invite(stage, name, role, *options):
    made = stage.server.administer("account", "create", name, "--operator", role, *options, "--json")
    return Operator(Browser(name, secrets.token_urlsafe(12)), link=json.loads(made)["link"])


def choose_password(operator):
    password = operator.browser.password
    page = operator.browser.open(operator.link)
    return operator.browser.press(page, "accept_invitation", new_password=password, repeated_password=password)


def confirm(operator, page):
    found = re.search(r"otpauth:[^\"]*secret=([A-Z2-7]+)", page.text)
    require(found is not None, f"the page shows no authenticator app to set up: {page.heading!r}")
    operator.secret = found[1]
    done = operator.browser.press(page, "confirm_authenticator", code=operator.code())
    require(done.status == 200, f"the authenticator app was refused: {done.status}")


def roles(stage):
    """The people with a role, without those who have a link to one."""
    found = json.loads(stage.server.administer("operator", "list", "--json"))["operators"]
    return {operator["usernames"][0]: operator["role"] for operator in found if operator["state"] not in ("invited", "accepted")}


def locked_out(stage):
    step = Step("ada types wrong passwords until her account is locked")
    browser = stage.customer = Browser(stage.person.username, stage.person.password)
    require(sign_in(stage, browser).heading != "", "ada cannot sign in before")
    browser.press(browser.open(page_of(stage)), "sign_out")
    for _ in range(WRONG_PASSWORDS):
        sign_in(stage, browser, "a wrong password")
        if state(stage) != "active":
            break
    require(state(stage) == "deactivated", f"ada's account is {state(stage)}")
    require("sign_out" not in sign_in(stage, browser).text, "ada got in while she is locked out")
    step.done(
        "In the browser that she always uses, too many wrong ones lock the account: even the right password is refused now.",
        "A stranger's guesses, from elsewhere, only slow down strangers. Now she calls the help desk.",
    )


def page_of(stage):
    return f"{stage.gateway.url}/account"


def sign_in(stage, browser, password=None):
    page = browser.open(page_of(stage))
    return browser.press(page, "sign_in", username=browser.name, password=password or browser.password)


def state(stage):
    return json.loads(stage.server.administer("account", "show", stage.person.username, "--json"))["state"]


def finds(stage):
    step = Step("nora signs in to the console with two factors, and finds ada")
    nora = stage.operators["nora"]
    console = f"{stage.gateway.url}/admin"
    step.detail(console)
    page = nora.sign_in(console)
    require('name="q"' in page.text, f"the console shows {page.heading!r} ({page.status})")
    stage.found = nora.browser.open(f"{console}?q={stage.person.username}")
    require("account_reactivate_closed" in stage.found.text, f"the page of the account says: {stage.found.sentence!r}")
    step.detail(stage.found.sentence)
    step.done(
        "One search, and the first sentence says whether ada can sign in, until when not, and why.",
        "It is the sign-in's own rule that was asked, not a list of its own, so the sentence cannot differ from what ada sees.",
    )


def mends(stage):
    step = Step("She presses the button below the sentence, and ada signs in")
    nora, customer = stage.operators["nora"], stage.customer
    page = nora.browser.press(stage.found, "account_reactivate_closed", id=account_id(stage.found))
    step.detail(page.sentence)
    require(state(stage) == "active", "the button did not open the account")
    require("sign_out" in sign_in(stage, customer).text, "ada still cannot sign in")
    step.done(
        "The same password that was refused a moment ago opens her account.",
        "No new password was read out on the telephone, and nora never learned the old one.",
    )


def account_id(page):
    return urllib.parse.parse_qs(urllib.parse.urlsplit(page.url).query)["id"][0]


def recorded(stage):
    step = Step("Who did that?")
    tail = json.loads(stage.server.administer("audit", "tail", "--kind", "operator.called", "--json"))
    entry = next(
        (entry for entry in tail["entries"] if entry["details"]["command"] == "account reactivate"), None
    )
    require(entry is not None, "the audit log has no entry")
    ids = {found["accountId"]: found["usernames"][0] for found in operators(stage)}
    who = ids.get(entry["details"]["operator"])
    require(who == "nora", f"the audit log says that it was {who}")
    shown = stage.operators["nora"].browser.open(f"{stage.gateway.url}/admin/audit")
    require("account reactivate" in shown.text, "the console's audit log does not show it")
    step.detail(f"{entry['kind']}: {entry['details']['command']}, by {who}, as {entry['details']['role']}")
    step.done(
        "The audit log has the command, the operator and the account, in the same transaction as the change.",
        "Each entry is bound to the one before it: no one can take this one out unnoticed, not even nora.",
    )


def operators(stage):
    return json.loads(stage.server.administer("operator", "list", "--json"))["operators"]


def support(stage):
    step = Step("sam of the help desk, with the role support, tries to erase ada")
    sam = stage.operators["sam"] = invite(stage, "sam", "support")
    confirm(sam, choose_password(sam))
    page = sam.sign_in(f"{stage.gateway.url}/admin/account?id={account_id(stage.found)}")
    require(page.status == 200, f"sam cannot see ada: {page.heading!r} ({page.status})")
    require("account_erase" not in page.text, "sam has a button to erase ada")
    step.detail("His page has no button for it, so he sends the form that nora's would.")
    refused = sam.browser.press(page, "account_erase", id=account_id(stage.found))
    require(state(stage) == "active", "sam has erased ada")
    step.detail(refused.words(r'id="notice">.*?<p>(.*?)</p>'))
    tail = json.loads(stage.server.administer("audit", "tail", "--kind", "operator.refused", "--json"))
    codes = [entry["details"]["code"] for entry in tail["entries"]]
    require("forbidden_role" in codes, f"the refusals are: {codes}")
    step.done(
        "Refused, and recorded. Support opens accounts, ends sessions and removes devices; it erases nothing and makes no operators.",
        "The role is read from the database in the transaction of each change: take it from him, and the next click is refused.",
    )


ALL = [start, first_operator, locked_out, finds, mends, recorded, support]
