#!/usr/bin/env python3
"""WPIN-1 (docs/wpin-1.md) a second time, with nothing of the Swift code in it.

The group P-384, hashing to it (RFC 9380) and the VOPRF (RFC 9497) are plain integers here; HKDF, scrypt, ECDH and
ECDSA come from the package `cryptography`. Slow, and not in constant time: for test vectors alone.

    wpin1.py --write vectors.json             makes the vectors
    wpin1.py --check vectors.json             makes them again and compares to the byte
    wpin1.py --check-exchanges exchanges.json verifies exchanges that the Swift code wrote

Whatever is asked for, the published vectors of RFC 9380 and RFC 9497 are held against this program first. It ends with
1 where anything differs, and says what.
"""

import argparse
import base64
import hashlib
import json
import pathlib
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

# --- P-384 (SP 800-186 section 3.2.1.4), points as (x, y) or None for infinity

P = 2**384 - 2**128 - 2**96 + 2**32 - 1
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973
A = P - 3
B = 0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF
G = (
    0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
    0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F,
)


def add(p, q):
    if p is None:
        return q
    if q is None:
        return p
    if p[0] == q[0]:
        if (p[1] + q[1]) % P == 0:
            return None
        slope = (3 * p[0] * p[0] + A) * pow(2 * p[1], -1, P)
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, P)
    x = (slope * slope - p[0] - q[0]) % P
    return x, (slope * (p[0] - x) - p[1]) % P


def double_jacobian(x, y, z):
    """(X : Y : Z) is the point (X/Z², Y/Z³); one inversion at the end instead of one for each step. a = -3."""
    delta, gamma = z * z % P, y * y % P
    beta = x * gamma % P
    alpha = 3 * (x - delta) * (x + delta) % P
    x3 = (alpha * alpha - 8 * beta) % P
    return x3, (alpha * (4 * beta - x3) - 8 * gamma * gamma) % P, ((y + z) * (y + z) - gamma - delta) % P


def multiply(scalar, point):
    """Double and add from the top, the sum in Jacobian coordinates and the point in affine ones."""
    total = None
    for bit in bin(scalar % N)[2:]:
        if total is not None:
            total = double_jacobian(*total)
        if bit == "0":
            continue
        if total is None:
            total = (*point, 1)
            continue
        x, y, z = total
        square = z * z % P
        h, r = (point[0] * square - x) % P, (point[1] * square * z - y) % P
        if h == 0:
            # The sum is the point or its negative, as happens for scalars next to the order alone.
            total = double_jacobian(*total) if r == 0 else None
            continue
        cube = h * h % P
        v, cube = x * cube % P, h * cube % P
        x3 = (r * r - cube - 2 * v) % P
        total = x3, (r * (v - x3) - y * cube) % P, z * h % P
    if total is None:
        return None
    inverse = pow(total[2], -1, P)
    return total[0] * inverse**2 % P, total[1] * inverse**3 % P


def compress(point):
    return bytes([2 + (point[1] & 1)]) + point[0].to_bytes(48, "big")


