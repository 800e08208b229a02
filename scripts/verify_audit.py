#!/usr/bin/env python3
"""Holds a copy of the database against exported checkpoints, with neither the server's program nor any of its secret keys.

    walletauth database backup --to COPY.db         the copy
    walletauth audit key > KEYS.json                once, on the first day, kept by the auditor
    verify_audit.py COPY.db CHECKPOINTS KEYS.json   exits with 0 where every checkpoint is confirmed, else with 1

Written from docs/operating.md, "The audit log", not from the program.
"""

import base64
import hashlib
import json
import pathlib
import re
import sqlite3
import struct
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils


EXPORT_AGAIN = (
    "after a restore or a rotation of the audit key, export the keys again with `walletauth audit key` on the server, and compare "
    "that those you had are unchanged"
)


class UnknownKey(Exception):
    pass


def decode(text):
    """Canonical base64url alone: Python would skip a carriage return, a space or any other character that is none."""
    value = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(value).rstrip(b"=").decode() != text:
        raise ValueError("base64url that is not canonical")
    return value


def field(value):
    return struct.pack(">H", len(value)) + value


def optional(value):
    return bytes([value is not None]) + field(value or b"")


def unfit(id_, account, client, kind, bound, salt, link):
    """The names of an entry's parts that are not as long as the documentation says, or do not fit into two bytes of length."""
    lengths = [("id", id_, 16), ("digest", bound, 32), ("link", link, 32)]
    lengths += [(name, value, 16) for name, value in [("account", account), ("salt", salt)] if value is not None]
    found = [name for name, value, length in lengths if not isinstance(value, bytes) or len(value) != length]
    return found + [name for name, text in [("client", client or ""), ("kind", kind)] if len(text.encode()) > 0xFFFF]


def opened(path):
    """The copy, which has to be there: without a mode SQLite would make an empty one."""
    return sqlite3.connect(f"{pathlib.Path(path).absolute().as_uri()}?mode=rw", uri=True)


def chains(path):
    """Every entry's digest and link by (partition, seq); what does not fit is printed."""
    ends, faults = {}, 0
    columns = "chain, seq, id, account_id, client_id, kind, occurred_at, details_digest, details, salt, link"
    query = f"SELECT {columns} FROM security_events WHERE chain IS NOT NULL ORDER BY chain, seq"
    partition, expected, digest = None, 1, bytes(32)
    for chain, seq, id_, account, client, kind, at, bound, details, salt, link in opened(path).execute(query):
        if chain != partition:
            partition, expected, digest = chain, 1, bytes(32)
        if seq != expected:
            print(f"FAULT partition {chain}: entry {seq} is where entry {expected} should be")
            faults += 1
        expected = seq + 1
        wrong = unfit(id_, account, client, kind, bound, salt, link)
        if wrong:
            # It has no digest, so no later entry has the one of a checkpoint.
            print(f"FAULT partition {chain}, entry {seq}: wrong length: {', '.join(wrong)}")
            faults += 1
            continue
        if details != "{}" if salt is None else hashlib.sha256(salt + details.encode()).digest() != bound:
            print(f"FAULT partition {chain}, entry {seq}: its details were changed")
            faults += 1
        entry = field(b"wallet-audit-v1") + struct.pack(">q", chain) + field(id_) + optional(account)
        entry += optional(None if client is None else client.encode()) + field(kind.encode())
        entry += struct.pack(">q", at) + field(bound)
        digest = hashlib.sha256(digest + struct.pack(">q", seq) + entry).digest()
        ends[chain, seq] = (digest, link)
        if kind == "database.restored":
            print(f"NOTE  partition {chain}, entry {seq}: restored from a copy; it went on from {details}")
    return ends, faults


def payload(line, keys):
    """The type of a line and what it says, once a key of that name is found to have signed it."""
    header, body, signature = line.split(".")
    raw = decode(signature)
    if len(raw) != 64:
        raise InvalidSignature
    der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    named = json.loads(decode(header))
    for key in keys:
        if key["kid"] != named["kid"]:
            continue
        numbers = ec.EllipticCurvePublicNumbers(
            int.from_bytes(decode(key["x"]), "big"), int.from_bytes(decode(key["y"]), "big"), ec.SECP256R1()
        )
        try:
            numbers.public_key().verify(der, f"{header}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            continue
        return named["typ"], json.loads(decode(body))
    if all(key["kid"] != named["kid"] for key in keys):
        raise UnknownKey
    raise InvalidSignature


def torn(line):
    """Whether a line is the beginning of one whose end never reached the disk, or has zeros where its bytes should be."""
    if re.fullmatch(r"[A-Za-z0-9_.\0-]*", line) is None:
        return False
    parts = line.split(".")
    return "\0" in line or ("eyJ"[: len(line)] == line[:3] and (len(parts) < 3 or len(parts) == 3 and len(parts[2]) < 86))


def counted(number, one, several):
    """A number with its noun."""
    return f"{number} {one if number == 1 else several}"


def main(copy, checkpoints, keyfile):
    try:
        with open(keyfile, encoding="utf-8") as file:
            # A key without a name fails here.
            keys = [key | {"kid": key["kid"]} for key in json.load(file)["keys"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        print(f"{keyfile} has no audit keys: it must be the output of `walletauth audit key`", file=sys.stderr)
        return 1
    try:
        ends, faults = chains(copy)
    # With write access to a copy, its columns can be given other types.
    except (sqlite3.Error, struct.error, TypeError, AttributeError) as error:
        print(f"{copy} cannot be read as a copy of the database: {error}", file=sys.stderr)
        return 1
    # By partition, the copy's last entry.
    last = {partition: seq for partition, seq in sorted(ends)}
    confirmed = 0
    with open(checkpoints, encoding="utf-8", errors="replace", newline="\n") as file:
        for number, line in enumerate((line.rstrip("\n") for line in file), 1):
            if not line:
                continue
            if torn(line):
                print(f"NOTE  line {number} of the checkpoints was cut short while it was written")
                continue
            try:
                kind, claims = payload(line, keys)
                if kind == "walletauth-audit-key+jwt":
                    keys.append(claims["key"])
                    continue
                if kind != "walletauth-audit-checkpoint+jwt":
                    raise ValueError(kind)
                heads = claims["heads"]
            except UnknownKey:
                print(f"FAULT line {number} of the checkpoints is signed by a key that is not one of those given: {EXPORT_AGAIN}")
                faults += 1
                continue
            except (ValueError, KeyError, TypeError, RecursionError, InvalidSignature) as error:
                print(f"FAULT line {number} of the checkpoints: {type(error).__name__}")
                faults += 1
                continue
            for head in heads:
                claimed = (decode(head["digest"]), decode(head["link"]))
                if ends.get((head["partition"], head["seq"])) == claimed:
                    continue
                faults += 1
                if head["seq"] > last.get(head["partition"], 0):
                    # Nothing in the copy tells an early copy from a log whose end was cut off.
                    print(f"FAULT line {number}: partition {head['partition']} ends before entry {head['seq']}: the copy is "
                          "older than this checkpoint, or entries are missing")
                else:
                    print(f"FAULT line {number}: partition {head['partition']} is not what it was at entry {head['seq']}")
            confirmed += 1
    if not confirmed:
        print("FAULT there is no checkpoint in the file")
        faults += 1
    print(", ".join([counted(len(ends), "entry", "entries"), counted(confirmed, "checkpoint", "checkpoints"),
                     counted(faults, "fault", "faults")]))
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except OSError as error:
        sys.exit(f"{error.filename} cannot be read: {error.strerror}")
