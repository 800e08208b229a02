"""Verifies the proof of a transaction with public keys alone, sharing no code with the server or with the neighbouring phone.

    walletauth audit key > KEYS.json                 once, kept by the auditor
    transaction_proof.py FILE --keys KEYS.json       FILE is what GET /v1/transactions/{id}/evidence answered, as it came

Prints one JSON object: the facts with `holds` true, or `holds` false with the reason. Exits with 0 where the proof holds and the
transaction is signed, with 3 where the proof holds and the transaction is in any other state, and with 1 where the proof does not hold.
Proof and payload are those of docs/protocol.md section 6 ("The proof", "The signing payload"), the device's signature that of
docs/wpin-1.md. A payload's texts are not held against today's rules for requests: what was signed before they became stricter
stays provable.
"""

import argparse
import base64
import hashlib
import json
import sys
from datetime import datetime, timezone

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

TYPE, DEVICE_TYPE = "wallet-transaction-evidence+jwt", "wallet-auth+jws"
# By version: origin, members that have to be there, members that may be.
COMMON = {"account", "clientId", "expiresAt", "id", "nonce", "origin", "requiredSecondFactorType", "ver"}
PAYLOADS = {
    1: ("server", COMMON | {"type"}, {"amount", "dataHash", "lines", "payee", "reference"}),
    2: ("client", COMMON, {"clientAdditionalDataHash", "clientStateHash"}),
}
ASSERTION = {"aud", "cid", "decision", "enr", "epoch", "factor", "iat", "nonce", "pur", "sub", "txh", "txid"}
REQUIRED = {"clientId", "createdAt", "expiresAt", "iss", "origin", "status", "steps", "transactionId", "ver"}
OPTIONAL = {"accountId", "cancellation", "device", "endedAt", "payload", "payloadHash", "reason", "secondFactor"}
OPEN = ["CREATED", "CLAIMED", "CONFIRMED"]
# The steps before the one that names the final state. EXPIRED is no step, nor is what happens to many rows at once.
BEFORE = {"SIGNED": (3,), "REJECTED": (2, 3), "FAILED": (3,), "CANCELLED": (1, 2, 3)}
# What the server knew about the app that enrolled the device, section 5.
ATTESTATION = {"app", "attestedAt", "environment", "platform"}
LEVELS = {"apple": (None,), "android": ("trusted_environment", "strongbox")}
DISORDER = 60_000  # Milliseconds: of two calls at once the later one may be written first.


class Fault(Exception):
    pass


def require(condition, fault):
    if not condition:
        raise Fault(fault)


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    require(isinstance(text, str) and text.isascii(), "text that is no base64url")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    require(encode(data) == text, "base64url that is not canonical")
    return data


def distinct(pairs):
    require(len({name for name, _ in pairs}) == len(pairs), "a member occurs twice")
    return dict(pairs)


def no_number(text):
    raise Fault(f"{text} is no whole number")


def parse(data):
    value = json.loads(data.decode(), object_pairs_hook=distinct, parse_float=no_number, parse_constant=no_number)
    require(isinstance(value, dict), "JSON that is no object")
    return value


def members(value, required, optional, what):
    require(isinstance(value, dict) and required <= value.keys() <= required | optional, f"{what} has other members")


def digest(data):
    return encode(hashlib.sha256(data).digest())


def thumbprint(key):
    """RFC 7638."""
    return digest(json.dumps({name: key[name] for name in ("crv", "kty", "x", "y")}, separators=(",", ":")).encode())


def public(key):
    require(key.get("kty") == "EC" and key.get("crv") == "P-256", "a key that is not of P-256")
    x, y = (decode(key[name]) for name in ("x", "y"))
    require(len(x) == len(y) == 32, "a key whose coordinates have not 32 bytes")
    numbers = ec.EllipticCurvePublicNumbers(int.from_bytes(x, "big"), int.from_bytes(y, "big"), ec.SECP256R1())
    return numbers.public_key()


