"""A mail server that is not ours: aiosmtpd with STARTTLS, which it demands, and a sign-in, which it demands as well.

Makes a certificate of its own and writes it to the file in SINK_CERTIFICATE. Prints one line, `ready at PORT`, then one
line of JSON for each message that it took, as Python's own mail parser reads it. SINK_PASSWORD is the password of `bank`.
Recipients at refused.example are refused for good. With SINK_TLS=implicit TLS begins with the connection.
"""

import asyncio
import datetime
import email
import email.policy
import ipaddress
import json
import os
import ssl

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certificate(path):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sink.test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName(
                [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
            ),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    with open(path, "wb") as file:
        file.write(made.public_bytes(serialization.Encoding.PEM))
    secret = path + ".key"
    with open(secret, "wb") as file:
        file.write(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, secret)
    return context


class Sink:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.endswith("@refused.example"):
            return f"550 5.1.1 <{address}> is nobody here"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        seen = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "tls": "yes" if session.ssl is not None or IMPLICIT else "no",
            "login": "yes" if session.authenticated else "no",
            "subject": str(message["Subject"]),
            "sender": str(message["From"]),
            "messageId": str(message["Message-ID"]),
            "text": message.get_content(),
            "defects": [str(defect) for defect in message.defects],
        }
        print(json.dumps(seen), flush=True)
        return "250 2.0.0 taken"


def authenticate(server, session, envelope, mechanism, data):
    right = (
        isinstance(data, LoginPassword)
        and data.login == b"bank"
        and data.password == os.environ["SINK_PASSWORD"].encode()
    )
    return AuthResult(success=right, handled=False)


IMPLICIT = os.environ.get("SINK_TLS") == "implicit"
context = certificate(os.environ["SINK_CERTIFICATE"])


def conversation():
    return SMTP(
        Sink(),
        authenticator=authenticate,
        auth_required=True,
        auth_require_tls=not IMPLICIT,
        tls_context=None if IMPLICIT else context,
        require_starttls=not IMPLICIT,
        enable_SMTPUTF8=True,
    )


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(conversation, "127.0.0.1", 0, ssl=context if IMPLICIT else None)
    print(f"ready at {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main())