def decompress(data):
    assert len(data) == 49 and data[0] in (2, 3), "not a compressed point"
    x = int.from_bytes(data[1:], "big")
    assert x < P, "x is not below the prime"
    square = (x * x * x + A * x + B) % P
    y = pow(square, (P + 1) // 4, P)
    assert y * y % P == square, "x is of no point"
    return x, y if y & 1 == data[0] & 1 else P - y


# --- RFC 9380: P384_XMD:SHA-384_SSWU_RO_


def expand_message_xmd(message, dst, length):
    """Section 5.3.1 with SHA-384."""
    blocks = -(-length // 48)
    assert blocks <= 255 and len(dst) <= 255
    dst_prime = dst + bytes([len(dst)])
    first = hashlib.sha384(bytes(128) + message + length.to_bytes(2, "big") + b"\0" + dst_prime).digest()
    block = hashlib.sha384(first + b"\1" + dst_prime).digest()
    output = block
    for number in range(2, blocks + 1):
        mixed = bytes(a ^ b for a, b in zip(first, block))
        block = hashlib.sha384(mixed + bytes([number]) + dst_prime).digest()
        output += block
    return output[:length]


def hash_to_field(message, dst, count, modulus):
    """Section 5.2 with L = 72."""
    uniform = expand_message_xmd(message, dst, 72 * count)
    return [int.from_bytes(uniform[72 * i : 72 * (i + 1)], "big") % modulus for i in range(count)]


def map_to_curve(u):
    """The simplified SWU map, section 6.6.2, with Z = -12."""
    z = P - 12
    t = (z * z * pow(u, 4, P) + z * u * u) % P
    x1 = (-B * pow(A, -1, P) * (1 + pow(t, -1, P)) if t else B * pow(z * A, -1, P)) % P
    for x in (x1, z * u * u * x1 % P):
        square = (x * x * x + A * x + B) % P
        y = pow(square, (P + 1) // 4, P)
        if y * y % P == square:
            return x, y if y % 2 == u % 2 else P - y
    raise AssertionError("one of the two is a square")


def hash_to_curve(message, dst):
    u0, u1 = hash_to_field(message, dst, 2, P)
    return add(map_to_curve(u0), map_to_curve(u1))


# --- RFC 9497: P384-SHA384, verifiable mode

CONTEXT = b"OPRFV1-" + bytes([1]) + b"-P384-SHA384"


def lp(data):
    return len(data).to_bytes(2, "big") + data


def hash_to_group(message):
    return hash_to_curve(message, b"HashToGroup-" + CONTEXT)


def hash_to_scalar(message, prefix=b"HashToScalar-"):
    return hash_to_field(message, prefix + CONTEXT, 1, N)[0]


def derive_key_pair(seed, info):
    """Section 3.2.1."""
    for counter in range(256):
        scalar = hash_to_scalar(seed + lp(info) + bytes([counter]), b"DeriveKeyPair")
        if scalar:
            return scalar
    raise AssertionError("no key")


def composites(public, blinded, evaluated, private=None):
    """Section 2.2.1, for one element."""
    seed = hashlib.sha384(lp(public) + lp(b"Seed-" + CONTEXT)).digest()
    factor = hash_to_scalar(lp(seed) + bytes(2) + lp(blinded) + lp(evaluated) + b"Composite")
    m = multiply(factor, decompress(blinded))
    return m, multiply(factor, decompress(evaluated)) if private is None else multiply(private, m)


def proof_challenge(public, m, z, t2, t3):
    return hash_to_scalar(lp(public) + b"".join(lp(compress(p)) for p in (m, z, t2, t3)) + b"Challenge")


def evaluate(private, blinded, random):
    """BlindEvaluate, section 3.3.2: the evaluated element, and the proof as c ‖ s."""
    public = compress(multiply(private, G))
    evaluated = compress(multiply(private, decompress(blinded)))
    m, z = composites(public, blinded, evaluated, private)
    c = proof_challenge(public, m, z, multiply(random, G), multiply(random, m))
    s = (random - c * private) % N
    return evaluated, c.to_bytes(48, "big") + s.to_bytes(48, "big")


def proof_holds(public, blinded, evaluated, proof):
    """VerifyProof, section 2.2.2."""
    c, s = int.from_bytes(proof[:48], "big"), int.from_bytes(proof[48:], "big")
    m, z = composites(public, blinded, evaluated)
    t2 = add(multiply(s, G), multiply(c, decompress(public)))
    t3 = add(multiply(s, m), multiply(c, z))
    return t2 is not None and t3 is not None and c == proof_challenge(public, m, z, t2, t3)


def finalize(message, blind, evaluated):
    unblinded = compress(multiply(pow(blind, -1, N), decompress(evaluated)))
    return hashlib.sha384(lp(message) + lp(unblinded) + b"Finalize").digest()


def evaluate_in_the_clear(private, message):
    """Evaluate, section 3.3.2: what the whole protocol has to come to."""
    return hashlib.sha384(lp(message) + lp(compress(multiply(private, hash_to_group(message)))) + b"Finalize").digest()


# --- WPIN-1

P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def hkdf(ikm, salt, info):
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=salt, info=info).derive(ikm)


def device_secret(agreed, r, enrollment):
    return hkdf(agreed + r, b"wpin1-ds", lp(enrollment))


def pin_input(enrollment, ds, pin):
    return lp(b"wpin1") + lp(enrollment) + lp(ds) + lp(pin)


def stretch(y, pin, ds, enrollment):
    salt = hashlib.sha256(ds + enrollment).digest()
    return Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(y + pin)


def candidate(s, ds, enrollment, epoch, counter):
    return hkdf(s + ds, b"wpin1", lp(enrollment) + epoch.to_bytes(4, "big") + bytes([counter]))


def first_scalar(candidates):
    for counter, data in enumerate(candidates):
        if 0 < int.from_bytes(data, "big") < P256_ORDER:
            return counter, data
    raise AssertionError("no scalar")


# --- JOSE


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert b64(data) == text, "not canonical base64url"
    return data


def p256_private(data):
    return ec.derive_private_key(int.from_bytes(data, "big"), ec.SECP256R1())


def p256_public(x963):
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), x963)


