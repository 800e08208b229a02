#!/usr/bin/env python3
"""Writes what platforms attest, as tests read it: made by cryptography, a second author of certificates, CBOR and DER.

    scripts/make_attestation_vectors.py > Server/Tests/SignInDevicesTests/Attestation/AttestationVectors.swift

The benchmarks have theirs made here as well. The keys are new each time; the tests do not depend on them.
"""
import base64
import datetime
import hashlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

APP, PACKAGE, PACKAGE_CERTIFICATE = "ABCDE12345.com.example.wallet", "com.example.wallet", b"\xab" * 32
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


AUTHORITY = (x509.BasicConstraints(True, None), True), (x509.KeyUsage(*[False] * 5, True, True, False, False), True)


class Authority:
    """A root of P-384, and issuers of the given curves, each certified by the one before. The last one certifies keys."""

    def __init__(self, *curves):
        key = ec.generate_private_key(ec.SECP384R1())
        self.root = certificate("Root", key.public_key(), "Root", key, hashes.SHA384(), *AUTHORITY)
        self.issuers, self.issuer, self.key = [], "Root", key
        for number, curve in enumerate(curves, 1):
            key, issuer = ec.generate_private_key(curve), f"CA {number}"
            algorithm = hashes.SHA384() if isinstance(self.key.curve, ec.SECP384R1) else hashes.SHA256()
            made = certificate(issuer, key.public_key(), self.issuer, self.key, algorithm, *AUTHORITY)
            self.issuers.insert(0, made.public_bytes(serialization.Encoding.DER))
            self.issuer, self.key = issuer, key

    def chain(self, key, oid, value):
        """In DER, the key's own certificate first, without the root."""
        leaf = certificate(
            "Key", key.public_key(), self.issuer, self.key, hashes.SHA256(), (x509.BasicConstraints(False, None), True),
            (x509.KeyUsage(True, *[False] * 8), True),
            (x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), value), False))
        return [leaf.public_bytes(serialization.Encoding.DER), *self.issuers]


def cose(key):
    """The public half of a key of P-256 as a COSE_Key."""
    return cbor({1: 2, 3: -7, -1: 1, -2: point(key)[1:33], -3: point(key)[33:]})


def app_attest(authority, key, challenge):
    identifier = hashlib.sha256(point(key)).digest()
    data = hashlib.sha256(APP.encode()).digest() + b"\x40" + bytes(4) + b"appattest" + bytes(7)
    data += b"\x00\x20" + identifier + cose(key)
    nonce = hashlib.sha256(data + challenge).digest()
    certificates = authority.chain(key, "1.2.840.113635.100.8.2", der(b"\x30", explicit(1, octets(nonce))))
    return cbor(
        {"fmt": "apple-appattest", "attStmt": {"x5c": certificates, "receipt": bytes(range(200))}, "authData": data})


def app_attest_assertion(key, counter, challenge):
    signed = hashlib.sha256(APP.encode()).digest() + b"\x40" + counter.to_bytes(4, "big")
    signature = key.sign(hashlib.sha256(signed + challenge).digest(), ec.ECDSA(hashes.SHA256()))
    return cbor({"signature": signature, "authenticatorData": signed})


def android(authority, key, challenge):
    application = der(
        b"\x30", der(b"\x31", der(b"\x30", octets(PACKAGE.encode()), integer(42))),
        der(b"\x31", octets(PACKAGE_CERTIFICATE)))
    software = der(b"\x30", explicit(701, integer(1_700_000_000_000)), explicit(709, octets(application)))
    hardware = der(
        b"\x30", explicit(1, der(b"\x31", integer(2), integer(3))), explicit(2, integer(3)), explicit(3, integer(256)),
        explicit(5, der(b"\x31", integer(4))), explicit(10, integer(1)), explicit(504, integer(2)),
        explicit(702, integer(0)),
        explicit(704, der(b"\x30", octets(bytes(32)), b"\x01\x01\xff", b"\x0a\x01\x00", octets(bytes(32)))),
        explicit(705, integer(150000)), explicit(706, integer(202611)))
    description = der(
        b"\x30", integer(400), b"\x0a\x01\x02", integer(400), b"\x0a\x01\x02", octets(challenge), octets(b""), software,
        hardware)
    return authority.chain(key, "1.3.6.1.4.1.11129.2.1.17", description)


def literal(title, data):
    text = base64.b64encode(data).decode()
    lines = "\\\n".join(" " * 8 + text[at:at + 100] for at in range(0, len(text), 100))
    return f'    static let {title} = """\n{lines}\n        """\n'


def main():
    authority = Authority(ec.SECP384R1())
    apple_key, android_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    android_leaf, android_intermediate = android(authority, android_key, CHALLENGE)
    print("/// Written by scripts/make_attestation_vectors.py. Each value is base64.\nenum AttestationVectors {")
    print(literal("root", authority.root.public_bytes(serialization.Encoding.PEM)))
    print(literal("attestation", app_attest(authority, apple_key, CHALLENGE)))
    print(literal("assertion", app_attest_assertion(apple_key, 7, CHALLENGE)))
    print(literal("androidKey", point(android_key)[1:]))
    print(literal("androidLeaf", android_leaf))
    print(literal("androidIntermediate", android_intermediate), end="}\n")


if __name__ == "__main__":
    main()
