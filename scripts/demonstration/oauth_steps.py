"""The steps of OAuth's profiles, with a client library that has never heard of this server.

A partner under FAPI 2.0, a service that acts for a person, a television, a sign-out of which the partner hears, and a payment on the phone.
"""

import functools
import json
import os
import urllib.parse

import requests
from jwskate import Jwk, SignedJwt
from requests_oauth2client import DeviceAuthorizationPollingJob, DPoPKey, DPoPToken, OAuth2Client, PrivateKeyJwt, PublicApp
from requests_oauth2client.exceptions import AuthorizationPending, OAuth2Error

import traffic
from narrator import Failed, Step, require
from native_steps import codes, new_code
from operator_steps import Browser
from person import Person
from programs import PATIENCE
from registrations import account, app, backend, reachable_account
from steps import LOOPBACK, WALLET_CLIENT
from traffic import described, lines, show_parameters
from transaction_steps import PINS, set_up, start, wait_until_it_signs
from website import Website

PARTNER, SERVICE, TELEVISION, LANDLORD = "budget-planner", "accounts-service", "television", "dune-houses"
ACCOUNTS, LEDGER = "https://accounts.bank.example", "https://ledger.bank.example"
SCOPES = "openid offline_access accounts payments"
RENT = {
    "type": "payment_initiation", "actions": ["initiate"], "instructedAmount": {"currency": "EUR", "amount": "840.00"},
    "creditorName": "Dune Houses", "creditorAccount": {"iban": "DE02120300000000202051"},
    "remittanceInformationUnstructured": "Rent of December",
}  # fmt: skip


def prepare(stage):
    step = Step("The operator registers a partner under FAPI 2.0, a service of the bank, and a television")
    server, person = stage.server, stage.person
    stage.partner = Partner(stage)
    stage.stand_ins.append(stage.partner.website)
    account(server, person.username, person.password)
    # Of ben's phone, and for those who try the server afterwards.
    app(server, WALLET_CLIENT, "Example Wallet", LOOPBACK, "--first-party")
    register(
        stage, PARTNER, "Budget Planner", SCOPES, "--confidential", "--auth-method", "private_key_jwt", "--jwks",
        stage.partner.public_keys, "--fapi", "--redirect-uri", stage.partner.website.callback, "--resource", ACCOUNTS,
        "--post-logout-redirect-uri", stage.partner.website.goodbye, "--backchannel-logout-uri", stage.partner.website.back_channel,
    )  # fmt: skip
    options = ("--token-exchange", "--introspection", "--resource", ACCOUNTS, "--resource", LEDGER)
    stage.secret = backend(server, SERVICE, "Accounts", "accounts", *options)
    lines(f"walletauth client create {SERVICE} --confidential {' '.join(options)} …")
    register(stage, TELEVISION, "Television", "openid profile", "--public", "--first-party", "--device-grant")
    shown = json.loads(server.administer("client", "show", PARTNER, "--json"))
    profile = {name: shown.get(name) for name in ("fapi", "requiresPar", "requiresDpop", "idTokenAlgorithm")}
    lines(f"walletauth client show {PARTNER}: {described(profile)}")
    require(profile == {"fapi": True, "requiresPar": True, "requiresDpop": True, "idTokenAlgorithm": "ES256"}, f"not FAPI: {profile}")
    step.detail(f"walletauth client update {PARTNER} --no-require-par:")
    step.detail(server.refused("client", "update", PARTNER, "--no-require-par"))
    step.done(
        "One word, --fapi, brought pushed requests, proofs of a key and ES256 along. The partner handed over public keys, no secret.",
        "What contradicts the profile is refused, here and later: no command makes this client weaker without leaving the profile.",
    )


def register(stage, client, name, scope, *options):
    stage.server.administer("client", "create", client, "--name", name, "--scope", scope, *options)
    words = [os.path.basename(word) if os.path.isabs(word) else word for word in options]
    lines(f"walletauth client create {client} {' '.join(words)} …")


class Partner:
    """A website of another company, whose developer took requests_oauth2client from PyPI."""

    def __init__(self, stage):
        self.website = Website()
        self.key = Jwk.generate(alg="ES256").with_kid_thumbprint()
        self.public_keys = os.path.join(stage.server.folder, "budget-planner.jwks.json")
        with open(self.public_keys, "w", encoding="utf-8") as file:
            json.dump({"keys": [dict(self.key.public_jwk())]}, file)
        self.client, self.tokens = None, None

    def connect(self, issuer):
        auth = PrivateKeyJwt(PARTNER, self.key, aud=issuer)
        self.client = client_of(issuer, auth, redirect_uri=self.website.callback, dpop_bound_access_tokens=True)
        return self.client