def verified(text, kind, keys_of):
    """The payload of a compact JWS by ES256 under one of the keys that `keys_of` finds for the header, and that key."""
    parts = text.split(".")
    require(len(parts) == 3, f"the {kind} is no compact JWS")
    header = parse(decode(parts[0]))
    members(header, {"alg", "kid", "typ"}, set(), f"the header of the {kind}")
    # The algorithm is chosen here and only compared with the header: "none" and its like choose nothing.
    require(header["alg"] == "ES256", f"the {kind} is by another algorithm than ES256")
    require(header["typ"] == kind, f"no {kind}")
    raw = decode(parts[2])
    require(len(raw) == 64, f"the signature of the {kind} has not 64 bytes")
    signature = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    keys = keys_of(header["kid"])
    require(keys, f"the {kind} names a key that is none of those given")
    for key in keys:
        try:
            public(key).verify(signature, f"{parts[0]}.{parts[1]}".encode(), ec.ECDSA(hashes.SHA256()))
            return parse(decode(parts[1])), key
        except InvalidSignature:
            continue
    raise Fault(f"the signature of the {kind} is wrong")


def check_form(payload):
    """What a person could read: an amount for a payee, or lines."""
    nested = {"amount": ("currency", "value"), "payee": ("account", "name")}
    for name, parts in nested.items():
        if name in payload:
            members(payload[name], set(parts), set(), f"the payload's {name}")
    lines = payload.get("lines", [])
    require(isinstance(lines, list) and len(lines) <= 10, "the payload's lines are no lines")
    for line in lines:
        members(line, {"label", "value"}, set(), "a line of the payload")
    require(len({line["label"] for line in lines}) == len(lines), "a label occurs twice")
    flat = [value for name, value in payload.items() if name not in ("amount", "expiresAt", "lines", "payee", "ver")]
    flat += [value for part in (*(payload.get(name, {}) for name in nested), *lines) for value in part.values()]
    require(all(isinstance(value, str) for value in flat), "a text of the payload is none")
    require("amount" not in payload or "payee" in payload, "an amount without a payee")
    require(payload["origin"] == "client" or "payee" in payload or lines, "neither payee nor lines")
    if "amount" in payload:
        digits = payload["amount"]["value"]
        require(digits.isascii() and digits.isdigit() and str(int(digits)) == digits, "an amount that is no whole number")


