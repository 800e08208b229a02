"""google-auth-oauthlib, unmodified, as an installed app of the server under test: sign-in, call, renewal, sign-out.

Arguments: ISSUER CLIENT_ID USERNAME, the password on standard input. The client has to have the redirect URI http://127.0.0.1/.
Prints one JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import json
import os
import sys
import threading
import webbrowser

import requests
from google.auth.exceptions import RefreshError
from google.auth.transport.requests import AuthorizedSession, Request
from google_auth_oauthlib.flow import InstalledAppFlow

import person

# oauthlib insists on https; the server under test listens on loopback.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
# What was granted may be less than what was asked for.
os.environ["OAUTHLIB_RELAX_TOKEN_SCOPE"] = "1"


class Browser(webbrowser.BaseBrowser):
    """The browser that the library opens: a person signs in, and follows the redirect to the library's own listener."""

    def __init__(self, username, password):
        super().__init__("person")
        self.username, self.password = username, password

    def open(self, url, new=0, autoraise=True):
        threading.Thread(target=self.visit, args=[url], daemon=True).start()
        return True

    def visit(self, url):
        requests.get(person.sign_in(url, self.username, self.password), timeout=120)


def main():
    issuer, client_id, username = sys.argv[1:4]
    password = sys.stdin.readline().rstrip("\n")
    metadata = requests.get(issuer + "/.well-known/openid-configuration", timeout=120).json()
    webbrowser.register("person", None, Browser(username, password))
    flow = InstalledAppFlow.from_client_config(
        {
            "installed": {
                "client_id": client_id,
                "client_secret": "",
                "auth_uri": metadata["authorization_endpoint"],
                "token_uri": metadata["token_endpoint"],
                "redirect_uris": ["http://127.0.0.1/"],
            }
        },
        # The last one is known to Google alone.
        scopes=["openid", "profile", "https://www.googleapis.com/auth/userinfo.email"],
    )
    credentials = flow.run_local_server(
        host="127.0.0.1", port=0, browser="person", open_browser=True, authorization_prompt_message=None, timeout_seconds=300
    )
    seen = {"granted": credentials.granted_scopes, "id_token": bool(credentials.id_token)}
    first, refresh = credentials.token, credentials.refresh_token

    seen["userinfo_status"] = AuthorizedSession(credentials).get(metadata["userinfo_endpoint"]).status_code
    credentials.refresh(Request())
    seen["new_access_token"] = credentials.token != first
    renewed = AuthorizedSession(credentials).get(metadata["userinfo_endpoint"])
    seen["renewed_userinfo_status"] = renewed.status_code
    seen["preferred_username"] = renewed.json().get("preferred_username")

    # The library knows the revocation endpoint of Google alone; its transport is used with this server's.
    revoked = Request()(
        url=metadata["revocation_endpoint"],
        method="POST",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        body=f"client_id={client_id}&token={credentials.refresh_token}",
    )
    seen["revocation_status"] = revoked.status
    try:
        credentials.refresh(Request())
        seen["refresh_after_revocation"] = "accepted"
    except RefreshError as error:
        seen["refresh_after_revocation"] = error.args[1]["error"]
    seen["secrets"] = [password, first, refresh, credentials.token, credentials.refresh_token, credentials.id_token]
    print(json.dumps(seen))


main()
