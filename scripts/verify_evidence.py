#!/usr/bin/env python3
"""Verifies the proof of a payment consent, with neither the server's program nor any of its secret keys.

    walletauth audit key > KEYS.json            once, on the first day, kept by the auditor
    verify_evidence.py DOCUMENT KEYS.json       exits with 0 where the document holds, else with 1

Written from docs/psd2.md, "The document", not from the program.
"""

import base64
import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

CATEGORIES = {
    "knowledge": {"pwd", "pin", "fed", "uv"},
    "possession": {"otp", "sms", "swk", "hwk", "sc", "pop"},
    "inherence": {"face", "fpt", "iris", "vbm", "bio"},
}


class Fault(Exception):
    pass


def require(condition, fault):
    if not condition:
        raise Fault(fault)


def decode(text):
    value = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    require(encode(value) == text, "base64url that is not canonical")
    return value


def encode(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def distinct(pairs):
    require(len({name for name, _ in pairs}) == len(pairs), "a name occurs twice in an object")
    return dict(pairs)


def parse(value):
    return json.loads(value, object_pairs_hook=distinct)


def verified(text, key_of, kind):
    """The header and payload of a compact JWS by ES256."""
    parts = text.split(".")
    require(len(parts) == 3, f"the {kind} is no compact JWS")
    header = parse(decode(parts[0]))
    require(header.get("alg") == "ES256" and header.get("typ") == kind, f"no {kind} by ES256")
    key = key_of(header)
    point = ec.EllipticCurvePublicNumbers(
        int.from_bytes(decode(key["x"]), "big"), int.from_bytes(decode(key["y"]), "big"), ec.SECP256R1()
    )
    raw = decode(parts[2])
    require(len(raw) == 64, f"the signature of the {kind} has not 64 bytes")
    der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    try:
        point.public_key().verify(der, f"{parts[0]}.{parts[1]}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise Fault(f"the signature of the {kind} is wrong") from None
    return header, parse(decode(parts[1]))


def categories(methods):
    return {name for name, members in CATEGORIES.items() if members & set(methods)}


def thumbprint(key):
    members = {name: key[name] for name in ("crv", "kty", "x", "y")}
    return encode(hashlib.sha256(json.dumps(members, separators=(",", ":"), sort_keys=True).encode()).digest())


def check_device(evidence, attempt):
    device = attempt["device"]
    header, signed = verified(device["signature"], lambda _: device["key"], "wallet-auth+jws")
    require(header.get("kid") == thumbprint(device["key"]), "the device's signature names another key")
    for name, expected in {
        "aud": evidence["iss"], "sub": evidence["accountId"], "enr": device["id"], "pur": "sca", "decision": "approve",
        "txid": evidence["eventId"], "txh": evidence["operationHash"], "factor": attempt["verification"]["method"],
    }.items():
        require(signed.get(name) == expected, f"the device signed another {name}")


def check_code(evidence, operation, counted):
    authorization = evidence["authorization"]
    code = authorization["code"]
    _, claims = verified(code, lambda _: authorization["key"], "wallet-operation+jwt")
    require(authorization["codeHash"] == encode(hashlib.sha256(code.encode()).digest()), "another code's hash")
    expected = {"iss": evidence["iss"], "aud": evidence["clientId"], "sub": evidence["accountId"]}
    expected |= {"walletOperationId": evidence["walletOperationId"], "jti": authorization["jti"]}
    expected |= {name: operation.get(name) for name in ("type", "amount", "payee", "details")}
    for name, value in expected.items():
        require(claims.get(name) == value, f"the authentication code has another {name}")
    if evidence["decision"]["status"] == "EXEMPT":
        require(claims["sca"]["status"] == "EXEMPT", "the authentication code rests on a consent")
        require(claims["sca"].get("exemption") == evidence["decision"].get("exemption"), "another exemption")
    else:
        require(claims["sca"]["status"] == "VERIFIED", "the authentication code rests on no consent")
        require(claims["sca"]["eventId"] == evidence["eventId"], "the authentication code is of another event")
        require(claims["sca"]["operationHash"] == evidence["operationHash"], "the code is for other bytes")
        require(set(claims["sca"].get("amr", [])) == counted, "the code names other factors than those that counted")


def check(document, keys):
    def audit_key(header):
        require(header.get("kid") in keys, "it is signed by a key that is none of those given")
        return keys[header["kid"]]

    _, evidence = verified(document, audit_key, "wallet-operation-evidence+jwt")
    require(evidence["ver"] == 1, "another version")
    content = decode(evidence["operation"])
    operation = parse(content)
    shown = encode(hashlib.sha256(b"wallet-sca-v1\0" + content).digest())
    require(evidence["operationHash"] == shown, "the hash is not that of the operation's bytes")
    for name, own in (("eventId", "eventId"), ("walletOperationId", "walletOperationId"), ("clientId", "clientId"), ("account", "accountId")):
        require(operation[name] == evidence[own], f"the operation's bytes have another {name}")
    steps = {step["step"]: step for step in evidence["steps"]}
    right = [attempt for attempt in evidence["attempts"] if attempt["right"]]
    for attempt in right:
        require((attempt["verification"]["channel"] == "DEVICE") == ("device" in attempt), "a signature is missing")
        if "device" in attempt:
            check_device(evidence, attempt)
    counted = set()
    if "verified" in steps:
        require(right, "nothing was proved for this operation")
        counted = {method for attempt in right for method in attempt.get("amr", [])}
        sign_in = steps["verified"].get("signIn")
        if sign_in and sign_in["counted"]:
            counted |= set(sign_in.get("amr", []))
    proved = categories(counted)
    if "verified" in steps:
        require(len(proved) >= 2, "the consent does not rest on two categories of factor")
    exempt = evidence["decision"]["status"] == "EXEMPT"
    require((evidence["status"] == "AUTHORIZED") == ("authorized" in steps), "the status does not fit the steps")
    require(("authorized" in steps) == ("authorization" in evidence), "the code does not fit the steps")
    require("authorized" not in steps or exempt or "verified" in steps, "carried out without a consent")
    require(sum(not attempt["right"] for attempt in evidence["attempts"]) <= 5, "more than five wrong values")
    if "authorization" in evidence:
        check_code(evidence, operation, counted)
    if exempt:
        return f"{evidence['status']}: exempt, {evidence['decision'].get('exemption', 'by the operator’s rule')}"
    return f"{evidence['status']}: {' and '.join(sorted(proved)) or 'no consent'}"


def main(path, keyfile):
    with open(keyfile, encoding="utf-8") as file:
        keys = {key["kid"]: key for key in json.load(file)["keys"]}
    with open(path, encoding="utf-8") as file:
        document = file.read()
    try:
        print("HOLDS", check(document.removesuffix("\n"), keys))
        return 0
    except Fault as fault:
        print("FAULT", fault)
    except (ValueError, KeyError, TypeError) as error:
        print("FAULT it has not the form of evidence:", type(error).__name__)
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
