"""idpyoidc, unmodified, as a confidential relying party of the server under test: discovery, sign-in, userinfo, renewal, sign-out.

Arguments: ISSUER CLIENT_ID REDIRECT_URI USERNAME, the client's secret and the password on standard input, a line each.
Prints one JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import json
import sys
from urllib.parse import parse_qsl, urlsplit

from idpyoidc.client.defaults import DEFAULT_OIDC_SERVICES
from idpyoidc.client.exception import OidcServiceError, ResponseError
from idpyoidc.client.rp_handler import RPHandler

import person


def main():
    issuer, client_id, redirect_uri, username = sys.argv[1:5]
    secret, password = (sys.stdin.readline().rstrip("\n") for _ in range(2))
    handler = RPHandler(
        base_url="https://partner.example.com",
        client_configs={
            "server": {
                "client_type": "oidc",
                "issuer": issuer,
                "provider_info": {"issuer": issuer},
                "client_id": client_id,
                "client_secret": secret,
                "redirect_uris": [redirect_uri],
                "client_authn_methods": ["client_secret_basic", "bearer_header"],
                "preference": {
                    "application_type": "web",
                    "response_types_supported": ["code"],
                    "scopes_supported": ["openid", "profile", "email", "phone", "address", "offline_access"],
                    "token_endpoint_auth_methods_supported": ["client_secret_basic"],
                },
                "services": {
                    **DEFAULT_OIDC_SERVICES,
                    "token_revocation": {"class": "idpyoidc.client.oauth2.token_revocation.TokenRevocation"},
                },
                "add_ons": {
                    "pkce": {
                        "function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
                        "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"},
                    }
                },
            }
        },
    )
    client = handler.init_client("server")
    client.do_provider_info()
    client.do_client_registration()
    url = client.init_authorization(
        req_args={"scope": ["openid", "profile", "phone", "address", "offline_access", "unknown"]}
    )
    answer = dict(parse_qsl(urlsplit(person.sign_in(url, username, password)).query))
    finished = client.finalize(answer)
    assert "error" not in finished, finished
    state = finished["state"]
    # The library compares `sub` of ID token and userinfo, and gives the claims of both.
    seen = {"claims": finished["userinfo"].to_dict(), "id_token_issuer": finished["id_token"]["iss"]}
    first = finished["token"]

    renewed = client.refresh_access_token(state)
    seen["new_access_token"] = renewed["access_token"] != first
    seen["renewed_subject"] = client.get_user_info(state, access_token=renewed["access_token"])["sub"]

    try:
        client.do_request(
            "token_revocation",
            authn_method="client_secret_basic",
            request_args={"token": renewed["refresh_token"], "token_type_hint": "refresh_token"},
        )
    except ResponseError:
        # The library wants content in the answer, where RFC 7009 has none. What the revocation did is seen next.
        pass
    try:
        client.refresh_access_token(state)
        seen["refresh_after_revocation"] = "accepted"
    except OidcServiceError as error:
        seen["refresh_after_revocation"] = str(error)
    seen["secrets"] = [password, secret, first, renewed["access_token"], renewed["refresh_token"]]
    print(json.dumps(seen))


main()