def client_of(issuer, auth, **options):
    """A client as the library makes it from the server's metadata. `testing` lets it take http on this machine."""
    session = traffic.session()
    metadata = session.get(f"{issuer}/.well-known/openid-configuration").json()
    # The library reads most of the metadata, but not these.
    others = {name: metadata[name] for name in ("device_authorization_endpoint", "backchannel_authentication_endpoint")}
    client = OAuth2Client.from_discovery_document(
        metadata, issuer=issuer, auth=auth, session=session, testing=True, **others, **options
    )
    client.update_authorization_server_public_keys()
    return client


def claims_of(client, token, issuer, audience):
    """The claims of a token, once its signature, issuer, audience and time are verified with the keys that the server publishes."""
    token = SignedJwt(str(token))
    key = client.authorization_server_jwks.get_jwk_by_kid(token.headers["kid"])
    token.validate(key, alg="ES256", issuer=issuer, audience=audience)
    return token.claims


def sign_in(stage):
    step = Step("ada signs in to the partner, under FAPI 2.0")
    partner, issuer = stage.partner, stage.gateway.url
    client = partner.connect(issuer)
    step.detail("The library pushes the request, authenticated by its key (private_key_jwt), with a proof of a second key (DPoP):")
    request = client.authorization_request(scope=SCOPES)
    pushed = client.pushed_authorization_request(request)
    step.detail("All that ada's browser carries, and all that anyone could read or change there:")
    names = set(urllib.parse.parse_qs(urllib.parse.urlsplit(pushed.uri).query))
    require(names == {"client_id", "request_uri"}, f"the browser's address has {sorted(names)}")
    step.detail(f"GET /oauth2/authorize?client_id={PARTNER}&request_uri=…")
    browser = stage.customer = Browser(stage.person.username, stage.person.password)
    callback = browser.person.sign_in(pushed.uri, partner.website.callback)
    consents = stage.server.administer("account", "consents", stage.person.username)
    require(PARTNER in consents, "ada was not asked whether the partner may have this")
    step.detail("She typed her password, and allowed what was asked for. The partner redeems its code:")
    # The library's own check of the ID token forgets the proof's key.
    partner.tokens = tokens = client.authorization_code(request.validate_callback(callback), validate=False)
    require(isinstance(tokens, DPoPToken), f"the token is of the type {tokens.token_type}")
    identity = claims_of(client, tokens.id_token, issuer, PARTNER)
    require(identity["nonce"] == request.nonce, "the ID token answers another request")
    claims = claims_of(client, tokens.access_token, issuer, ACCOUNTS)
    step.detail("The access token says:")
    lines(described(claims, "sub", "client_id", "aud", "scope", "cnf", "exp"), "  ")
    require(claims["cnf"]["jkt"] == tokens.dpop_key.dpop_jkt, "the token is not bound to the partner's key")
    require(set(claims["scope"].split()) == set(SCOPES.split()), f"the scope is {claims['scope']}")
    require(claims["sub"] == identity["sub"], "ID token and access token are of two people")
    userinfo = f"{issuer}/oauth2/userinfo"
    called = client.session.get(userinfo, auth=tokens)
    require(called.status_code == 200, f"userinfo got {called.status_code}")
    stolen = client.session.get(userinfo, headers={"Authorization": f"Bearer {tokens.access_token}"}, auth=None)
    require(stolen.status_code == 401, f"a thief without the key got {stolen.status_code}")
    step.detail(f"GET /oauth2/userinfo with a proof: {called.status_code}. A thief with the token alone: {stolen.status_code}.")
    step.done(
        "A request that no one can change, a client without a secret, and a token that is worth nothing without its key (cnf).",
        "The partner's developer configured the issuer and a key, and the library did the rest: it knows standards, not this server.",
    )


