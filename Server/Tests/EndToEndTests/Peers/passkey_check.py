"""py_webauthn, unmodified, verifies what the SDK's passkeys in software make.

Reads one JSON object from standard input: `site`, and in base64url `created` {challenge, id, clientData, attestationObject} and `used`
{challenge, id, clientData, authenticatorData, signature, userHandle}. Prints one JSON object of what was verified. What does not hold ends
the program with a traceback.
"""

import json
import sys

from webauthn import base64url_to_bytes, verify_authentication_response, verify_registration_response


def credential(given, **response):
    members = {name: given[member] for name, member in response.items()}
    return {"id": given["id"], "rawId": given["id"], "type": "public-key", "response": {"clientDataJSON": given["clientData"], **members}}


given = json.load(sys.stdin)
site, created, used = given["site"], given["created"], given["used"]
party = {"expected_rp_id": site, "expected_origin": f"https://{site}", "require_user_verification": True}
registered = verify_registration_response(
    credential=credential(created, attestationObject="attestationObject"),
    expected_challenge=base64url_to_bytes(created["challenge"]), **party,
)  # fmt: skip
signed = verify_authentication_response(
    credential=credential(used, authenticatorData="authenticatorData", signature="signature", userHandle="userHandle"),
    expected_challenge=base64url_to_bytes(used["challenge"]), credential_public_key=registered.credential_public_key,
    credential_current_sign_count=registered.sign_count, **party,
)  # fmt: skip
print(json.dumps({"format": registered.fmt, "verified": registered.user_verified and signed.user_verified, "counter": signed.new_sign_count}))