def x963(public):
    return public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def jwk(point):
    return {"crv": "P-256", "kty": "EC", "x": b64(point[1:33]), "y": b64(point[33:])}


def thumbprint(point):
    return b64(hashlib.sha256(compact(jwk(point))).digest())


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def signature(private, signing_input):
    # RFC 6979, so that the same vectors come out each time.
    der = private.sign(signing_input, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
    r, s = utils.decode_dss_signature(der)
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def signature_holds(point, raw, signing_input):
    assert len(raw) == 64, "a signature is not 64 bytes"
    der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    try:
        p256_public(point).verify(der, signing_input, ec.ECDSA(hashes.SHA256()))
        return True
    except InvalidSignature:
        return False


def statement(kind, payload, private):
    point = x963(private.public_key())
    header = {"typ": kind, "alg": "ES256", "kid": thumbprint(point)}
    signing_input = f"{b64(compact(header))}.{b64(compact(payload))}"
    return f"{signing_input}.{b64(signature(private, signing_input.encode()))}"


def assertion(payload, device, *others):
    """General JWS: the device's key with its thumbprint, the others without a name."""
    entries = []
    for index, key in enumerate((device, *others)):
        header = {"typ": "wallet-auth+jws", "alg": "ES256"}
        if index == 0:
            header["kid"] = thumbprint(x963(key.public_key()))
        protected = b64(compact(header))
        signed = signature(key, f"{protected}.{b64(compact(payload))}".encode())
        entries.append({"protected": protected, "signature": b64(signed)})
    return compact({"payload": b64(compact(payload)), "signatures": entries}).decode()


def payload_hash(label, data):
    return b64(hashlib.sha256(label.encode() + b"\0" + data).digest())


# --- what was published

RFC9380 = {
    # Appendix J.2.1, P384_XMD:SHA-384_SSWU_RO_.
    "dst": "QUUX-V01-CS02-with-P384_XMD:SHA-384_SSWU_RO_",
    "message": "",
    "x": "eb9fe1b4f4e14e7140803c1d99d0a93cd823d2b024040f9c067a8eca1f5a2eeac9ad604973527a356f3fa3aeff0e4d83",
}

RFC9497 = {
    # Appendix A.4.2: OPRF(P-384, SHA-384), VOPRF mode. Its batch of two is left out: WPIN-1 evaluates one at a time.
    "seed": "a3" * 32,
    "keyInfo": b"test key".hex(),
    "skSm": "051646b9e6e7a71ae27c1e1d0b87b4381db6d3595eeeb1adb41579adbf992f4278f9016eafc944edaa2b43183581779d",
    "pkSm": "031d689686c611991b55f1a1d8f4305ccd6cb719446f660a30db61b7aa87b46acf59b7c0d4a9077b3da21c25dd482229a0",
    "vectors": [
        {
            "Input": "00",
            "Blind": "504650f53df8f16f6861633388936ea23338fa65ec36e0290022b48eb562889d"
            "89dbfa691d1cde91517fa222ed7ad364",
            "BlindedElement": "02d338c05cbecb82de13d6700f09cb61190543a7b7e2c6cd4fca56887e564ea8"
            "2653b27fdad383995ea6d02cf26d0e24d9",
            "EvaluationElement": "02a7bba589b3e8672aa19e8fd258de2e6aae20101c8d761246de97a6b5ee9cf1"
            "05febce4327a326255a3c604f63f600ef6",
            "Proof": "bfc6cf3859127f5fe25548859856d6b7fa1c7459f0ba5712a806fc091a3000c4"
            "2d8ba34ff45f32a52e40533efd2a03bc87f3bf4f9f58028297ccb9ccb18ae718"
            "2bcd1ef239df77e3be65ef147f3acf8bc9cbfc5524b702263414f043e3b7ca2e",
            "ProofRandomScalar": "803d955f0e073a04aa5d92b3fb739f56f9db001266677f62c095021db018cd8c"
            "bb55941d4073698ce45c405d1348b7b1",
            "Output": "3333230886b562ffb8329a8be08fea8025755372817ec969d114d1203d026b4a"
            "622beab60220bf19078bca35a529b35c",
        },
        {
            "Input": "5a" * 17,
            "Blind": "504650f53df8f16f6861633388936ea23338fa65ec36e0290022b48eb562889d"
            "89dbfa691d1cde91517fa222ed7ad364",
            "BlindedElement": "02f27469e059886f221be5f2cca03d2bdc61e55221721c3b3e56fc012e36d31a"
            "e5f8dc058109591556a6dbd3a8c69c433b",
            "EvaluationElement": "03f16f903947035400e96b7f531a38d4a07ac89a80f89d86a1bf089c525a92c7"
            "f4733729ca30c56ce78b1ab4f7d92db8b4",
            "Proof": "d005d6daaad7571414c1e0c75f7e57f2113ca9f4604e84bc90f9be52da896fff"
            "3bee496dcde2a578ae9df315032585f801fb21c6080ac05672b291e575a40295"
            "b306d967717b28e08fcc8ad1cab47845d16af73b3e643ddcc191208e71c64630",
            "ProofRandomScalar": "803d955f0e073a04aa5d92b3fb739f56f9db001266677f62c095021db018cd8c"
            "bb55941d4073698ce45c405d1348b7b1",
            "Output": "b91c70ea3d4d62ba922eb8a7d03809a441e1c3c7af915cbc2226f485213e8959"
            "42cd0f8580e6d99f82221e66c40d274f",
        },
    ],
}


def same(what, computed, published):
    if computed != published:
        raise AssertionError(f"{what}: computed {computed!r}, and it should be {published!r}")


def check_published():
    same("base point", multiply(N - 1, G), (G[0], P - G[1]))
    same("order", multiply(N - 1, G) and add(multiply(N - 1, G), G), None)
    same("two ways to five", multiply(5, G), add(G, add(add(G, G), add(G, G))))
    point = hash_to_curve(RFC9380["message"].encode(), RFC9380["dst"].encode())
    same("RFC 9380", point[0].to_bytes(48, "big").hex(), RFC9380["x"])
    private = derive_key_pair(bytes.fromhex(RFC9497["seed"]), bytes.fromhex(RFC9497["keyInfo"]))
    same("RFC 9497 skSm", private.to_bytes(48, "big").hex(), RFC9497["skSm"])
    public = compress(multiply(private, G))
    same("RFC 9497 pkSm", public.hex(), RFC9497["pkSm"])
    for vector in RFC9497["vectors"]:
        message, blind = bytes.fromhex(vector["Input"]), int(vector["Blind"], 16)
        blinded = compress(multiply(blind, hash_to_group(message)))
        same("RFC 9497 BlindedElement", blinded.hex(), vector["BlindedElement"])
        evaluated, proof = evaluate(private, blinded, int(vector["ProofRandomScalar"], 16))
        same("RFC 9497 EvaluationElement", evaluated.hex(), vector["EvaluationElement"])
        same("RFC 9497 Proof", proof.hex(), vector["Proof"])
        same("RFC 9497 VerifyProof", proof_holds(public, blinded, evaluated, proof), True)
        wrong = bytes([*proof[:-1], proof[-1] ^ 1])
        same("RFC 9497 VerifyProof of a changed proof", proof_holds(public, blinded, evaluated, wrong), False)
        same("RFC 9497 Output", finalize(message, blind, evaluated).hex(), vector["Output"])
        same("RFC 9497 Evaluate", evaluate_in_the_clear(private, message).hex(), vector["Output"])


# --- our vectors


def fixed(label, length=32):
    """Bytes that look random and are the same each time."""
    return hashlib.shake_256(b"wpin-1 test vector: " + label.encode()).digest(length)


def scalar_p384(label):
    return int.from_bytes(fixed(label, 72), "big") % (N - 1) + 1


def scalar_p256(label):
    return (int.from_bytes(fixed(label, 48), "big") % (P256_ORDER - 1) + 1).to_bytes(32, "big")


def derivation(name, enrollment_text, pin_text, epoch):
    enrollment, pin = enrollment_text.encode(), pin_text.encode()
    ka, one_off = p256_private(scalar_p256(name + " ka")), p256_private(scalar_p256(name + " E"))
    peer, r = x963(one_off.public_key()), fixed(name + " r")
    agreed = ka.exchange(ec.ECDH(), one_off.public_key())
    ds = device_secret(agreed, r, enrollment)
    x = pin_input(enrollment, ds, pin)
    private, blind, random = (scalar_p384(f"{name} {part}") for part in ("voprf", "blind", "proof"))
    blinded = compress(multiply(blind, hash_to_group(x)))
    evaluated, proof = evaluate(private, blinded, random)
    y = finalize(x, blind, evaluated)
    same("the whole protocol", y, evaluate_in_the_clear(private, x))
    s = stretch(y, pin, ds, enrollment)
    counter, sk = first_scalar(candidate(s, ds, enrollment, epoch, i) for i in range(256))
    public = x963(p256_private(sk).public_key())
    return {
        "name": name,
        "enrollment": enrollment_text,
        "pin": pin_text,
        "epoch": epoch,
        "ka": scalar_p256(name + " ka").hex(),
        "E": peer.hex(),
        "r": r.hex(),
        "ecdh": agreed.hex(),
        "ds": ds.hex(),
        "x": x.hex(),
        "voprfPrivateKey": private.to_bytes(48, "big").hex(),
        "voprfPublicKey": compress(multiply(private, G)).hex(),
        "blind": blind.to_bytes(48, "big").hex(),
        "blinded": blinded.hex(),
        "proofRandomScalar": random.to_bytes(48, "big").hex(),
        "evaluation": (evaluated + proof).hex(),
        "y": y.hex(),
        "salt": hashlib.sha256(ds + enrollment).hexdigest(),
        "s": s.hex(),
        "counter": counter,
        "sk": sk.hex(),
        "publicKey": public.hex(),
        "thumbprint": thumbprint(public),
    }


def counters():
    """The counter moves on once in 2**32 keys, too seldom to find a real one. Here the candidates are given, in the
    place of HKDF's output."""
    order = P256_ORDER
    numbers = [
        ("the first serves", [1]),
        ("the largest that serves", [order - 1]),
        ("nothing at all is no scalar", [0, 7]),
        ("the order is no scalar", [order, 8]),
        ("nothing above the order is one", [order + 1, 2**256 - 1, 0, order, 9]),
        ("the last counter", [0] * 255 + [10]),
    ]
    result = []
    for name, values in numbers:
        data = [value.to_bytes(32, "big") for value in values]
        counter, sk = first_scalar(data)
        result.append({"name": name, "candidates": [d.hex() for d in data], "counter": counter, "sk": sk.hex()})
    return result


def hostile(case):
    """Answers that a hostile server, or an attacker in between, could send to the first derivation. The malformed ones have
    to be refused by their form alone; the others by the proof, and none may stop the program that reads it."""
    private, blinded = int(case["voprfPrivateKey"], 16), bytes.fromhex(case["blinded"])
    honest = bytes.fromhex(case["evaluation"])
    evaluated, c, s = honest[:49], honest[49:97], honest[97:]
    other = scalar_p384("another server")
    number = lambda value: (value % N).to_bytes(48, "big")
    raw = lambda value: value.to_bytes(48, "big")
    foreign = compress(multiply(other, decompress(blinded)))
    challenge = scalar_p384("a chosen c")
    flipped = bytes([evaluated[0] ^ 1]) + evaluated[1:]
    unrelated = evaluate(private, compress(multiply(scalar_p384("another input"), G)), scalar_p384("r"))
    changed = lambda data: data[:-1] + bytes([data[-1] ^ 1])
    proofs = [
        ("both points of the proof at infinity", evaluated + number(challenge) + number(-challenge * private)),
        ("the first point of the proof at infinity", foreign + number(challenge) + number(-challenge * private)),
        ("the second point of the proof at infinity", foreign + number(challenge) + number(-challenge * other)),
        ("the two halves of the first point equal", evaluated + number(challenge) + number(challenge * private)),
        ("an honest proof by another key", b"".join(evaluate(other, blinded, scalar_p384("r")))),
        ("an honest proof for another input", b"".join(unrelated)),
        ("another element under the honest proof", foreign + c + s),
        ("the element's negative under the honest proof", flipped + c + s),
        ("c changed by one bit", evaluated + changed(c) + s),
        ("s changed by one bit", evaluated + c + changed(s)),
        ("c and s in each other's place", evaluated + s + c),
        ("c and s of one", evaluated + raw(1) + raw(1)),
    ]
    malformed = [
        ("nothing", b""),
        ("the element alone", evaluated),
        ("one byte less", honest[:-1]),
        ("one byte more", honest + b"\0"),
        ("c of zero", evaluated + raw(0) + s),
        ("s of zero", evaluated + c + raw(0)),
        ("both zero", evaluated + raw(0) + raw(0)),
        ("c of the order", evaluated + raw(N) + s),
        ("s above the order", evaluated + c + raw(N + 1)),
        ("s of all ones", evaluated + c + raw(2**384 - 1)),
        ("an element at infinity, filled up", bytes(49) + c + s),
        ("zeros", bytes(145)),
    ]
    return {
        "evaluations": [{"name": name, "bytes": data.hex()} for name, data in proofs],
        "malformedEvaluations": [{"name": name, "bytes": data.hex()} for name, data in malformed],
        "malformedElements": [{"name": name, "bytes": data.hex()} for name, data in malformed_elements()],
    }


def malformed_elements():
    on_curve = lambda x: pow(x**3 + A * x + B, (P - 1) // 2, P) == 1
    small = next(x for x in range(1, 1000) if on_curve(x))
    missing = next(x for x in range(1, 1000) if not on_curve(x))
    point = compress(G)
    x, y = point[1:], G[1].to_bytes(48, "big")
    return [
        ("nothing", b""),
        ("infinity", b"\0"),
        ("infinity, filled up", bytes(49)),
        ("an x of no point", b"\2" + missing.to_bytes(48, "big")),
        ("an x above the prime, of a point when reduced", b"\2" + (P + small).to_bytes(48, "big")),
        ("an x of all ones", b"\3" + b"\xff" * 48),
        ("the prime as x", b"\2" + P.to_bytes(48, "big")),
        ("uncompressed", b"\4" + x + y),
        ("hybrid", bytes([6 + (y[-1] & 1)]) + x + y),
        ("an uncompressed lead", b"\4" + x),
        ("a hybrid lead", b"\6" + x),
        ("a lead of one", b"\1" + x),
        ("a lead with its highest bit set", b"\x82" + x),
        ("one byte less", point[:-1]),
        ("one byte more", point + b"\0"),
        ("two of them", point + point),
        ("a point of P-256", b"\2" + G[0].to_bytes(48, "big")[:32]),
    ]


ISSUER = "https://login.example"
ACCOUNT = "6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b"
TIME = 1_800_000_000


def statements(case):
    device = p256_private(scalar_p256("device"))
    dpop = x963(p256_private(scalar_p256("dpop")).public_key())
    challenge = b64(hashlib.sha256(b"a code verifier of the test vectors of WPIN-1").digest())
    new = b64(bytes.fromhex(case["blinded"]))
    body = compact({"enrollmentId": case["enrollment"], "purpose": "enroll", "newBlinded": new})
    name, platform = "Adas Telefon ☎", "linux"
    common = {"aud": ISSUER}
    proof = {**common, "enr": case["enrollment"], "jkt": thumbprint(dpop), "cc": challenge, "nonce": "n-1", "iat": TIME}
    request = {
        **common, "enr": case["enrollment"], "htm": "POST", "htu": ISSUER + "/v1/pin/evaluate",
        "bh": b64(hashlib.sha256(body).digest()), "nonce": "n-2", "ik": "AAECAwQFBgcICQoLDA0ODw", "iat": TIME,
    }
    enrollment = {
        **common, "sub": ACCOUNT, "nonce": "n-3", "jkt": thumbprint(dpop),
        "kh": b64(hashlib.sha256(lp(name.encode()) + lp(platform.encode())).digest()), "iat": TIME,
    }
    enrollment_proof = statement("wallet-auth-enrollment+jws", enrollment, device)
    return {
        "devicePrivateKey": scalar_p256("device").hex(),
        "deviceKey": x963(device.public_key()).hex(),
        "dpopThumbprint": thumbprint(dpop),
        "codeChallenge": challenge,
        "deviceProof": statement("wallet-auth-device+jws", proof, device),
        "request": {"body": body.decode(), "signature": statement("wallet-auth-request+jws", request, device)},
        "enrollment": {"name": name, "platform": platform, "proof": enrollment_proof},
    }


def assertions(old, new):
    device, bio = p256_private(scalar_p256("device")), p256_private(scalar_p256("bio"))
    old_key, new_key = p256_private(bytes.fromhex(old["sk"])), p256_private(bytes.fromhex(new["sk"]))
    dpop = x963(p256_private(scalar_p256("dpop")).public_key())
    challenge = b64(hashlib.sha256(b"a code verifier of the test vectors of WPIN-1").digest())
    shown = '{"ver":1,"amount":"12.50","payee":"Käse & Co"}'.encode()
    sign_in = payload_hash("wallet-login-v1", (thumbprint(dpop) + challenge).encode())
    base = {"aud": ISSUER, "sub": ACCOUNT, "enr": old["enrollment"]}

    def entry(name, fields, keys, seconds):
        payload = {**base, **fields, "iat": TIME}
        return {
            "name": name,
            "payload": compact(payload).decode(),
            "secondKeys": seconds,
            "assertion": assertion(payload, device, *keys),
        }

    def pin(epoch, cid, purpose, **more):
        return {"epoch": epoch, "cid": cid, "nonce": cid + "-nonce", "pur": purpose, **more, "factor": "PIN"}

    new_hash = payload_hash("wallet-key-v1", new["thumbprint"].encode())
    old_hash = payload_hash("wallet-key-v1", old["thumbprint"].encode())
    paid = payload_hash("wallet-transaction-v1", shown)
    biometric = {
        "epoch": 0, "cid": "c-6", "nonce": "c-6-nonce", "pur": "sca", "txid": "event-1",
        "txh": payload_hash("wallet-sca-v1", shown), "decision": "approve", "factor": "BIOMETRIC",
    }
    return {
        "shown": shown.decode(),
        "bioKey": x963(bio.public_key()).hex(),
        "entries": [
            entry("login", pin(old["epoch"], "c-1", "login", txh=sign_in), [old_key], ["old"]),
            entry(
                "transaction", pin(old["epoch"], "c-2", "transaction", txid="tx-1", txh=paid, decision="approve"),
                [old_key], ["old"],
            ),
            entry(
                "reject", pin(old["epoch"], "c-3", "reject", txid="tx-1", txh=paid, decision="reject"),
                [old_key], ["old"],
            ),
            entry("enroll", pin(old["epoch"], "c-4", "enroll", txh=old_hash), [old_key], ["old"]),
            entry(
                "pin-change", pin(new["epoch"], "c-5", "pin-change", txh=new_hash),
                [old_key, new_key], ["old", "new"],
            ),
            entry("biometric", biometric, [bio], ["bio"]),
        ],
    }


def vectors():
    enrollment = "0b3c1d5e-7f90-4a2b-9c4d-5e6f708192a3"
    cases = [
        derivation("six digits", enrollment, "493817", 1),
        derivation("the next epoch, another PIN", enrollment, "802461", 2),
        derivation("four digits", "f0e1d2c3-b4a5-4697-8879-6a5b4c3d2e1f", "4938", 1),
        derivation("twelve digits, the last epoch", "e.1~a_b-Z", "049381726550", 2**32 - 1),
    ]
    return {
        "protocol": "wpin1",
        "about": "Made by wpin1.py from docs/wpin-1.md; hexadecimal unless it is text.",
        "rfc9497": RFC9497,
        "derivations": cases,
        "counters": counters(),
        "hostile": hostile(cases[0]),
        "issuer": ISSUER,
        "account": ACCOUNT,
        "time": TIME,
        "statements": statements(cases[0]),
        "assertions": assertions(cases[0], cases[1]),
    }


def text_of(value):
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def first_difference(found, wanted, path="vectors"):
    if isinstance(found, dict) and isinstance(wanted, dict) and found.keys() == wanted.keys():
        pairs = ((f"{path}.{key}", found[key], wanted[key]) for key in wanted)
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        pairs = ((f"{path}[{i}]", a, b) for i, (a, b) in enumerate(zip(found, wanted)))
    else:
        return None if found == wanted else path
    return next((p for p in (first_difference(a, b, name) for name, a, b in pairs) if p), None)


def check_vectors(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    wanted = vectors()
    difference = first_difference(json.loads(text), wanted)
    assert difference is None, f"{difference} is not what it should be"
    assert text == text_of(wanted), "the vectors are right, and written another way"


def check_exchange(exchange):
    """One exchange by the Swift code, which reports every step but the blind, which it forgets."""
    get = lambda name: bytes.fromhex(exchange[name])
    enrollment, pin = exchange["enrollment"].encode(), exchange["pin"].encode()
    ka = p256_private(get("ka"))
    ds = device_secret(ka.exchange(ec.ECDH(), p256_public(get("E"))), get("r"), enrollment)
    same("ds", ds, get("ds"))
    x = pin_input(enrollment, ds, pin)
    private = int.from_bytes(get("voprfPrivateKey"), "big")
    public, blinded = compress(multiply(private, G)), get("blinded")
    same("VOPRF public key", public, get("voprfPublicKey"))
    evaluation = get("evaluation")
    same("evaluated element", compress(multiply(private, decompress(blinded))), evaluation[:49])
    assert proof_holds(public, blinded, evaluation[:49], evaluation[49:]), "the proof does not hold"
    y = evaluate_in_the_clear(private, x)
    s = stretch(y, pin, ds, enrollment)
    counter, sk = first_scalar(candidate(s, ds, enrollment, exchange["epoch"], i) for i in range(256))
    point = x963(p256_private(sk).public_key())
    same("PIN key", point, get("publicKey"))
    check_assertion(exchange["assertion"], exchange["payload"], [get("deviceKey"), point])
    check_statement(exchange["request"], "wallet-auth-request+jws", get("deviceKey"))


def check_assertion(text, payload, points):
    parsed = json.loads(text)
    same("members of the assertion", sorted(parsed), ["payload", "signatures"])
    same("payload", unb64(parsed["payload"]).decode(), payload)
    same("number of signatures", len(parsed["signatures"]), len(points))
    for index, (entry, point) in enumerate(zip(parsed["signatures"], points)):
        header = {"typ": "wallet-auth+jws", "alg": "ES256"}
        if index == 0:
            header["kid"] = thumbprint(point)
        same("header", json.loads(unb64(entry["protected"])), header)
        signing_input = f"{entry['protected']}.{parsed['payload']}".encode()
        assert signature_holds(point, unb64(entry["signature"]), signing_input), f"signature {index} is wrong"


def check_statement(text, kind, point):
    header, payload, raw = text.split(".")
    same("header", json.loads(unb64(header)), {"typ": kind, "alg": "ES256", "kid": thumbprint(point)})
    unb64(payload)
    assert signature_holds(point, unb64(raw), f"{header}.{payload}".encode()), f"the signature of {kind} is wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", metavar="FILE")
    action.add_argument("--check", metavar="FILE")
    action.add_argument("--check-exchanges", metavar="FILE")
    arguments = parser.parse_args()
    check_published()
    if arguments.write:
        pathlib.Path(arguments.write).write_text(text_of(vectors()), encoding="utf-8")
    elif arguments.check:
        check_vectors(arguments.check)
    else:
        exchanges = json.loads(pathlib.Path(arguments.check_exchanges).read_text(encoding="utf-8"))
        assert exchanges, "no exchange to check"
        for exchange in exchanges:
            check_exchange(exchange)
        print(f"{len(exchanges)} exchanges are right")


if __name__ == "__main__":
    if not __debug__:
        sys.exit("wpin1.py checks by assertions, which -O leaves out")
    try:
        main()
    except (AssertionError, KeyError, TypeError, ValueError) as error:
        sys.exit(f"wpin1.py: {error}")
