"""The steps of moving in: the code of four vendors' pages, with the import alone replaced, at work against this server."""

import os
import re
import time

from narrator import Failed, Step, require
from native_steps import codes
from partner import Partner
from programs import PATIENCE, MovedApp
from registrations import app, backend, reachable_account
from transaction_steps import Purchase, open_shop, start

PARTNER = "partner"
DASHBOARD = "https://partner.example.com/wallet/dashboard"
FORGOTTEN = "https://partner.example.com/reset-credentials"
SCHEME = "com.example.register:/oauth"
PIN = "274916"


def prepare(stage):
    step = Step("The operator moves in: one account, the four apps, and the two backends that worked with them")
    server, person = stage.server, stage.person
    reachable_account(server, person.username, person.password, "--phone", "+4915112345678", "--phone-verified")
    stage.partner = Partner(
        stage.gateway.url, PARTNER, backend(server, PARTNER, "Partner", "wallet_operations", "--introspection")
    )
    register(server, "paysafe", DASHBOARD, "--redeemer", PARTNER, "--reset-credentials-url", FORGOTTEN)
    register(server, "clover", SCHEME)
    register(server, "nextauth", SCHEME)
    register(server, "paydiant", SCHEME, "--device-tokens")
    open_shop(stage)
    stage.people = {person.username: person}
    step.done(
        "The apps are public clients: whatever secret the vendor had put into them can be revoked now.",
        "Accounts and addresses move. Sessions, PINs and keys of phones cannot, so people sign in once more.",
    )


def register(server, vendor, redirect_uri, *options):
    app(server, client(vendor), f"An app that used {vendor}", redirect_uri, "--first-party", *options)


def client(vendor):
    return f"com.example.{vendor}"


def paysafe(stage):
    step = Step("An app with Paysafe's wallet SDK: its page's sign-in, and a payment that needs consent")
    options = ["--redirect-uri", DASHBOARD, "--reset-credentials-url", FORGOTTEN, "--backend", stage.partner.url]
    run(stage, step, "import PaysafeWallet", "PaysafeCompat", "Wallet.instance.configure(…)", *options)
    require(len(stage.partner.paid) == 2, f"{len(stage.partner.paid)} payments were made, and not one in each language mode")
    step.done(
        "The page opened in a browser, the partner's backend redeemed the code, and the payment was made after one code by SMS.",
        "The completions, labels and statuses are those of the page. A wrong code is .failed, and costs one of five tries.",
    )


def clover(stage):
    step = Step("An app with Clover's payment SDK: Full OAuth, restored, renewed, signed out")
    configuration = "Info.plist: WalletAuthIssuer, WalletAuthSandboxIssuer"
    run(stage, step, "import CloverPayments", "CloverCompat", configuration, "--redirect-uri", SCHEME)
    step.done(
        "setup opened the browser, the scene delegate passed the URL on, and the token callback called setup again, once.",
        "appSecret, apiKey and apiSecret are still arguments, with a warning to revoke them. They go nowhere.",
    )


def nextauth(stage):
    step = Step("An app with nextAuth's SDK: a shop's QR code, and a transaction of its own")
    run(stage, step, "import NextAuth", "NextAuthCompat", "NextAuth.default.configure(…)")
    step.done(
        "The states came in the order of the page: PROCESSING, WAIT_FOR_INPUT, and DONE after the PIN.",
        "Enrolling the phone and its PIN is what each person does once more: no vendor hands out a phone's key.",
    )


def paydiant(stage):
    step = Step("An app with Paydiant's SDK: password and second factor, PIN, device token, signed out; and its numbers")
    run(stage, step, "import Paydiant", "PaydiantCompat", "PDAthenticationCoordinator.configure(…)")
    step.done(
        "Its delegate got one success for each sign-in, and the numbers of the page's tables, such as 401, 403 and 1003.",
        "The device token alone signs no one in here: it takes the PIN, a face or a finger as well.",
    )


def run(stage, step, replaced, module, configuration, *options):
    """Shows the whole change to the app, and runs the page's code, compiled as Swift 6 and then as Swift 5: both print the same."""
    for line in f"- {replaced}", f"+ import {module}", f"+ {configuration}":
        step.detail(line)
    vendor = module.removesuffix("Compat").lower()
    printed = []
    for mode in [], ["--swift5"]:
        folder = os.path.join(stage.server.folder, "-".join([vendor, *mode]).replace("--", ""))
        moved = MovedApp(
            os.path.join(stage.programs, "moved-apps"), folder, stage.gateway.url, vendor, "--client-id", client(vendor),
            "--username", stage.person.username, *options, *mode,
        )  # fmt: skip
        lines = moved.run(Answers(stage), (lambda line: None) if mode else step.detail)
        printed.append([re.sub(r"[\w.-]{20,}", "…", line) for line in lines])
    require(printed[0] == printed[1], f"in Swift 5 mode it printed: {printed[1]}")
    step.detail("The same files, compiled in Swift 5 mode, printed the same.")


class Answers:
    """What ada does when the app asks: signs in on the page, reads a code, types her PIN, scans the shop's code."""

    def __init__(self, stage):
        self.stage = stage
        self.known = len(codes(stage))

    def __call__(self, question):
        if page := re.match(r"Open (\S+) .* (\S+)$", question):
            return self.stage.person.sign_in(page[1], page[2], self.code)
        answers = {
            "Code": self.code,
            "Password": lambda: self.stage.person.password,
            "PIN": lambda: PIN,
            "Scan": lambda: Purchase(self.stage).code,
        }
        for word, answer in answers.items():
            if question.startswith(word):
                return answer()
        raise Failed(f"the app asked something unknown: {question}")

    def code(self):
        """The code that was just sent."""
        deadline = time.monotonic() + PATIENCE
        while len(found := codes(self.stage)) <= self.known:
            require(time.monotonic() < deadline, "no code was sent")
            time.sleep(0.05)
        self.known = len(found)
        return found[0]


ALL = [start, prepare, paysafe, clover, nextauth, paydiant]
