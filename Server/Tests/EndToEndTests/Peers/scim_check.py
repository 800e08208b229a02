"""Holds a server to SCIM 2.0: scim2-tester, unmodified, reads what /scim/v2 says of itself and tries all of it.

    scim_check.py ISSUER CLIENT < SECRET

The client is a confidential one with the scopes scim and scim_groups, and its secret is the one line of standard input. Prints one line of
JSON: the checks that ran, by name and by the attribute that they changed, and what did not hold.
"""

import json
import sys
from collections import Counter

import requests
from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

GOOD = {Status.SUCCESS, Status.COMPLIANT, Status.ACCEPTABLE}


def check(issuer, client):
    form = {"grant_type": "client_credentials", "scope": "scim"}
    token = requests.post(f"{issuer}/oauth2/token", data=form, auth=client, timeout=10).json()["access_token"]
    with Client(base_url=f"{issuer}/scim/v2", headers={"Authorization": f"Bearer {token}"}, timeout=20) as session:
        results = check_server(SyncSCIMClient(session))
    broken = [
        f"{one.resource_type} {one.title} {one.status.name}: {one.reason} {one.data}"[:1500] for one in results if one.status not in GOOD
    ]
    passed = Counter(one.title for one in results if one.status in GOOD)
    passed.update(f"{one.resource_type} {one.title}" for one in results if one.status in GOOD and one.resource_type)
    return {"passed": passed, "broken": broken, "secrets": [token]}


print(json.dumps(check(sys.argv[1].rstrip("/"), (sys.argv[2], sys.stdin.readline().strip()))))
