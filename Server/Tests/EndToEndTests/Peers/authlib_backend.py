"""Authlib, unmodified, as a backend of another party that sends no PKCE: code with nonce, its secret in the form, ID token, renewal.

Arguments: ISSUER CLIENT_ID REDIRECT_URI USERNAME, the client's secret and the password on standard input, a line each.
Prints one JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import json
import os
import secrets
import sys

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet

import person

# Authlib insists on https; the server under test listens on loopback.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


def main():
    issuer, client_id, redirect_uri, username = sys.argv[1:5]
    secret, password = (sys.stdin.readline().rstrip("\n") for _ in range(2))
    metadata = requests.get(issuer + "/.well-known/openid-configuration", timeout=120).json()
    session = OAuth2Session(
        client_id,
        secret,
        redirect_uri=redirect_uri,
        scope="openid profile offline_access",
        token_endpoint_auth_method="client_secret_post",
    )
    seen = {}

    def callback(**parameters):
        url, state = session.create_authorization_url(metadata["authorization_endpoint"], **parameters)
        assert "code_challenge" not in url, url
        return person.sign_in(url, username, password), state

    # A verifier without a challenge, as after a downgrade.
    answer, state = callback(nonce=secrets.token_urlsafe(16))
    try:
        session.fetch_token(
            metadata["token_endpoint"],
            authorization_response=answer,
            state=state,
            code_verifier=secrets.token_urlsafe(48),
        )
        seen["downgraded"] = "accepted"
    except OAuthError as error:
        seen["downgraded"] = error.error

    nonce = secrets.token_urlsafe(16)
    answer, state = callback(nonce=nonce)
    token = session.fetch_token(metadata["token_endpoint"], authorization_response=answer, state=state)
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=120).json())
    identity = jwt.decode(token["id_token"], keys, algorithms=["RS256"])
    jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client_id},
        nonce={"essential": True, "value": nonce},
    ).validate(identity.claims)
    seen["subject"] = identity.claims["sub"]
    userinfo = session.get(metadata["userinfo_endpoint"], timeout=120)
    seen["userinfo_status"], seen["userinfo_subject"] = userinfo.status_code, userinfo.json().get("sub")
    renewed = session.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
    seen["new_access_token"] = renewed["access_token"] != token["access_token"]
    seen["secrets"] = [token[name] for name in ("access_token", "refresh_token", "id_token")] + [
        renewed["access_token"],
        renewed["refresh_token"],
    ]
    print(json.dumps(seen))


main()
