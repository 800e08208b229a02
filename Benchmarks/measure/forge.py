"""Makes refresh tokens as the server does, from its database and its master key: one of the two alone is not enough.

A million sessions would take an hour to sign in. Only a holder of the master key can do this.
"""

import base64
import hashlib
import hmac
import sqlite3

from client import base64url
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class RefreshKey:
    """The data key under which the server makes its refresh tokens."""

    def __init__(self, database):
        connection = sqlite3.connect(database)
        number, wrapped = connection.execute(
            "SELECT kid, wrapped FROM data_keys WHERE purpose = 'refresh' AND retired_at IS NULL"
        ).fetchone()
        connection.close()
        self.unwrap(database + ".master-key", number, wrapped)

    def unwrap(self, master_key, number, wrapped):
        with open(master_key, encoding="ascii") as file:
            master = base64.b64decode(file.read())
        self.id = number
        # Version, key id, nonce, ciphertext with tag; each message has a key of its own.
        header, nonce, sealed = wrapped[:21], wrapped[5:21], wrapped[21:]
        info = b"master\0" + f"data_keys|wrapped|refresh|{self.id}".encode()
        material = HKDF(SHA256(), 44, salt=nonce, info=info).derive(master)
        self.key = AESGCM(material[:32]).decrypt(material[32:], sealed, header)

    def token(self, session, generation, secret, client, account):
        name = client.encode()
        number = generation.to_bytes(4, "big")
        message = b"wallet-auth refresh v2" + session + number + account + len(name).to_bytes(2, "big") + name + secret
        mac = hmac.new(self.key, message, hashlib.sha256).digest()
        return "wrt_" + base64url(self.id.to_bytes(4, "big") + session + number + mac)
