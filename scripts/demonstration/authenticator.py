"""What an authenticator app shows: HMAC-SHA-1 over the number of the half minute (RFC 6238)."""

import base64
import hashlib
import hmac
import struct
import time

STEP = 30


class AuthenticatorApp:
    def __init__(self, secret=""):
        # The second is the last code that was used. None works twice.
        self.secret, self.last = secret, 0

    def code(self):
        """The next one, if this was used."""
        self.last = max(self.last + 1, int(time.time()) // STEP)
        key = base64.b32decode(self.secret + "=" * (-len(self.secret) % 8))
        digest = hmac.new(key, struct.pack(">Q", self.last), hashlib.sha1).digest()
        start = digest[-1] & 15
        return f"{(struct.unpack('>I', digest[start : start + 4])[0] & 0x7FFFFFFF) % 1_000_000:06d}"
