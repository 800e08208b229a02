"""The demo's steps, in order. Each says in one line what happened and in one why it matters."""

import base64
import hashlib
import json
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from typing import Callable

from gateway import Gateway
from narrator import Failed, Step, require
from person import Person
from programs import PATIENCE, Server, WalletApp, WalletBackend
from registrations import account, app

WALLET_CLIENT = "com.example.wallet"
LOOPBACK = "http://127.0.0.1/callback"
OLD_APP_CLIENT = "com.example.old-app"
OLD_APP_REDIRECT = "com.example.old-app:/callback"
SHORT_LIFETIME = 3


@dataclass
class Stage:
    """Everything that the steps share."""

    server: Server
    gateway: Gateway
    person: Person
    wallet: Callable[[str], WalletApp]
    app: WalletApp | None = None
    # Where the programs are.
    programs: str = ""
    # The wallet's backend, where the flow has one, and the transfer that it is about.
    backend: WalletBackend | None = None
    paid: dict | None = None
    # Of transactions: the people and their phones, the operator's audit keys, and the purchase that is signed.
    people: dict | None = None
    phones: dict | None = None
    keys: str = ""
    purchase: object = None
    # Of the phone that approves: ada's and ben's wallets and account ids, and the push service and the shop around the server.
    wallets: dict = field(default_factory=dict)
    owners: dict | None = None
    stand_ins: list = field(default_factory=list)
    pushes: object = None
    shop: object = None
    order: str = ""
    # Another company: of moving in, the backend that redeems codes; of OAuth, the website.
    partner: object = None
    # A backend's secret.
    secret: str = ""
    # Of Sign in with Apple: the guest's credential, and who they are here.
    credential: dict | None = None
    account: dict | None = None
    guest: str = ""
    # The second server, and who uses it.
    production: object = None
    # Of operators: those who came by a link, the customer's browser (of OAuth too), and her page in the console.
    operators: dict = field(default_factory=dict)
    customer: object = None
    found: object = None


def start_server(stage):
    step = Step("An operator starts the server")
    took = stage.server.start()
    reasons = {
        "SQLite": "One program, one file: nothing else to install, and everything it acknowledged is on disk.",
        "PostgreSQL": "It created its tables itself. Servers on other machines could join it; `make demo-cluster` kills one of two.",
    }
    step.done(
        f"`walletauth serve` was ready in {took * 1000:.0f} ms, on a new {stage.server.engine} database.",
        reasons[stage.server.engine],
    )


def prepare(stage):
    step = Step("The operator creates an account and registers two apps")
    server, person = stage.server, stage.person
    account(server, person.username, person.password)
    lifetime = ["--access-token-lifetime", str(SHORT_LIFETIME)]
    app(server, WALLET_CLIENT, "Example Wallet", LOOPBACK, "--first-party", *lifetime)
    app(server, OLD_APP_CLIENT, "Old App", OLD_APP_REDIRECT)
    ways = {
        "SQLite": "The commands went through the running server's Unix socket",
        "PostgreSQL": "The commands wrote to the database, and the running server was notified",
    }
    step.done(
        f"{ways[server.engine]}: one person, two apps.",
        f"Apps hold no secret. The wallet's tokens last only {SHORT_LIFETIME} s here, so that you can watch one expire.",
    )


def sign_in_by_browser(stage):
    step = Step("Sign in through the browser")
    stage.app = stage.wallet("by-browser")
    process = stage.app.start("sign-in", "--browser", "--no-open", "--json")
    url = page_address(process)
    step.detail("The page, which the demo opens and fills in for you:")
    step.detail(url)
    callback = stage.person.sign_in(url, loopback_of(url))
    stage.person.open(callback)
    output, errors = process.communicate(timeout=PATIENCE)
    require(process.returncode == 0, f"wallet sign-in: {errors.strip()}")
    step.done(
        "ada typed her password on the server's page; the wallet got a code and exchanged it for tokens.",
        "The app never sees the password, and a stolen code is worth nothing without its verifier (PKCE).",
    )


def page_address(process):
    """The wallet prints the address of the sign-in page before it waits for the browser to come back."""
    for line in process.stderr:
        if "http://" in line and "/oauth2/authorize" in line:
            return line[line.index("http://") :].split()[0]
    raise Failed("the wallet printed no sign-in page")


def loopback_of(url):
    """Where the wallet is listening: the redirect URI of its own authorization request."""
    return urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["redirect_uri"][0]


def sign_in_natively(stage):
    step = Step("Sign in natively, inside the app")
    app = stage.wallet("native")
    app.run("sign-in", "--username", stage.person.username, "--password-stdin", secret=stage.person.password + "\n")
    status = app.run("status")
    require(status is not None, "the native sign-in left no session")
    app.run("sign-out")
    step.done(
        "The app took the user name and password itself, and got a code in return, never a token directly.",
        "Browser and native sign-in go through the same checks, so no lock or rule can be missing from either.",
    )


def call(stage):
    step = Step("Call a protected resource")
    answer = stage.app.run("call", f"{stage.gateway.url}/oauth2/userinfo")
    require(answer is not None, "the call got no response")
    step.done(
        "The wallet sent its token with a fresh proof of its key (DPoP), and the server identified the caller.",
        "Anyone who copies the token from a log or a proxy cannot use it: the key stays on the device.",
    )


