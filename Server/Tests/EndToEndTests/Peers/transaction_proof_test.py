"""Changes proofs in every place and way, and demands that transaction_proof.py refuses each of them.

    transaction_proof_test.py                        a proof made here, with keys made here
    transaction_proof_test.py FILE --keys KEYS.json  the characters of a real one as well

First each character is changed, doubled, and taken out. Then a hostile server, which has the audit key, signs proofs whose
statements contradict each other: for those the reason is compared as well, so that none is refused by accident. Prints one JSON
object with what was tried, and exits with 1 where a changed proof held.
"""

import argparse
import copy
import hashlib
import json
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

import transaction_proof as verifier
from transaction_proof import digest, encode, thumbprint

TIME = 1_800_000_000_000
ACCOUNT = "0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c11"
TRANSACTION = "01a20ae5-10e1-7d90-8624-411448b9b4b1"
PHONE = "01a20ae4-8e50-7822-9242-7c0ca8d269fb"
OTHER_ID = "5f0c7b52-9d60-4ed4-8f6e-4c2f8e6d7a22"
NONCE = encode(bytes(range(32)))
AUDIT, DEVICE, STRANGER = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def jwk(key, **more):
    numbers = key.public_key().public_numbers()
    x, y = (encode(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
    return {"kty": "EC", "crv": "P-256", "x": x, "y": y, **more}


def jws(header, payload, key):
    data = payload if isinstance(payload, bytes) else compact(payload)
    signed = f"{encode(compact(header))}.{encode(data)}"
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{signed}.{encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def payload(**changes):
    value = {
        "account": ACCOUNT, "amount": {"currency": "EUR", "value": "1250"}, "clientId": "shop", "expiresAt": TIME // 1000 + 300,
        "id": TRANSACTION, "nonce": NONCE, "origin": "server", "payee": {"account": "DE02120300000000202051", "name": "Café Zürich"},
        "requiredSecondFactorType": "ANY", "type": "PAYMENT", "ver": 1, **changes,
    }  # fmt: skip
    return compact(dict(sorted((name, member) for name, member in value.items() if member is not None)))


def hash_of(content):
    return digest(b"wallet-transaction-v1\0" + content)


def assertion(content, key=DEVICE, header=None, **changes):
    said = {
        "aud": "https://id.example", "sub": ACCOUNT, "enr": PHONE, "epoch": 1, "cid": OTHER_ID, "nonce": NONCE, "pur": "transaction",
        "txid": TRANSACTION, "txh": hash_of(content), "decision": "approve", "factor": "PIN", "iat": TIME // 1000 + 60, **changes,
    }  # fmt: skip
    return jws({"typ": "wallet-auth+jws", "alg": "ES256", "kid": thumbprint(jwk(key)), **(header or {})}, said, key)


def signed(content=None, **of_device):
    content = content or payload()
    audit = lambda number: {"partition": 3, "seq": number, "link": encode(hashlib.sha256(bytes([number])).digest())}
    states = ("CREATED", "CLAIMED", "CONFIRMED", "SIGNED")
    return {
        "ver": 1, "iss": "https://id.example", "transactionId": TRANSACTION, "origin": "server", "clientId": "shop", "accountId": ACCOUNT,
        "status": "SIGNED", "payload": encode(content), "payloadHash": hash_of(content), "createdAt": TIME,
        "expiresAt": TIME + 300_000, "endedAt": TIME + 60_000, "secondFactor": "PIN",
        "device": {"id": PHONE, "key": jwk(DEVICE), "signature": assertion(content, **of_device)},
        "steps": [{"status": s, "at": TIME + 20_000 * i, "from": {"address": "192.0.2.7"}, "audit": audit(i)} for i, s in enumerate(states)],
    }  # fmt: skip


APPLE = {
    "platform": "apple", "environment": "production", "app": "ABCDE12345.com.example.wallet", "attestedAt": TIME // 1000 - 90,
}  # fmt: skip
ANDROID = APPLE | {"platform": "android", "app": "com.example.wallet", "keyLevel": "strongbox"}


def vouched(attestation=None, factor="PIN", **members):
    """A signed proof with what vouched for app and biometric key."""
    of_device = {"factor": factor, "epoch": 1 if factor == "PIN" else 0}
    proof = signed(**of_device) | {"secondFactor": factor}
    proof["device"] |= ({"attestation": attestation} if attestation else {}) | members
    return proof


ORDER = [
    "ver", "iss", "transactionId", "origin", "clientId", "accountId", "status", "reason", "cancellation", "payload", "payloadHash",
    "createdAt", "expiresAt", "endedAt", "secondFactor", "device", "steps",
]  # fmt: skip


def document(proof, key=AUDIT, **header):
    """A JWS of the proof. `walletauth transaction verify` reads members in the server's order only, so they get it here."""
    if isinstance(proof, dict):
        proof = {name: proof[name] for name in (*ORDER, *(proof.keys() - set(ORDER))) if name in proof}
    return jws({"typ": verifier.TYPE, "alg": "ES256", "kid": "audit-1", **header}, proof, key)


KEYS = [jwk(AUDIT, kid="audit-1")]


def changed(**members):
    """A proof with other members; None takes one out."""
    proof = signed() | members
    return {name: value for name, value in proof.items() if value is not None}


def at(path, value):
    proof = signed()
    part = proof
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    return proof


def steps(*states, **members):
    """A proof in another state, with those steps."""
    proof = signed()
    by_name = {step["status"]: step for step in proof["steps"]}
    proof["steps"] = [{**copy.deepcopy(by_name.get(s, proof["steps"][-1])), "status": s} for s in states]
    for name, value in members.items():
        proof[name] = value
    return {name: value for name, value in proof.items() if value is not None}


def ended(status, *states, **members):
    """An unsigned one."""
    at_end = TIME + 60_000 if states[-1] == status != "CLAIMED" else None
    return steps(*states, status=status, **{"device": None, "secondFactor": None, "endedAt": at_end, **members})


def withheld(status, *states, **members):
    """An unsigned one of a code without an account: from the claim on, the proof names no person."""
    proof = ended(status, *states, accountId=None, payload=None, payloadHash=None, **members)
    proof["steps"] = [step if step["status"] == "CREATED" else {n: step[n] for n in ("status", "at")} for step in proof["steps"]]
    return proof


OTHER = payload(amount={"currency": "EUR", "value": "9250"})
HOLD = {
    "signed": signed(),
    "by biometric key": changed(secondFactor="BIOMETRIC", device=signed(factor="BIOMETRIC", epoch=0)["device"]),
    "of an attested app": vouched(APPLE),
    "of an attested key, by biometric key": vouched(ANDROID, "BIOMETRIC", biometricKey="key"),
    "rejected": ended("REJECTED", "CREATED", "CLAIMED", "REJECTED", reason="UNEXPECTED"),
    "failed": ended("FAILED", "CREATED", "CLAIMED", "CONFIRMED", "FAILED"),
    "cancelled": ended("CANCELLED", "CREATED", "CANCELLED", cancellation="BACKEND", payload=None, payloadHash=None),
    "voided by a restore": ended("CANCELLED", "CREATED", "CLAIMED", cancellation="RESTORE", endedAt=TIME + 60_000),
    "voided by a restore later": ended("CANCELLED", "CREATED", "CLAIMED", cancellation="RESTORE", endedAt=TIME + 3_600_000),
    "of a removed device": ended("CANCELLED", "CREATED", "CLAIMED", cancellation="DEVICE_REMOVED", endedAt=TIME + 60_000),
    "signed by the device 330 seconds before": signed(iat=TIME // 1000 + 60 - 330),
    "signed by the device 330 seconds and a half before": signed(iat=TIME // 1000 + 60 - 330)
    | {"endedAt": TIME + 60_999, "steps": at(["steps", 3, "at"], TIME + 60_999)["steps"]},
    "signed by the device 30 seconds after": signed(iat=TIME // 1000 + 90),
    "open for 15 minutes": ended("CREATED", "CREATED", payload=None, payloadHash=None, endedAt=None, expiresAt=TIME + 900_000),
    "of text that no request may have today": signed(payload(payee={"account": "", "name": "Caf\u202eé\n" * 100})),
    "expired": ended("EXPIRED", "CREATED", "CLAIMED"),
    "claimed": ended("CLAIMED", "CREATED", "CLAIMED"),
    "claimed by a person who is not told": withheld("CLAIMED", "CREATED", "CLAIMED"),
    "rejected by a person who is not told": withheld("REJECTED", "CREATED", "CLAIMED", "REJECTED", reason="OTHER"),
    "cancelled after a person who is not told": withheld("CANCELLED", "CREATED", "CLAIMED", "CANCELLED", cancellation="BACKEND"),
    "after erasure": at(["steps"], [{n: v for n, v in step.items() if n != "from"} for step in signed()["steps"]]),
}
# What a server that has the audit key could say, and by what it is found out.
CONTRADICTIONS = [
    ("payload of another transaction", changed(payload=encode(OTHER)), "hash is not that"),
    ("payload and hash of another", changed(payload=encode(OTHER), payloadHash=hash_of(OTHER)), "another txh"),
    ("payload that is not canonical", signed(payload().replace(b",", b", ")), "not canonical"),
    ("payload with a member twice", signed(payload().replace(b'"ver"', b'"type":"PAYMENT","ver"')), "occurs twice"),
    ("payload of version 3", signed(payload(ver=3)), "unknown version"),
    ("payload with another member", signed(payload(fee="1")), "other members"),
    ("payload of an app's own, as a payment", signed(payload(origin="client")), "origin is not that"),
    ("payload of nothing", signed(payload(payee=None, amount=None)), "neither payee nor lines"),
    ("payload of an amount without a payee", signed(payload(payee=None)), "without a payee"),
    ("payload of a fraction", signed(payload(amount={"currency": "EUR", "value": "12.50"})), "no whole number"),
    ("payload of a number", signed(payload(reference=1)), "is none"),
    ("payload of one label twice", signed(payload(lines=[{"label": "a", "value": "1"}, {"label": "a", "value": "2"}])), "label"),
    ("payload that is too long", signed(payload(reference="x" * 9000)), "8 KiB"),
    ("payload of another account", signed(payload(account=OTHER_ID)), "another account"),
    ("payload of another client", signed(payload(clientId="other")), "another clientId"),
    ("payload of another id", signed(payload(id=OTHER_ID)), "another id"),
    ("payload that expires later", signed(payload(expiresAt=TIME // 1000 + 301)), "another expiresAt"),
    ("no payload", changed(payload=None), "payload does not fit"),
    ("no hash", changed(payloadHash=None), "do not go together"),
    ("signature by another key", signed(key=STRANGER), "none of those given"),
    ("signature by another key in the device's name", signed(key=STRANGER, header={"kid": thumbprint(jwk(DEVICE))}), "is wrong"),
    ("another device's key", at(["device", "key"], jwk(STRANGER)), "none of those given"),
    ("a device's signature by none", signed(header={"alg": "none"}), "another algorithm"),
    ("a device's signature of another kind", signed(header={"typ": "wallet-auth-request+jws"}), "no wallet-auth+jws"),
    ("a device's signature with a critical header", signed(header={"crit": ["x"]}), "other members"),
    ("a sign-in's assertion", signed(pur="login"), "another pur"),
    ("a rejection", signed(decision="reject"), "another decision"),
    ("over another transaction", signed(txid=OTHER_ID), "another txid"),
    ("over another prefix", signed(txh=digest(b"wallet-sca-v1\0" + payload())), "another txh"),
    ("for another issuer", signed(aud="https://other.example"), "another aud"),
    ("for another account", signed(sub=OTHER_ID), "another sub"),
    ("for another device", signed(enr=OTHER_ID), "another enr"),
    ("by another factor than it says", signed(factor="BIOMETRIC", epoch=0), "another factor"),
    ("of a PIN without epoch", signed(epoch=0), "epoch"),
    ("with an epoch that is no number", signed(epoch=True), "epoch"),
    ("over no challenge", signed(cid=""), "no challenge"),
    ("an hour before", signed(iat=TIME // 1000 - 3600), "another time"),
    ("331 seconds before", signed(iat=TIME // 1000 + 60 - 331), "another time"),
    ("360 seconds before", signed(iat=TIME // 1000 + 60 - 360), "another time"),
    ("120 seconds after", signed(iat=TIME // 1000 + 60 + 120), "another time"),
    ("from the future", signed(iat=TIME // 1000 + 91), "another time"),
    ("a PIN where a look at the holder was asked for", signed(payload(requiredSecondFactorType="BIOMETRIC")), "asks for another"),
    ("an app attested after it signed", vouched(APPLE | {"attestedAt": TIME // 1000 + 121}), "attested after"),
    ("an app of an unknown platform", vouched(APPLE | {"platform": "other"}), "no such thing|other"),
    ("an app of an unknown environment", vouched(APPLE | {"environment": "beta"}), "unknown environment"),
    ("an app attested by a statement", vouched(APPLE | {"receipt": "AAAA"}), "other members"),
    ("a PIN by the word of the app", vouched(APPLE, biometricKey="app"), "did not sign"),
    ("a biometric key by the word of an unknown", vouched(APPLE, "BIOMETRIC", biometricKey="server"), "unknown"),
    ("signed, and no signature", changed(device=None), "does not fit the state"),
    ("signed without confirmation", steps("CREATED", "CLAIMED", "SIGNED"), "state does not follow"),
    ("signed before it was confirmed", steps("CREATED", "CLAIMED", "SIGNED", "CONFIRMED"), "state does not follow"),
    ("signed after a rejection", steps("CREATED", "CLAIMED", "REJECTED", "SIGNED"), "state does not follow"),
    ("signed twice", steps("CREATED", "CLAIMED", "CONFIRMED", "SIGNED", "SIGNED"), "state does not follow"),
    ("no step", changed(steps=[]), "no step"),
    ("rejected, and signed for", steps("CREATED", "CLAIMED", "REJECTED", status="REJECTED", reason="OTHER"), "does not fit the state"),
    ("rejected without a reason", ended("REJECTED", "CREATED", "CLAIMED", "REJECTED"), "reason does not fit"),
    ("signed for a reason", changed(reason="OTHER"), "reason does not fit"),
    ("cancelled without a canceller", ended("CANCELLED", "CREATED", "CANCELLED", payload=None, payloadHash=None), "does not follow|cancellation"),
    ("an app's own that was rejected", ended("REJECTED", "REJECTED", origin="client", reason="OTHER"), "state does not follow"),
    ("a state that is unknown", changed(status="PAID"), "state does not follow"),
    ("steps an hour apart, backwards", at(["steps", 1, "at"], TIME + 3_600_000), "out of order"),
    ("signed after the end", signed(payload(expiresAt=TIME // 1000 + 59)) | {"expiresAt": TIME + 59_999}, "expired"),
    ("signed at the end", signed(payload(expiresAt=TIME // 1000 + 60)) | {"expiresAt": TIME + 60_000}, "expired"),
    ("claimed after the end", at(["steps", 1, "at"], TIME + 300_001), "out of order|expired"),
    (
        "open for a millisecond too long",
        ended("CREATED", "CREATED", payload=None, payloadHash=None, endedAt=None, expiresAt=TIME + 900_001),
        "15 minutes",
    ),
    ("open for a day", at(["expiresAt"], TIME + 86_400_000), "15 minutes"),
    ("created at another time", changed(createdAt=TIME - 1_000), "first step"),
    ("created an hour before", changed(createdAt=TIME - 3_600_000), "15 minutes"),
    ("ended at another time", changed(endedAt=TIME + 61_000), "ended at another time"),
    ("ended 61 seconds after its signature", changed(endedAt=TIME + 121_000), "ended at another time"),
    (
        "a device that was removed after the end",
        ended("CANCELLED", "CREATED", "CLAIMED", cancellation="DEVICE_REMOVED", endedAt=TIME + 300_000),
        "ended at another time",
    ),
    ("signed without an account", changed(accountId=None), "a payload without an account|other"),
    ("signed without an account and a payload", changed(accountId=None, payload=None, payloadHash=None), "does not fit"),
    ("a step without an entry of the audit log", at(["steps", 3], {n: v for n, v in signed()["steps"][3].items() if n != "audit"}), "other members"),
    ("a person who is not told, and an entry of the audit log", withheld("CLAIMED", "CREATED", "CLAIMED") | {"steps": signed()["steps"][:2]}, "other members"),
    ("a person who is not told, and a payload", withheld("CLAIMED", "CREATED", "CLAIMED") | {n: signed()[n] for n in ("payload", "payloadHash")}, "does not fit"),
    ("one entry of the audit log for two steps", at(["steps", 1, "audit", "seq"], 0), "two steps"),
    ("a link that is none", at(["steps", 1, "audit", "link"], "AAAA"), "32 bytes"),
    ("another member", changed(note="trust me"), "other members"),
    ("another version", changed(ver=2), "unknown version"),
    ("a version that is true", changed(ver=True), "unknown version"),
]  # fmt: skip


def forgeries():
    """Documents that are wrong on the outside, with the reason that is due."""
    good = document(signed())
    header, body, signature = good.split(".")
    for name in ("none", "None", "HS256", "ES384", "RS256"):
        forged = encode(compact({"typ": verifier.TYPE, "alg": name, "kid": "audit-1"}))
        yield f"algorithm {name}", f"{forged}.{body}.{signature}", "another algorithm"
        yield f"algorithm {name}, no signature", f"{forged}.{body}.", "another algorithm"
    yield "another audit key of the same name", document(signed(), STRANGER), "is wrong"
    yield "an audit key that is not given", document(signed(), STRANGER, kid="audit-2"), "none of those given"
    yield "a key in the header", document(signed(), STRANGER, jwk=jwk(STRANGER)), "other members"
    yield "a document of another kind", document(signed(), typ="wallet-operation-evidence+jwt"), f"no {verifier.TYPE}"
    twice = compact(signed())[:-1] + b',"status":"SIGNED"}'
    yield "a member twice", document(twice), "occurs twice"
    yield "the header of another document", f"{document(signed(), typ='JWT').split('.')[0]}.{body}.{signature}", "no "
    other = document(changed(iss="https://other.example")).split(".")[2]
    yield "the signature of another document", f"{header}.{body}.{other}", "is wrong"
    raw = verifier.decode(signature)
    yield "half a signature", f"{header}.{body}.{encode(raw[:32])}", "64 bytes"
    yield "a signature of zeros", f"{header}.{body}.{encode(bytes(64))}", "is wrong"
    r, s = (int.from_bytes(part, "big") for part in (raw[:32], raw[32:]))
    yield "a signature in DER", f"{header}.{body}.{encode(utils.encode_dss_signature(r, s))}", "64 bytes"
    yield "padding", good + "==", "canonical"
    for name, ending in {
        "two line feeds": "\n\n", "a carriage return": "\r", "CR LF": "\r\n", "a line feed, then CR LF": "\n\r\n",
        "a space": " ", "a line feed, then a space": "\n ",
    }.items():  # fmt: skip
        yield f"{name} at the end", good + ending, "form"
    yield "a line feed at the beginning", "\n" + good, "form"
    yield "nothing", "", "compact"
    yield "a line feed alone", "\n", "compact"


def characters(text):
    """Each character changed in its lowest bit, to another of the alphabet, to a dot and to what is no ASCII; doubled; taken out."""
    for place, letter in enumerate(text):
        letter = letter.encode()
        before, after = text[:place].encode(), text[place + 1 :].encode()
        for other in {bytes([letter[0] ^ 1]), b"A", b"_", b".", b"\n", b"\xff", b"", letter * 2} - {letter}:
            # Doubling the last dot of two, or taking out one of two equal letters, is a change as well.
            if (mutant := before + other + after) != text.encode():
                yield place, mutant


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--keys")
    given = parser.parse_args()
    told, faults = {}, []

    def expect(name, text, keys, reason):
        outcome = verifier.outcome(text.encode() if isinstance(text, str) else text, keys)
        if reason is None:
            if not outcome["holds"]:
                faults.append(f"{name}: refused, {outcome['reason']}")
        elif outcome["holds"] or not any(part in outcome["reason"] for part in reason.split("|")):
            faults.append(f"{name}: {outcome if outcome['holds'] else outcome['reason']}")

    for name, proof in HOLD.items():
        expect(name, document(proof), KEYS, None)
        expect(f"{name}, a line feed at the end", document(proof) + "\n", KEYS, None)
    for name, proof, reason in CONTRADICTIONS:
        expect(name, document(proof), KEYS, reason)
    outside = list(forgeries())
    for name, text, reason in outside:
        expect(name, text, KEYS, reason)
    told |= {"hold": len(HOLD), "contradictions": len(CONTRADICTIONS), "forgeries": len(outside)}

    texts = [("made here", document(signed()), KEYS)]
    if given.file:
        with open(given.file, encoding="ascii") as file, open(given.keys, encoding="utf-8") as keys:
            # One line feed at the end may go or come, so it is none of the characters that are changed.
            texts.append((given.file, file.read().removesuffix("\n"), json.load(keys)["keys"]))
    for name, text, keys in texts:
        expect(name, text, keys, None)
        count = 0
        for place, mutant in characters(text):
            count += 1
            expect(f"{name}, character {place}", mutant, keys, "")
        told[f"characters of {name}"] = count
    print(json.dumps(told | {"faults": faults}, ensure_ascii=False))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