def exchange(stage):
    step = Step("The bank's accounts service received that token, and needs the ledger, in ada's name")
    issuer, received = stage.gateway.url, stage.partner.tokens.access_token
    client = client_of(issuer, (SERVICE, stage.secret))
    before = claims_of(client, received, issuer, ACCOUNTS)
    step.detail("It verified the token, and does not hand it on. It asks for one that is good at the ledger alone:")

    def ask(scope):
        token_type = "urn:ietf:params:oauth:token-type:access_token"
        return client.token_exchange(
            subject_token=received, subject_token_type=token_type, resource=LEDGER, scope=scope, dpop=True
        )

    token = ask("accounts")
    after = claims_of(client, token.access_token, issuer, LEDGER)
    step.detail("Before and after:")
    for claims in (before, after):
        lines(described(claims, "sub", "client_id", "aud", "scope", "act"), "  ")
    require(after["aud"] in (LEDGER, [LEDGER]) and after["scope"] == "accounts", f"the new token is good for {after}")
    require(after["act"]["sub"] == SERVICE and "act" not in before, f"the new token's actor is {after.get('act')}")
    require(after["sub"] == before["sub"] and after["exp"] <= before["exp"], "the new token is another person's, or lives longer")
    require(after["cnf"]["jkt"] == token.dpop_key.dpop_jkt, "the new token is not bound to the service's key")
    require(token.refresh_token is None, "an exchange brought a refresh token")
    step.detail("And if it asks for payments, which it is not registered for?")
    expect("invalid_scope", lambda: ask("accounts payments"))
    step.done(
        "One audience, one scope, the service's own key, and act: the ledger reads that the service called, and for whom.",
        "No service hands on the token of its caller, and the ledger can tell the partner's calls from the service's.",
    )


def expect(error, call):
    """Makes a call that has to be refused with that error."""
    try:
        call()
    except OAuth2Error as refusal:
        require(refusal.error == error, f"the server answered {refusal.error}, and not {error}")
    else:
        raise Failed(f"the server accepted what is {error}")


def television(stage):
    step = Step("A television, which has no browser and no keyboard, shows a code")
    issuer, key = stage.gateway.url, DPoPKey.generate()
    client = client_of(issuer, PublicApp(TELEVISION))
    codes = client.authorize_device(scope="openid profile")
    step.detail(f"On its screen: open {codes.verification_uri} and type {codes.user_code}. It asks whether ada has done so:")
    try:
        client.device_code(codes, dpop_key=key)
    except AuthorizationPending:
        pass
    else:
        raise Failed("the television was signed in by no one")
    phone = Browser(stage.person.username, stage.person.password)
    page = phone.open(codes.verification_uri)
    page = phone.press(page, "enter", user_code=codes.user_code)
    page = phone.press(page, "sign_in", username=phone.name, password=phone.password)
    require(codes.user_code in page.text and "Television" in page.text, f"the page names neither code nor device: {page.heading!r}")
    step.detail(f"On ada's phone, after her password: “{page.heading}”, with the same letters. She presses “Connect”.")
    connected = phone.press(page, "connect")
    require(connected.status == 200, f"the page answered {connected.status}")
    step.detail(f"Then: “{connected.heading}”. The television asks again after {codes.interval} seconds:")
    tokens = DeviceAuthorizationPollingJob(client, codes, dpop_key=key)()
    require(tokens is not None, "the television is still waiting")
    named = client.session.get(f"{issuer}/oauth2/userinfo", auth=tokens).json()
    require(named.get("preferred_username") == stage.person.username, f"the television is signed in as {named}")
    claims = claims_of(client, tokens.access_token, issuer, issuer)
    lines(described(claims, "client_id", "scope", "amr", "acr"), "  ")
    require("cross_device" in claims["amr"] and claims["acr"].endswith("1fa"), f"the token does not say how it came about: {claims['amr']}")
    step.done(
        "ada typed her password on her own phone, and the television has tokens of its own, bound to its key.",
        "Someone could have been sent a stranger's code, so the token says how it came about (amr), and such a session pays nothing.",
    )


