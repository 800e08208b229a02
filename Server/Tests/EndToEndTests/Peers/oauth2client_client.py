"""requests_oauth2client, unmodified, as a confidential client of the server under test: private_key_jwt and DPoP.

Arguments: `keys` FILE makes the client's key, keeps it in FILE and prints the public JWK set.
ISSUER CLIENT_ID REDIRECT_URI USERNAME FILE, the password on standard input: sign-in, call, renewal, sign-ins by a pushed and by a
signed request, a call for the client itself, an exchange of the person's token, sign-out. Prints one JSON object of what was seen; a step
that fails ends the program with a traceback and status 1.
"""

import json
import sys

import requests
from jwskate import Jwk, Jwt
from requests_oauth2client import DPoPToken, InvalidGrant, OAuth2Client, PrivateKeyJwt
from requests_oauth2client.exceptions import OAuth2Error

import person


# By default the library waits for ten seconds.
PATIENTLY = {"timeout": 120}

STOCK = "https://stock.example.com"


def make_keys(file):
    key = Jwk.generate(alg="ES256").with_kid_thumbprint()
    with open(file, "w", encoding="utf-8") as out:
        json.dump(dict(key), out)
    print(json.dumps({"keys": [dict(key.public_jwk())]}))


def main():
    if sys.argv[1] == "keys":
        make_keys(sys.argv[2])
        return
    issuer, client_id, redirect_uri, username, file = sys.argv[1:6]
    password = sys.stdin.readline().rstrip("\n")
    with open(file, encoding="utf-8") as source:
        key = Jwk(json.load(source))

    def client_of(is_bound):
        # `testing` makes the library accept http on loopback.
        return OAuth2Client.from_discovery_endpoint(
            issuer=issuer,
            auth=PrivateKeyJwt(client_id, key),
            redirect_uri=redirect_uri,
            dpop_bound_access_tokens=is_bound,
            testing=True,
        )

    client = client_of(is_bound=True)
    seen = {}

    request = client.authorization_request(scope="openid profile offline_access unknown", dpop=True)
    answer = request.validate_callback(person.sign_in(str(request), username, password))
    tokens = client.authorization_code(answer, validate=False, requests_kwargs=PATIENTLY)
    assert isinstance(tokens, DPoPToken), type(tokens)
    seen["token_type"], seen["scope"] = tokens.token_type, tokens.scope
    # The first call has no nonce yet: the library reads the challenge, and calls again.
    called = requests.get(client.userinfo_endpoint, auth=tokens, timeout=120)
    seen["userinfo_status"] = called.status_code
    seen["preferred_username"] = called.json().get("preferred_username")

    renewed = client.refresh_token(tokens, requests_kwargs=PATIENTLY)
    seen["renewed_token_type"] = renewed.token_type
    seen["new_access_token"] = str(renewed) != str(tokens)
    seen["renewed_userinfo_status"] = requests.get(client.userinfo_endpoint, auth=renewed, timeout=120).status_code
    # The session was opened with a proof: without one it is not renewed.
    try:
        client_of(is_bound=False).refresh_token(renewed.refresh_token, requests_kwargs=PATIENTLY)
        seen["refresh_without_proof"] = "accepted"
    except OAuth2Error as error:
        seen["refresh_without_proof"] = error.error

    pushing = client.authorization_request(scope="openid profile", dpop=True)
    pushed = client.pushed_authorization_request(pushing, requests_kwargs=PATIENTLY)
    seen["pushed_parameters"] = sorted(pushed.furl.args.keys())
    answer = pushing.validate_callback(person.sign_in(pushed.uri, username, password, redirect_uri))
    by_reference = client.authorization_code(answer, validate=False, requests_kwargs=PATIENTLY)
    seen["pushed_token_type"], seen["pushed_scope"] = by_reference.token_type, by_reference.scope

    signing = client.authorization_request(scope="openid", dpop=True, iss=client_id, aud=issuer)
    signed = signing.sign(key, lifetime=300)
    seen["signed_parameters"] = sorted(signed.furl.args.keys())
    answer = signing.validate_callback(person.sign_in(signed.uri, username, password, redirect_uri))
    by_object = client.authorization_code(answer, validate=False, requests_kwargs=PATIENTLY)
    seen["signed_token_type"], seen["signed_scope"] = by_object.token_type, by_object.scope

    own = client.client_credentials(scope="wallet_operations", requests_kwargs=PATIENTLY)
    seen["own_token_type"] = own.token_type

    def exchange(dpop):
        return client.token_exchange(
            subject_token=renewed.access_token, subject_token_type="access_token", resource=STOCK, scope="profile",
            dpop=dpop, requests_kwargs=PATIENTLY,
        )  # fmt: skip

    exchanged = exchange(dpop=True)
    claims = Jwt(exchanged.access_token).claims
    seen["exchanged"] = [exchanged.token_type, exchanged.scope, claims["aud"], claims["act"]]
    seen["exchanged_for_the_same_person"] = claims["sub"] == Jwt(renewed.access_token).claims["sub"]
    try:
        exchange(dpop=False)
        seen["exchange_without_proof"] = "accepted"
    except OAuth2Error as error:
        seen["exchange_without_proof"] = error.error

    seen["revoked"] = client.revoke_refresh_token(renewed)
    try:
        client.refresh_token(renewed, requests_kwargs=PATIENTLY)
        seen["refresh_after_revocation"] = "accepted"
    except InvalidGrant as error:
        seen["refresh_after_revocation"] = error.error
    seen["secrets"] = [
        password,
        *(
            token
            for pair in (tokens, renewed, by_reference, by_object)
            for token in (pair.access_token, pair.refresh_token)
        ),
        own.access_token,
        exchanged.access_token,
    ]
    print(json.dumps(seen))


main()
