"""requests-oauthlib, unmodified and with its defaults, as a public client of the server under test.

Arguments: ISSUER CLIENT_ID REDIRECT_URI USERNAME, the password on standard input.
Prints one JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import json
import os
import sys

import requests
from oauthlib.oauth2 import InvalidGrantError
from requests_oauthlib import OAuth2Session

import person

# oauthlib insists on https; the server under test listens on loopback.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"


def main():
    issuer, client_id, redirect_uri, username = sys.argv[1:5]
    password = sys.stdin.readline().rstrip("\n")
    metadata = requests.get(issuer + "/.well-known/openid-configuration", timeout=120).json()
    renewed = []
    session = OAuth2Session(
        client_id,
        redirect_uri=redirect_uri,
        scope="openid profile offline_access",
        pkce="S256",
        auto_refresh_url=metadata["token_endpoint"],
        auto_refresh_kwargs={"client_id": client_id},
        token_updater=renewed.append,
    )
    url, _ = session.authorization_url(metadata["authorization_endpoint"])
    # Without a word about authentication the library sends Basic credentials with an empty secret.
    first = dict(
        session.fetch_token(metadata["token_endpoint"], authorization_response=person.sign_in(url, username, password))
    )
    seen = {"token_type": first["token_type"], "id_token": "id_token" in first, "scope": first["scope"]}
    seen["userinfo_status"] = session.get(metadata["userinfo_endpoint"]).status_code

    # As after the token's time: the library renews by itself, and calls with what it got.
    session.token = {**first, "expires_in": -30, "expires_at": 1}
    called = session.get(metadata["userinfo_endpoint"])
    seen["renewed_userinfo_status"] = called.status_code
    seen["preferred_username"] = called.json().get("preferred_username")
    seen["renewals"] = len(renewed)
    seen["new_access_token"] = renewed[0]["access_token"] != first["access_token"]

    endpoint, headers, body = session._client.prepare_token_revocation_request(
        metadata["revocation_endpoint"], renewed[0]["refresh_token"], "refresh_token", client_id=client_id
    )
    revoked = requests.post(endpoint, headers=headers, data=body, auth=(client_id, ""), timeout=120)
    seen["revocation_status"] = revoked.status_code
    try:
        session.refresh_token(metadata["token_endpoint"], refresh_token=renewed[0]["refresh_token"])
        seen["refresh_after_revocation"] = "accepted"
    except InvalidGrantError as error:
        seen["refresh_after_revocation"] = error.error
    tokens = [first["access_token"], first["refresh_token"], renewed[0]["access_token"], renewed[0]["refresh_token"]]
    seen["secrets"] = [password, *tokens, first["id_token"]]
    print(json.dumps(seen))


main()