def sign_out(stage):
    step = Step("ada presses “Sign out” at the partner")
    partner, issuer, browser = stage.partner, stage.gateway.url, stage.customer
    client, tokens = partner.client, partner.tokens
    step.detail("A renewal just before:")
    client.refresh_token(tokens)
    ending = client.session.get(f"{issuer}/.well-known/openid-configuration").json()["end_session_endpoint"]
    query = {"id_token_hint": str(tokens.id_token), "post_logout_redirect_uri": partner.website.goodbye, "state": "see-you"}
    step.detail("The partner sends her browser to the server, with the ID token that it got:")
    answer = browser.person.open(f"{ending}?{urllib.parse.urlencode(query)}")
    lines("GET /oauth2/logout")
    show_parameters(query.items())
    target = answer.headers.get("Location", "")
    lines(f"{answer.status} Location: {target}")
    require(target == f"{partner.website.goodbye}?state=see-you", f"her browser is led to {target or 'a page'}")
    require('name="password"' in browser.open(f"{issuer}/account").text, "her browser is still signed in at the server")
    step.detail("Her browser is signed out here, too: her account's page asks for the password.")
    token = partner.website.logout_token()
    step.detail("Meanwhile the server called the partner's website, which trusts the call once its signature is verified:")
    claims = claims_of(client, token, issuer, PARTNER)
    lines(f"POST /backchannel   logout_token={traffic.short(token)}")
    lines(described({"typ": SignedJwt(token).headers["typ"], **claims}), "  ")
    require(SignedJwt(token).headers["typ"] == "logout+jwt", "the logout token is of another type")
    require(claims["sid"] == tokens.id_token.claims["sid"], "the logout token is about another session")
    require(claims["sub"] == tokens.id_token.claims["sub"], "the logout token is about another person")
    require("http://schemas.openid.net/event/backchannel-logout" in claims["events"], f"its events are {claims['events']}")
    step.detail("And a renewal afterwards:")
    expect("invalid_grant", lambda: client.refresh_token(tokens))
    step.done(
        "One press ended the browser's session, the partner's, and its refresh token. The partner heard of it by itself.",
        "It would hear the same way of a lock, a changed password or an operator: whatever ends a session early.",
    )


def payment(stage):
    step = Step("ben's landlord asks for the rent; ben has no browser at hand, but his phone")
    ben, issuer = Person("ben", stage.person.password[::-1]), stage.gateway.url
    reachable_account(stage.server, ben.username, ben.password)
    landlord = landlord_of(stage, ben)
    phone = set_up(stage, ben)
    wait_until_it_signs(phone)
    step.detail("He gave the landlord's service access once, on a page. Now it asks without one, for this payment (CIBA, RFC 9396):")
    asked = landlord.backchannel_authentication_request(
        "openid", login_hint=ben.username, binding_message="Flat 7", resource=LEDGER, authorization_details=json.dumps([RENT])
    )
    waits = phone.run("approvals", "list")["approvals"]
    require(len(waits) == 1, f"what waits: {waits}")
    process = phone.start("approvals", "approve", waits[0]["id"], "--yes", "--pin-stdin")
    _, errors = process.communicate(PINS[ben.username], timeout=PATIENCE)
    require(process.returncode == 0, f"wallet approvals approve: {errors.strip()}")
    step.detail("ben's phone shows, before his PIN signs it:")
    for line in errors.strip().splitlines():
        step.detail(f"  {line}")
    for word in ("840.00 EUR", "Dune Houses", "Flat 7"):
        require(word in errors, f"the phone does not show {word}: {errors}")
    step.detail("The landlord's service asks for the outcome:")
    tokens = landlord.ciba(asked)
    claims = claims_of(landlord, tokens.access_token, issuer, LEDGER)
    require(claims["authorization_details"] == [RENT], f"the token is for {claims['authorization_details']}")
    step.detail("It shows the token to the bank's ledger, which asks the server what it is good for:")
    state = client_of(issuer, (SERVICE, stage.secret)).introspect_token(str(tokens.access_token))
    require(state["active"] and state["authorization_details"] == [RENT], f"introspection says {state}")
    step.done(
        "From the landlord's request to the ledger it is one payment: the same amount and payee on the phone, in the token, at the bank.",
        "Another amount would be another signature, and the token opens nothing else: the landlord cannot even read a balance.",
    )


def landlord_of(stage, person):
    """A company whose service may ask for payments, and to which the person has given access."""
    callback = stage.partner.website.callback
    options = ("--ciba", "poll", "--authorization-details-type", "payment_initiation")
    secret = backend(stage.server, LANDLORD, "Dune Houses", "openid", *options, "--redirect-uri", callback, "--resource", LEDGER)
    lines(f"walletauth client create {LANDLORD} --confidential {' '.join(options)} …")
    client = client_of(stage.gateway.url, (LANDLORD, secret), redirect_uri=callback)
    request, known = client.authorization_request(scope="openid"), len(codes(stage))
    request.validate_callback(person.sign_in(str(request), callback, lambda: new_code(stage, None, known)))
    return client


def explained(step):
    """What the library complains of ends the demo like any other fault."""

    @functools.wraps(step)
    def run(stage):
        try:
            step(stage)
        except (OAuth2Error, requests.RequestException, KeyError, ValueError) as fault:
            raise Failed(f"{type(fault).__name__}: {fault}") from fault

    return run


ALL = [start, *map(explained, (prepare, sign_in, exchange, television, sign_out, payment))]
