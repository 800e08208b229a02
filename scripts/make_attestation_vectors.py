#!/usr/bin/env python3
"""Writes what platforms attest, as tests read it: made by cryptography, a second author of certificates, CBOR and DER.

    scripts/make_attestation_vectors.py > Server/Tests/AuthFlowsTests/Attestation/AttestationVectors.swift

The keys are new each time; the tests do not depend on them.
"""
import base64
import datetime
import hashlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

APP = "ABCDE12345.com.example.wallet"
CHALLENGE = hashlib.sha256(b"challenge").digest()
START, END = datetime.datetime(2020, 1, 1), datetime.datetime(2049, 1, 1)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(subject, key, issuer, issuer_key, algorithm, *extensions):
    builder = x509.CertificateBuilder(
        name(issuer), name(subject), key, x509.random_serial_number(), START, END)
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(issuer_key, algorithm)


def der(tag, *parts):
    content = b"".join(parts)
    length = len(content)
    if length < 128:
        return tag + bytes([length]) + content
    size = (length.bit_length() + 7) // 8
    return tag + bytes([0x80 | size]) + length.to_bytes(size, "big") + content


def integer(number):
    return der(b"\x02", number.to_bytes(number.bit_length() // 8 + 1, "big"))


def octets(data):
    return der(b"\x04", data)


def explicit(number, content):
    tag = bytes([0xA0 | number]) if number < 31 else bytes([0xBF, 0x80 | number >> 7, number & 0x7F])
    return der(tag, content)


def cbor(value):
    def head(kind, number):
        if number < 24:
            return bytes([kind << 5 | number])
        size = 1 if number < 256 else 2
        return bytes([kind << 5 | 23 + size]) + number.to_bytes(size, "big")

    match value:
        case int():
            return head(0, value) if value >= 0 else head(1, -1 - value)
        case bytes():
            return head(2, len(value)) + value
        case str():
            return head(3, len(value)) + value.encode()
        case list():
            return head(4, len(value)) + b"".join(map(cbor, value))
        case dict():
            return head(5, len(value)) + b"".join(cbor(key) + cbor(member) for key, member in value.items())


def point(key):
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


root_key, intermediate_key = ec.generate_private_key(ec.SECP384R1()), ec.generate_private_key(ec.SECP384R1())
AUTHORITY = (x509.BasicConstraints(True, None), True), (x509.KeyUsage(*[False] * 5, True, True, False, False), True)
root = certificate("Root", root_key.public_key(), "Root", root_key, hashes.SHA384(), *AUTHORITY)
intermediate = certificate("CA 1", intermediate_key.public_key(), "Root", root_key, hashes.SHA384(), *AUTHORITY)


def chain(key, oid, value):
    leaf = certificate(
        "Key", key.public_key(), "CA 1", intermediate_key, hashes.SHA256(), (x509.BasicConstraints(False, None), True),
        (x509.KeyUsage(True, *[False] * 8), True), (x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), value), False))
    return [found.public_bytes(serialization.Encoding.DER) for found in (leaf, intermediate)]


def app_attest():
    key = ec.generate_private_key(ec.SECP256R1())
    identifier = hashlib.sha256(point(key)).digest()
    cose = {1: 2, 3: -7, -1: 1, -2: point(key)[1:33], -3: point(key)[33:]}
    data = hashlib.sha256(APP.encode()).digest() + b"\x40" + bytes(4) + b"appattest" + bytes(7)
    data += b"\x00\x20" + identifier + cbor(cose)
    nonce = hashlib.sha256(data + CHALLENGE).digest()
    certificates = chain(key, "1.2.840.113635.100.8.2", der(b"\x30", explicit(1, octets(nonce))))
    attestation = cbor(
        {"fmt": "apple-appattest", "attStmt": {"x5c": certificates, "receipt": bytes(range(200))}, "authData": data})
    signed = hashlib.sha256(APP.encode()).digest() + b"\x40" + (7).to_bytes(4, "big")
    signature = key.sign(hashlib.sha256(signed + CHALLENGE).digest(), ec.ECDSA(hashes.SHA256()))
    return attestation, cbor({"signature": signature, "authenticatorData": signed})


def android():
    key = ec.generate_private_key(ec.SECP256R1())
    application = der(
        b"\x30", der(b"\x31", der(b"\x30", octets(b"com.example.wallet"), integer(42))),
        der(b"\x31", octets(b"\xab" * 32)))
    software = der(b"\x30", explicit(701, integer(1_700_000_000_000)), explicit(709, octets(application)))
    hardware = der(
        b"\x30", explicit(1, der(b"\x31", integer(2), integer(3))), explicit(2, integer(3)), explicit(3, integer(256)),
        explicit(5, der(b"\x31", integer(4))), explicit(10, integer(1)), explicit(504, integer(2)),
        explicit(702, integer(0)),
        explicit(704, der(b"\x30", octets(bytes(32)), b"\x01\x01\xff", b"\x0a\x01\x00", octets(bytes(32)))),
        explicit(705, integer(150000)), explicit(706, integer(202611)))
    description = der(
        b"\x30", integer(400), b"\x0a\x01\x02", integer(400), b"\x0a\x01\x02", octets(CHALLENGE), octets(b""), software,
        hardware)
    return point(key)[1:], chain(key, "1.3.6.1.4.1.11129.2.1.17", description)


def literal(title, data):
    text = base64.b64encode(data).decode()
    lines = "\\\n".join(" " * 8 + text[at:at + 100] for at in range(0, len(text), 100))
    return f'    static let {title} = """\n{lines}\n        """\n'


attestation, assertion = app_attest()
android_key, android_chain = android()
print("/// Written by scripts/make_attestation_vectors.py. Each value is base64.\nenum AttestationVectors {")
print(literal("root", root.public_bytes(serialization.Encoding.PEM)))
print(literal("attestation", attestation))
print(literal("assertion", assertion))
print(literal("androidKey", android_key))
print(literal("androidLeaf", android_chain[0]))
print(literal("androidIntermediate", android_chain[1]), end="}\n")
