#!/usr/bin/env python3
"""Verifies the proof of a payment consent, with neither the server's program nor any of its secret keys.

    walletauth audit key > KEYS.json            on the first day and after `keys rotate audit`, kept by the auditor
    verify_evidence.py DOCUMENT KEYS.json       exits like `walletauth audit verify-evidence`: with 0 where the document holds and
                                                the operation is EXEMPT, VERIFIED or AUTHORIZED, with 3 where it holds and the
                                                operation is in another state, and with 1 where it does not hold

Written from docs/psd2.md, "The document", not from the program.
"""

import base64
import hashlib
import json
import re
import sys
from datetime import datetime, timezone
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

CATEGORIES = {
    "knowledge": {"pwd", "pin", "fed", "uv"},
    "possession": {"otp", "sms", "swk", "hwk", "sc", "pop"},
    "inherence": {"face", "fpt", "iris", "vbm", "bio"},
}

# Where the operation may be carried out, or was.
AGREED = {"EXEMPT", "VERIFIED", "AUTHORIZED"}

OPERATION = "wallet-operation-evidence+jwt"

EXPORT_AGAIN = (
    "After a rotation of the audit key, export the keys again with `walletauth audit key` on the server, and compare that those "
    "you had are unchanged"
)


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


def verified(text, keys_of, kind):
    """The header and payload of a compact JWS by ES256."""
    parts = text.split(".")
    require(len(parts) == 3, f"the {kind} is not a compact JWS")
    header = parse(decode(parts[0]))
    require(
        kind != OPERATION or header.get("typ") != "wallet-transaction-evidence+jwt",
        "this is the proof of a transaction, and not of an operation: use `walletauth transaction verify`",
    )
    require(header.get("alg") == "ES256" and header.get("typ") == kind, f"not a {kind} signed with ES256")
    raw = decode(parts[2])
    require(len(raw) == 64, f"the signature of the {kind} is not 64 bytes long")
    der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    for key in keys_of(header):
        point = ec.EllipticCurvePublicNumbers(
            int.from_bytes(decode(key["x"]), "big"), int.from_bytes(decode(key["y"]), "big"), ec.SECP256R1()
        )
        try:
            point.public_key().verify(der, f"{parts[0]}.{parts[1]}".encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            continue
        return header, parse(decode(parts[1]))
    raise Fault(f"the signature of the {kind} is wrong")


def categories(methods):
    return {name for name, members in CATEGORIES.items() if members & set(methods)}


def thumbprint(key):
    members = {name: key[name] for name in ("crv", "kty", "x", "y")}
    return encode(hashlib.sha256(json.dumps(members, separators=(",", ":"), sort_keys=True).encode()).digest())


# Approved on another device of the account, by either factor.
PUSH = {"method": "PUSH_NOTIFICATION", "channel": "PUSH_NOTIFICATION"}

# By how many milliseconds two times may be in the wrong order.
DISORDER = 60_000


def check_device(evidence, attempt):
    device = attempt["device"]
    factor = attempt["verification"]["method"]
    if attempt["verification"] == PUSH:
        factor = "PIN" if "pin" in attempt["amr"] else "BIOMETRIC"
    header, signed = verified(device["signature"], lambda _: [device["key"]], "wallet-auth+jws")
    require(header.get("kid") == thumbprint(device["key"]), "the device's signature names another key")
    for name, expected in {
        "aud": evidence["iss"], "sub": evidence["accountId"], "enr": device["id"], "pur": "sca", "decision": "approve",
        "txid": evidence["eventId"], "txh": evidence["operationHash"], "factor": factor,
    }.items():
        require(signed.get(name) == expected, f"the device signed a different {name}")
    require(factor == "BIOMETRIC" or "biometricKey" not in device, "a voucher for a biometric key that did not sign")
    if "attestation" in device:
        attested = device["attestation"]["attestedAt"]
        require(attested <= (attempt["at"] + DISORDER) // 1000, "the app was attested after the signature")


def vouchers(attempts):
    """What the server knew about the apps and biometric keys that signed."""
    said = []
    for device in (attempt["device"] for attempt in attempts if "device" in attempt):
        if "attestation" in device:
            app = device["attestation"]
            level = f" in its {app['keyLevel']}" if "keyLevel" in app else ""
            time = datetime.fromtimestamp(app["attestedAt"], timezone.utc)
            said.append(f", the app {app['app']} attested by {app['platform']}{level} on {time:%Y-%m-%d}")
        if "biometricKey" in device:
            said.append(f", the biometric key on the word of the {device['biometricKey']}")
    return "".join(dict.fromkeys(said))


def cbor(data, at=0, depth=4):
    """A value of the kinds that a COSE key and an authenticator's extensions are written in, and where it ends."""
    require(at < len(data) and depth > 0, "CBOR that ends too early, or is nested too deeply")
    kind, short = data[at] >> 5, data[at] & 31
    at += 1
    if kind == 7:
        require(short in (20, 21, 22), "CBOR that is not accepted here")
        return {20: False, 21: True, 22: None}[short], at
    require(short < 28, "CBOR of an indefinite length")
    size = 0 if short < 24 else 1 << (short - 24)
    require(at + size <= len(data), "CBOR that ends too early")
    number = short if size == 0 else int.from_bytes(data[at : at + size], "big")
    require(size == 0 or number >= {1: 24, 2: 1 << 8, 4: 1 << 16, 8: 1 << 32}[size], "CBOR that could be shorter")
    at += size
    if kind in (0, 1):
        return (number if kind == 0 else -1 - number), at
    if kind in (2, 3):
        require(number <= len(data) - at, "CBOR that ends too early")
        value = bytes(data[at : at + number])
        return (value if kind == 2 else value.decode()), at + number
    require(kind in (4, 5), "CBOR with a tag")
    values = []
    for _ in range(number * (kind - 3)):
        value, at = cbor(data, at, depth - 1)
        values.append(value)
    if kind == 4:
        return values, at
    pairs = list(zip(values[::2], values[1::2]))
    return distinct(pairs), at


def cose_verify(encoded, signature, signed):
    """Verifies by a COSE_Key (RFC 9052 section 7) of one of the three algorithms that passkeys are asked for."""
    key, end = cbor(encoded)
    require(end == len(encoded) and isinstance(key, dict), "the passkey's key is not a COSE_Key")
    try:
        if (key.get(1), key.get(3), key.get(-1)) == (2, -7, 1) and len(key) == 5:
            x, y = (int.from_bytes(key[label], "big") for label in (-2, -3))
            ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key().verify(
                signature, signed, ec.ECDSA(hashes.SHA256())
            )
        elif (key.get(1), key.get(3), key.get(-1)) == (1, -8, 6) and len(key) == 4:
            ed25519.Ed25519PublicKey.from_public_bytes(key[-2]).verify(signature, signed)
        elif (key.get(1), key.get(3)) == (3, -257) and len(key) == 4:
            modulus, exponent = (int.from_bytes(key[label], "big") for label in (-1, -2))
            require(modulus.bit_length() >= 2048, "the passkey's key is too short")
            rsa.RSAPublicNumbers(exponent, modulus).public_key().verify(
                signature, signed, padding.PKCS1v15(), hashes.SHA256()
            )
        else:
            raise Fault("the passkey's key has no accepted algorithm")
    except InvalidSignature:
        raise Fault("the passkey's signature is wrong") from None
    except (ValueError, TypeError):
        raise Fault("the passkey's key is not valid for its algorithm") from None


def can_be_app(origin):
    """Whether it is what Android states for an app, or what a browser or Apple's systems state for one, to the letter."""
    android = "android:apk-key-hash:"
    if origin.startswith(android):
        return len(decode(origin.removeprefix(android))) == 32
    web = re.fullmatch(r"https://[a-z0-9-]+(\.[a-z0-9-]+)*(?::([1-9][0-9]{0,4}))?", origin, re.ASCII)
    return bool(web) and len(origin) <= 255 and int(web[2] or 1) < 65536 and web[2] != "443"


def check_passkey(evidence, attempt):
    """WebAuthn section 7.2, with the challenge made again."""
    passkey = attempt["passkey"]
    site = urlsplit(evidence["iss"])
    usual = {"https": 443, "http": 80}[site.scheme]
    origin = f"{site.scheme}://{site.hostname}" + ("" if site.port in (None, usual) else f":{site.port}")
    if attempt["verification"]["channel"] == "DEVICE":
        # An app, or a website, that the site names to the person's device.
        origin = passkey["origin"]
        require(can_be_app(origin), "the passkey was asked for by no app")
    require(passkey["rpId"] == site.hostname and passkey["origin"] == origin, "the passkey is for another site")
    data, signature = decode(passkey["clientDataJSON"]), decode(passkey["signature"])
    client = parse(data)
    require(client["type"] == "webauthn.get", "the passkey's signature is of another ceremony")
    require(client["origin"] == origin, "the passkey was asked for by a page of another origin")
    require(client.get("crossOrigin", False) is False and "topOrigin" not in client, "the page was in a frame")
    challenge, browser = decode(client["challenge"]), decode(passkey["browser"])
    require(len(challenge) >= 48 and len(browser) == 32, "the passkey's challenge is too short")
    made = hashlib.sha256(b"wallet-passkey-sca-v1\0" + evidence["eventId"].encode() + b"\0")
    made.update(decode(evidence["operationHash"]) + browser + challenge[:-32])
    require(challenge[-32:] == made.digest(), "the passkey's challenge is for another operation, event or browser")
    said = decode(passkey["authenticatorData"])
    require(len(said) >= 37, "the authenticator's data are too short")
    require(said[:32] == hashlib.sha256(site.hostname.encode()).digest(), "the passkey is another site's")
    flags = said[32]
    require(flags & 0x01, "the authenticator was not touched")
    require(flags & 0x04, "the authenticator did not verify the person")
    require(flags & 0x08 or not flags & 0x10, "the authenticator's data contradict each other")
    require(not flags & 0x40, "the passkey's signature contains a key")
    require((cbor(said, 37)[1] if flags & 0x80 else 37) == len(said), "something follows the authenticator's data")
    require(16 <= len(decode(passkey["credentialId"])) <= 1023, "the passkey's id is too short or too long")
    cose_verify(decode(passkey["publicKey"]), signature, said + hashlib.sha256(data).digest())


def check_code(evidence, operation, counted):
    authorization = evidence["authorization"]
    code = authorization["code"]
    _, claims = verified(code, lambda _: [authorization["key"]], "wallet-operation+jwt")
    require(authorization["codeHash"] == encode(hashlib.sha256(code.encode()).digest()), "another code's hash")
    expected = {"iss": evidence["iss"], "aud": evidence["clientId"], "sub": evidence["accountId"]}
    expected |= {"walletOperationId": evidence["walletOperationId"], "jti": authorization["jti"]}
    expected |= {name: operation.get(name) for name in ("type", "amount", "payee", "details")}
    for name, value in expected.items():
        require(claims.get(name) == value, f"the authentication code has a different {name}")
    if evidence["decision"]["status"] == "EXEMPT":
        require(claims["sca"]["status"] == "EXEMPT", "the authentication code rests on a consent")
        require(claims["sca"].get("exemption") == evidence["decision"].get("exemption"), "another exemption")
    else:
        require(claims["sca"]["status"] == "VERIFIED", "the authentication code does not rest on a consent")
        require(claims["sca"]["eventId"] == evidence["eventId"], "the authentication code is of another event")
        require(claims["sca"]["operationHash"] == evidence["operationHash"], "the code is for other bytes")
        require(claims["sca"].get("ver") == 2, "the authentication code has a version that is not known here")
        require(set(claims["sca"].get("amr", [])) == counted, "the code names factors other than those that counted")


def check(document, keys):
    """The operation's state, and what the document proves."""
    def audit_keys(header):
        # A key that a server made after a restore may have the name of one that it lost.
        named = [key for key in keys if key["kid"] == header.get("kid")]
        require(named, f"it is signed by a key that is not one of those given. {EXPORT_AGAIN}")
        return named

    _, evidence = verified(document, audit_keys, OPERATION)
    signed = [attempt for attempt in evidence["attempts"] if "passkey" in attempt]
    pushed = any(one.get("verification") == PUSH for one in evidence["steps"] + evidence["attempts"])
    withdrawn = [step for step in evidence["steps"] if "withdrawn" in step]
    require(evidence["ver"] == (4 if withdrawn else 3 if pushed else 2 if signed else 1), "another version")
    for step in withdrawn:
        require(step["withdrawn"] is True and step["step"] == "refused", "a step is no withdrawal")
    content = decode(evidence["operation"])
    operation = parse(content)
    shown = encode(hashlib.sha256(b"wallet-sca-v1\0" + content).digest())
    require(evidence["operationHash"] == shown, "the hash is not that of the operation's bytes")
    for name, own in (("eventId", "eventId"), ("walletOperationId", "walletOperationId"), ("clientId", "clientId"), ("account", "accountId")):
        require(operation[name] == evidence[own], f"the operation's bytes have a different {name}")
    for step in evidence["steps"]:
        require("audit" in step or step["step"] in ("challenged", "voided"), "a step names no entry of the audit log")
    entries = [step["audit"] for step in evidence["steps"] if "audit" in step]
    require(len({entry["partition"] for entry in entries}) <= 1, "the steps' entries belong to several chains")
    numbers = [entry["seq"] for entry in entries]
    require(numbers == sorted(set(numbers)), "the steps' entries are not in the order of the steps")
    steps = {step["step"]: step for step in evidence["steps"]}
    right = [attempt for attempt in evidence["attempts"] if attempt["right"]]
    for attempt in right:
        by_push = attempt["verification"] == PUSH
        by_passkey = attempt["verification"]["method"] == "PASSKEY"
        by_device = by_push or (attempt["verification"]["channel"] == "DEVICE" and not by_passkey)
        require(by_device == ("device" in attempt), "a signature is missing")
        require(by_push == ("sessionId" in attempt), "the approving session is missing")
        require(attempt.get("sessionId") != evidence["sessionId"], "the session that asked approved it")
        if "device" in attempt:
            check_device(evidence, attempt)
        require(by_passkey == ("passkey" in attempt), "a signature is missing")
        if "passkey" in attempt:
            check_passkey(evidence, attempt)
    require(all(attempt["right"] for attempt in signed), "a wrong value has a signature")
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
    end = ", withdrawn in the session that asked" if withdrawn else ""
    if exempt:
        return evidence["status"], f"exempt, {evidence['decision'].get('exemption', 'by the operator’s rule')}{end}"
    return evidence["status"], f"{' and '.join(sorted(proved)) or 'no consent'}{vouchers(right)}{end}"


def main(path, keyfile):
    try:
        with open(keyfile, encoding="utf-8") as file:
            # A key without a name fails here.
            keys = [key | {"kid": key["kid"]} for key in json.load(file)["keys"]]
    except OSError as error:
        print(f"{keyfile} cannot be read: {error.strerror}", file=sys.stderr)
        return 1
    except (ValueError, KeyError, TypeError, RecursionError):
        print(f"{keyfile} has no audit keys: it must be the output of `walletauth audit key`", file=sys.stderr)
        return 1
    try:
        # As it came: Python would read CR LF as the one LF that may follow.
        with open(path, encoding="utf-8", newline="") as file:
            document = file.read()
        status, proof = check(document.removesuffix("\n"), keys)
        print(f"HOLDS {status}: {proof}")
        return 0 if status in AGREED else 3
    except OSError as error:
        print(f"{path} cannot be read: {error.strerror}", file=sys.stderr)
    except Fault as fault:
        print("FAULT", fault)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        print("FAULT it is not in the form of evidence:", type(error).__name__)
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
