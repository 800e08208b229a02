"""requests_oauth2client, unmodified, as a device without a browser (RFC 8628), and a person in a browser without script.

    oauth2client_device.py ISSUER CLIENT_ID USERNAME

The password is on standard input. Prints one JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import json
import sys

import requests
from requests_oauth2client import DeviceAuthorizationPollingJob, OAuth2Client, PublicApp
from requests_oauth2client.exceptions import OAuth2Error

from page_visit import Visit

# By default the library waits for ten seconds.
PATIENTLY = {"timeout": 120}


def refusal(client, codes):
    """The error of a poll at once."""
    try:
        client.device_code(codes, requests_kwargs=PATIENTLY)
    except OAuth2Error as error:
        return error.error
    return "accepted"


def main():
    issuer, client_id, username = sys.argv[1:4]
    password = sys.stdin.readline().rstrip("\n")
    # `testing` makes the library accept http on loopback.
    # The library reads most of the metadata, but not this endpoint.
    metadata = requests.get(issuer + "/.well-known/openid-configuration", timeout=120).json()
    client = OAuth2Client.from_discovery_document(
        metadata,
        issuer=issuer,
        auth=PublicApp(client_id),
        device_authorization_endpoint=metadata["device_authorization_endpoint"],
        testing=True,
    )
    seen = {}

    codes = client.authorize_device(scope="openid profile offline_access", requests_kwargs=PATIENTLY)
    seen["user_code"], seen["verification_uri"], seen["interval"] = codes.user_code, codes.verification_uri, codes.interval
    seen["polls"] = [refusal(client, codes), refusal(client, codes)]

    visit = Visit(issuer)
    visit.open(codes.verification_uri_complete)
    visit.press("enter", user_code=codes.user_code)
    visit.press("sign_in", username=username, password=password)
    seen["code_shown"] = codes.user_code in visit.page.text
    visit.press("connect")
    seen["connected"] = visit.page.status_code

    # It waits for the interval, as a device does.
    tokens = DeviceAuthorizationPollingJob(client, codes, requests_kwargs=PATIENTLY)()
    userinfo = requests.get(client.userinfo_endpoint, auth=tokens, timeout=120)
    seen["preferred_username"] = userinfo.json().get("preferred_username")
    renewed = client.refresh_token(tokens, requests_kwargs=PATIENTLY)
    seen["new_access_token"] = renewed.access_token != tokens.access_token
    seen["replay"] = refusal(client, codes)
    seen["listed"] = "Television" in visit.open(issuer + "/account").text

    refused = client.authorize_device(scope="openid", requests_kwargs=PATIENTLY)
    visit.open(refused.verification_uri)
    visit.press("enter", user_code=refused.user_code.lower().replace("-", ""))
    visit.press("deny")
    seen["refused"] = refusal(client, refused)
    seen["secrets"] = [
        codes.device_code,
        refused.device_code,
        *(token for pair in (tokens, renewed) for token in (pair.access_token, pair.refresh_token)),
    ]
    print(json.dumps(seen))


main()