def check_payload(proof):
    """The bytes that were signed, held against what the proof says about them."""
    content = decode(proof["payload"])
    require(proof["payloadHash"] == digest(b"wallet-transaction-v1\0" + content), "the hash is not that of the payload")
    payload = parse(content)
    canonical = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    require(canonical == content, "the payload is not canonical")
    version = payload.get("ver")
    require(type(version) is int and version in PAYLOADS, "the payload is of an unknown version")
    origin, required, optional = PAYLOADS[version]
    members(payload, required, optional, "the payload")
    require(len(content) <= 8192, "the payload is longer than 8 KiB")
    check_form(payload)
    require(payload["origin"] == origin, "the payload's origin is not that of its version")
    for name, own in (("id", "transactionId"), ("account", "accountId"), ("clientId", "clientId"), ("origin", "origin")):
        require(payload[name] == proof.get(own), f"the payload has another {name}")
    require(payload["expiresAt"] == proof["expiresAt"] // 1000, "the payload has another expiresAt")
    return payload


def check_device(proof, payload, signed_at):
    """The device's own signature. The PIN's is never handed out, so `factor` is what the device says, and the server."""
    device = proof["device"]
    members(device, {"id", "key", "signature"}, {"attestation", "biometricKey"}, "the device")
    check_vouchers(device, signed_at)
    members(device["key"], {"crv", "kty", "x", "y"}, set(), "the device's key")
    name = thumbprint(device["key"])
    said, _ = verified(device["signature"], DEVICE_TYPE, lambda kid: [device["key"]] if kid == name else [])
    members(said, ASSERTION, set(), "the device's signature")
    for member, expected in {
        "aud": proof["iss"], "sub": proof["accountId"], "enr": device["id"], "pur": "transaction", "decision": "approve",
        "txid": proof["transactionId"], "txh": proof["payloadHash"], "factor": proof["secondFactor"],
    }.items():  # fmt: skip
        require(said[member] == expected, f"the device signed another {member}")
    require(said["factor"] == "BIOMETRIC" or "biometricKey" not in device, "a voucher of a biometric key that did not sign")
    require(said["factor"] in ("PIN", "BIOMETRIC"), "the second factor is unknown")
    require(all(isinstance(said[name], str) and said[name] for name in ("cid", "nonce")), "the device signed no challenge")
    require(payload["requiredSecondFactorType"] in ("ANY", said["factor"]), "the payload asks for another second factor")
    require(type(said["epoch"]) is int and (said["epoch"] > 0) == (said["factor"] == "PIN"), "the epoch is not the factor's")
    # WPIN-1: not older than five minutes, with 30 seconds of leeway on either side. `iat` counts whole seconds.
    require(type(said["iat"]) is int, "the device signed at no time")
    require(signed_at // 1000 - 330 <= said["iat"] <= signed_at // 1000 + 30, "the device signed at another time")


def check_vouchers(device, signed_at):
    """On whose word app and biometric key counted. It is the server's word: the platform's own statement is not kept."""
    if "attestation" in device:
        app = device["attestation"]
        members(app, ATTESTATION, {"keyLevel"}, "the app's attestation")
        require(app["platform"] in LEVELS and app.get("keyLevel") in LEVELS[app["platform"]], "the platform says no such thing")
        require(app["environment"] in ("production", "development"), "the app is of an unknown environment")
        require(isinstance(app["app"], str) and app["app"], "the attested app has no name")
        require(type(app["attestedAt"]) is int, "the app was attested at no time")
        require(app["attestedAt"] <= (signed_at + DISORDER) // 1000, "the app was attested after the signature")
    require(device.get("biometricKey") in (None, "app", "key"), "the voucher of the biometric key is unknown")


def check_steps(proof):
    """The order of the steps, and that state and times follow from them."""
    steps, status, backend = proof["steps"], proof["status"], proof["origin"] == "server"
    require(isinstance(steps, list) and steps, "there is no step")
    # Who scanned a code without an account is named once it is signed.
    claimed = not backend or "CLAIMED" in [step["status"] for step in steps]
    withheld = claimed and "accountId" not in proof and status != "SIGNED"
    for step in steps:
        hidden = withheld and step["status"] != "CREATED"
        members(step, {"at", "status"} | (set() if hidden else {"audit"}), {"from"}, "a step")
        require(type(step["at"]) is int, "a step at no time")
        if hidden:
            continue
        members(step["audit"], {"link", "partition", "seq"}, set(), "a step's entry of the audit log")
        require(len(decode(step["audit"]["link"])) == 32, "a link of the audit log has not 32 bytes")
        require(all(type(step["audit"][name]) is int for name in ("partition", "seq")), "an entry that has no number")
    names = [step["status"] for step in steps]
    unstepped = status == "EXPIRED" or status == "CANCELLED" and proof.get("cancellation") in ("DEVICE_REMOVED", "RESTORE")
    if not backend:
        fits = status == "SIGNED" and names == ["SIGNED"]
    elif status in OPEN:
        fits = names == OPEN[: OPEN.index(status) + 1]
    elif unstepped:
        fits = names == OPEN[: len(names)] and (len(names) > 1 or proof.get("cancellation") != "DEVICE_REMOVED")
    else:
        fits = len(names) - 1 in BEFORE.get(status, ()) and names == [*OPEN[: len(names) - 1], status]
    require(fits, "the state does not follow from the steps")
    for member, needed_by, values in (
        ("cancellation", "CANCELLED", ("BACKEND", "DEVICE_REMOVED", "RESTORE")),
        ("reason", "REJECTED", ("WRONG_DATA", "UNEXPECTED", "OTHER")),
    ):
        require((member in proof) == (status == needed_by), f"the {member} does not fit the state")
        require(member not in proof or proof[member] in values, f"the {member} is unknown")
    require((claimed and not withheld) == ("payload" in proof), "the payload does not fit the steps")
    require(("payload" in proof) == ("payloadHash" in proof), "payload and hash do not go together")
    require("payload" not in proof or "accountId" in proof, "a payload without an account")
    for member in ("device", "secondFactor"):
        require((member in proof) == (status == "SIGNED"), "the device's signature does not fit the state")

    require(all(type(proof[name]) is int for name in ("createdAt", "expiresAt")), "a time that is no number")
    require(proof["createdAt"] < proof["expiresAt"] <= proof["createdAt"] + 900_000, "it is open for more than 15 minutes")
    require(steps[0]["at"] == proof["createdAt"], "the first step is not when it was created")
    times = [step["at"] for step in steps]
    require(all(at > max(times[:place]) - DISORDER for place, at in enumerate(times) if place), "the steps are out of order")
    require(max(times) < proof["expiresAt"], "a step after it had expired")
    entries = [(step["audit"]["partition"], step["audit"]["seq"]) for step in steps if "audit" in step]
    require(len(set(entries)) == len(entries), "two steps name one entry of the audit log")
    if status in OPEN or status == "EXPIRED":
        require("endedAt" not in proof, "an open transaction has ended")
    else:
        require(type(proof.get("endedAt")) is int, "it ended at no time")
        ended = proof["endedAt"]
        if unstepped:
            # A restore ends what was open in the copy, also after its time.
            in_time = ended < proof["expiresAt"] or proof["cancellation"] == "RESTORE"
            fits = ended > times[-1] - DISORDER and in_time
        else:
            fits = ended == times[-1]
        require(fits, "it ended at another time than its last step")


def check(document, keys):
    """The facts of a proof; a fault where anything in it does not fit."""
    proof, key = verified(document, TYPE, lambda kid: [key for key in keys if key["kid"] == kid])
    require(type(proof.get("ver")) is int and proof["ver"] == 1, "the proof is of an unknown version")
    members(proof, REQUIRED, OPTIONAL, "the proof")
    require(proof["origin"] in ("server", "client"), "the origin is unknown")
    check_steps(proof)
    payload = check_payload(proof) if "payload" in proof else None
    if proof["status"] == "SIGNED":
        check_device(proof, payload, proof["endedAt"])
    told = ("status", "origin", "transactionId", "clientId", "accountId", "secondFactor", "reason", "cancellation")
    facts = {name: proof[name] for name in told if name in proof}
    facts |= {"issuer": proof["iss"], "auditKey": key["kid"], "payload": payload}
    if "device" in proof:
        facts["device"] = {"id": proof["device"]["id"], "key": thumbprint(proof["device"]["key"])}
        facts["device"] |= {name: proof["device"][name] for name in ("attestation", "biometricKey") if name in proof["device"]}
    facts["steps"] = [[step["status"], instant(step["at"])] for step in proof["steps"]]
    return facts


def instant(milliseconds):
    seconds, rest = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%dT%H:%M:%S}.{rest:03}Z"


def outcome(document, keys):
    """What is printed: `document` in bytes, as it came, and the JWKs of the audit."""
    try:
        # An editor or a shell may have added the end of the line: one line feed, as section 6 has it.
        return {"holds": True, **check(document.removesuffix(b"\n").decode("ascii"), keys)}
    except Fault as fault:
        return {"holds": False, "reason": str(fault)}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return {"holds": False, "reason": "it has not the form of a proof"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--keys", required=True)
    given = parser.parse_args()
    try:
        with open(given.keys, encoding="utf-8") as file:
            keys = [dict(key, kid=key["kid"]) for key in json.load(file)["keys"]]
        with open(given.file, "rb") as file:
            told = outcome(file.read(), keys)
    except OSError as error:
        told = {"holds": False, "reason": f"{error.filename} cannot be read: {error.strerror}"}
    except (ValueError, KeyError, TypeError):
        told = {"holds": False, "reason": f"{given.keys} has no keys: it has to be what `walletauth audit key` printed"}
    print(json.dumps(told, ensure_ascii=False))
    if not told["holds"]:
        return 1
    return 0 if told["status"] == "SIGNED" else 3


if __name__ == "__main__":
    sys.exit(main())
