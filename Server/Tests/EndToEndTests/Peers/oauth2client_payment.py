"""requests_oauth2client, unmodified, as another company's client that asks for payments (RFC 9396): on a page, and on the phone (CIBA).

    oauth2client_payment.py ask ISSUER CLIENT_ID REDIRECT_URI USERNAME
    oauth2client_payment.py fetch ISSUER CLIENT_ID AUTH_REQ_ID

The client's secret is on standard input, and after it, for `ask`, the person's password. The first has a payment authorized in the browser,
and asks for the next one, which waits for the phone; the second fetches the tokens. Each prints one JSON object of what was seen; a step
that fails ends the program with a traceback and status 1.
"""

import json
import sys
from urllib.parse import urljoin

import requests
from jwskate import Jwt
from requests_oauth2client import BackChannelAuthenticationPollingJob, ClientSecretBasic, OAuth2Client
from requests_oauth2client.exceptions import OAuth2Error

from page_visit import Visit

# By default the library waits for ten seconds.
PATIENTLY = {"timeout": 120}


def payment(amount):
    return json.dumps([{
        "type": "payment_initiation", "instructedAmount": {"currency": "EUR", "amount": amount}, "creditorName": "Bakery",
        "creditorAccount": {"iban": "DE89370400440532013000"},
    }])  # fmt: skip


def client_of(issuer, client_id, **options):
    secret = sys.stdin.readline().rstrip("\n")
    # The library reads most of the metadata, but not this endpoint. `testing` makes it accept http on loopback.
    metadata = requests.get(issuer + "/.well-known/openid-configuration", timeout=120).json()
    return OAuth2Client.from_discovery_document(
        metadata,
        issuer=issuer,
        auth=ClientSecretBasic(client_id, secret),
        backchannel_authentication_endpoint=metadata["backchannel_authentication_endpoint"],
        testing=True,
        **options,
    )


def outcome(client, auth_req_id):
    """The error of a poll at once."""
    try:
        client.ciba(auth_req_id, requests_kwargs=PATIENTLY)
    except OAuth2Error as error:
        return error.error
    return "accepted"


def report(client, tokens):
    """The amounts that the answer, the access token and introspection say."""
    answers = (
        tokens.authorization_details,
        Jwt(tokens.access_token).claims["authorization_details"],
        client.introspect_token(tokens.access_token, requests_kwargs=PATIENTLY)["authorization_details"],
    )
    return {
        "amounts": [answer[0]["instructedAmount"]["amount"] for answer in answers],
        "token_type": tokens.token_type,
        "has_id_token": tokens.id_token is not None,
        "secrets": [tokens.access_token, *([tokens.refresh_token] if tokens.refresh_token else [])],
    }


def ask(issuer, client_id, redirect_uri, username):
    client = client_of(issuer, client_id, redirect_uri=redirect_uri)
    password = sys.stdin.readline().rstrip("\n")
    request = client.authorization_request(scope="openid", authorization_details=payment("12.50"))
    pushed = client.pushed_authorization_request(request, requests_kwargs=PATIENTLY)
    visit = Visit(issuer)
    page = visit.open(pushed.uri)
    while page.is_redirect:
        page = visit.open(urljoin(page.url, page.headers["Location"]))
    page = visit.sign_in(username, password)
    shown = "Bakery" in page.text
    callback = visit.press("allow").headers["Location"]
    tokens = client.authorization_code(request.validate_callback(callback), validate=False, requests_kwargs=PATIENTLY)
    asked = client.backchannel_authentication_request(
        "openid", login_hint=username, binding_message="K7QX", authorization_details=payment("9.90"),
        requests_kwargs=PATIENTLY,
    )  # fmt: skip
    return {
        **report(client, tokens),
        "shown": shown,
        "auth_req_id": asked.auth_req_id,
        "interval": asked.interval,
        "poll": outcome(client, asked.auth_req_id),
    }


def fetch(issuer, client_id, auth_req_id):
    client = client_of(issuer, client_id)
    job = BackChannelAuthenticationPollingJob(client, auth_req_id, interval=1, requests_kwargs=PATIENTLY)
    while (tokens := job()) is None:
        pass
    return {**report(client, tokens), "poll": outcome(client, auth_req_id)}


print(json.dumps({"ask": ask, "fetch": fetch}[sys.argv[1]](*sys.argv[2:])))