def expire(stage):
    step = Step(f"The access token expires after {SHORT_LIFETIME} s")
    before = len(grants(stage, "refresh_token"))
    time.sleep(SHORT_LIFETIME + 1)
    require(stage.app.run("call", f"{stage.gateway.url}/oauth2/userinfo") is not None, "the call after expiry failed")
    require(len(grants(stage, "refresh_token")) > before, "nothing was renewed")
    step.done(
        "The wallet noticed, renewed the token once and made the call: the person saw nothing.",
        "Short-lived tokens limit what a thief can do, and no one has to sign in again.",
    )


def lose_an_answer(stage):
    step = Step("The response to a renewal is lost on the way")
    mark = len(grants(stage, "refresh_token"))
    stage.gateway.lose_next_token_answer()
    first = stage.app.run("refresh", may_fail=True)
    require(stage.gateway.lost == 1, "no response was lost")
    if first is None:
        step.detail("The server had renewed the session; the wallet got no response, and kept its old token and the attempt's number.")
        require(stage.app.run("refresh") is not None, "the second try failed")
    renewals = grants(stage, "refresh_token")[mark:]
    # A busy machine may let the new token expire in turn, and have it renewed.
    answers = [json.loads(renewal.answer) for renewal in renewals if renewal.form["refresh_token"] == renewals[0].form["refresh_token"]]
    successors = {answer["refresh_token"] for answer in answers}
    require(len(answers) >= 2 and len(successors) == 1, "the repeated request had another successor")
    step.done(
        "It repeated the request and got the same new token, byte for byte; the session continues.",
        "Other servers take this for theft, so driving through a tunnel signs you out. Here a lost response never does.",
    )


def steal_from_old_app(stage):
    step = Step("A thief has a copy of an older app's spent refresh token (no DPoP)")
    app = OldApp(stage)
    first = app.sign_in()
    consents = stage.server.administer("account", "consents", stage.person.username)
    require(OLD_APP_CLIENT in str(consents), "no consent to the older app was asked for")
    step.detail("The older app is not first-party: ada granted it access on a page before it got its code.")
    second = app.refresh(first)["refresh_token"]
    third = app.refresh(second)["refresh_token"]
    theft = app.refresh(first)
    holder = app.refresh(third)
    require(theft.get("error") == "invalid_grant", f"the thief got in: {sorted(theft)}")
    require(holder.get("error") == "invalid_grant", "the session outlived the theft")
    step.done(
        "The thief was refused, and the whole session ended, the holder's newest token included.",
        "No one can tell which of the two copies is the thief's, so both are signed out; the holder can sign in again.",
    )


def steal_from_wallet(stage):
    step = Step("The same theft from the wallet (DPoP)")
    stolen = [exchange.form["refresh_token"] for exchange in grants(stage, "refresh_token", WALLET_CLIENT)]
    for token in dict.fromkeys(stolen):
        answer = post_token(
            stage, grant_type="refresh_token", refresh_token=token, client_id=WALLET_CLIENT
        )
        require("access_token" not in answer, "the thief got in")
    require(stage.app.run("refresh") is not None, "the wallet's session was harmed")
    copies = len(set(stolen))
    refused = "the stolen copy was" if copies == 1 else f"{'both' if copies == 2 else f'all {copies}'} stolen copies were"
    step.done(
        f"The thief lacks the key, so {refused} refused. The wallet renewed as if nothing had happened.",
        "A bound token is useless to a thief, and trying it does not even sign the holder out.",
    )


def sign_out(stage):
    step = Step("Sign out")
    answer = stage.app.run("sign-out")
    require(answer and answer.get("revoked"), "the server was not notified")
    status = stage.app.run("status", may_fail=True)
    require(not (status or {}).get("signedIn"), "the wallet still thinks that it is signed in")
    step.done(
        "The tokens are gone from the wallet, and the server has revoked the session.",
        "This works offline too: the wallet forgets its tokens at once, and tells the server when it can.",
    )


ALL = [
    start_server,
    prepare,
    sign_in_by_browser,
    sign_in_natively,
    call,
    expire,
    lose_an_answer,
    steal_from_old_app,
    steal_from_wallet,
    sign_out,
]


def grants(stage, kind, client=WALLET_CLIENT):
    """The successful requests of that grant that went over the network so far."""
    return [
        exchange
        for exchange in stage.gateway.exchanges
        if exchange.status == 200 and exchange.form.get("grant_type") == kind and exchange.form.get("client_id") == client
    ]


def post_token(stage, **form):
    """A request to the token endpoint without any key, as a thief or an older app sends it."""
    body = urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(f"{stage.gateway.url}/oauth2/token", data=body)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        return json.load(refusal)


class OldApp:
    """An app of the older kind: standard OAuth with PKCE, bearer tokens, no device key."""

    def __init__(self, stage):
        self.stage = stage

    def sign_in(self):
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = urllib.parse.urlencode(
            {
                "response_type": "code",
                "client_id": OLD_APP_CLIENT,
                "redirect_uri": OLD_APP_REDIRECT,
                "scope": "openid offline_access",
                "state": secrets.token_urlsafe(16),
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
        )
        callback = self.stage.person.sign_in(f"{self.stage.gateway.url}/oauth2/authorize?{query}", OLD_APP_REDIRECT)
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(callback).query).get("code")
        require(code, "the older app got no code")
        answer = post_token(
            self.stage,
            grant_type="authorization_code",
            code=code[0],
            redirect_uri=OLD_APP_REDIRECT,
            code_verifier=verifier,
            client_id=OLD_APP_CLIENT,
        )
        require("refresh_token" in answer, f"the older app got no tokens: {answer.get('error')}")
        return answer["refresh_token"]

    def refresh(self, token):
        return post_token(self.stage, grant_type="refresh_token", refresh_token=token, client_id=OLD_APP_CLIENT)
