"""Authlib, unmodified, as a client of the server under test: code + PKCE, ID token, refresh, revocation.

Arguments: ISSUER CLIENT_ID REDIRECT_URI USERNAME, the password on standard input.
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
    password = sys.stdin.readline().rstrip("\n")
    seen = {}

    metadata = requests.get(issuer + "/.well-known/openid-configuration", timeout=120).json()
    assert metadata["issuer"] == issuer, metadata["issuer"]
    session = OAuth2Session(
        client_id,
        redirect_uri=redirect_uri,
        scope="openid profile offline_access",
        code_challenge_method="S256",
        token_endpoint_auth_method="none",
    )
    verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
    url, state = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
    callback = person.sign_in(url, username, password)
    token = session.fetch_token(
        metadata["token_endpoint"], authorization_response=callback, state=state, code_verifier=verifier
    )
    seen["token_type"] = token["token_type"]
    seen["expires_in"] = token["expires_in"]
    seen["refresh_token"] = "refresh_token" in token

    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=120).json())
    identity = jwt.decode(token["id_token"], keys, algorithms=["RS256", "ES256"])
    jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client_id},
        nonce={"essential": True, "value": nonce},
        exp={"essential": True},
    ).validate(identity.claims)
    seen["id_token_algorithm"] = identity.header["alg"]
    seen["subject"] = identity.claims["sub"]
    access = jwt.decode(token["access_token"], keys, algorithms=["ES256"])
    seen["access_token_type"] = access.header["typ"]

    profile = session.get(metadata["userinfo_endpoint"])
    seen["userinfo_status"] = profile.status_code
    seen["userinfo_subject"] = profile.json()["sub"]

    first = token["refresh_token"]
    renewed = session.refresh_token(metadata["token_endpoint"], refresh_token=first)
    seen["refresh_rotates"] = renewed["refresh_token"] != first
    seen["refresh_new_access_token"] = renewed["access_token"] != token["access_token"]

    revoked = session.revoke_token(
        metadata["revocation_endpoint"], token=renewed["refresh_token"], token_type_hint="refresh_token"
    )
    seen["revocation_status"] = revoked.status_code
    try:
        session.refresh_token(metadata["token_endpoint"], refresh_token=renewed["refresh_token"])
        seen["refresh_after_revocation"] = "accepted"
    except OAuthError as error:
        seen["refresh_after_revocation"] = error.error
    # What passed through, so that the test can look for it in the server's logs.
    seen["secrets"] = [password, verifier, first, renewed["refresh_token"], token["access_token"], token["id_token"]]
    print(json.dumps(seen))


main()
