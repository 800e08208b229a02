"""Many people who are signed in to a browser each: to sign them in by password would take an hour."""

import hashlib
import secrets
import uuid

from client import base64url
from rows import Table


def sign_in(path, count, **session):
    """Adds accounts, browser sessions and consents like those of the one person who has them, while no server has the database open.

    `session` is what else their browser sessions have of their own. Returns the ids of the accounts, and the Cookie headers of
    their browsers.
    """
    # The server keeps a digest of the cookie's value.
    values = [secrets.token_bytes(32) for _ in range(count)]
    accounts = [uuid.uuid4().bytes for _ in range(count)]
    Table(path, "accounts").add({"id": account} for account in accounts)
    Table(path, "browser_sessions").add(
        {"id_hash": hashlib.sha256(b"browser-session\0" + value).digest(), "account_id": account, **session}
        for value, account in zip(values, accounts)
    )
    Table(path, "client_consents").add({"account_id": account, "id": uuid.uuid4().bytes} for account in accounts)
    return accounts, ["wa_session=" + base64url(value) for value in values]
