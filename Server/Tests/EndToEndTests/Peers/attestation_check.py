"""pyattest, unmodified, verifies what our stand-in for App Attest makes.

Reads one JSON object from standard input: `root` in PEM, `app`, and in base64 `attestation`, `assertion`, and the bytes of which each is about
the SHA-256: `attested`, `asserted`. Prints one JSON object: the counters. What does not hold ends the program with a traceback.
"""

import asyncio
import base64
import json
import sys
from hashlib import sha256

from cbor2 import loads
from cryptography import x509
from pyattest.assertion import Assertion
from pyattest.attestation import Attestation
from pyattest.configs.apple import AppleConfig

given = json.load(sys.stdin)
made, later, attested, asserted = (base64.b64decode(given[name]) for name in ("attestation", "assertion", "attested", "asserted"))
leaf = x509.load_der_x509_certificate(loads(made)["attStmt"]["x5c"][0])
# The app tells the name that Apple gave the key; here it is what the authenticator's data has.
key_id = loads(made)["authData"][55:87]
config = AppleConfig(key_id, given["app"], True, given["root"].encode())
attestation = Attestation(made, attested, config)
asyncio.run(attestation.verify())
assertion = Assertion(later, sha256(asserted).digest(), leaf.public_key(), config)
assertion.verify()
print(json.dumps({"attestation": attestation.data["data"]["counter"], "assertion": assertion.data["counter"]}))
