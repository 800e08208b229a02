"""What the operator of a demo registers: people, apps and backends."""

import json

SCOPES = "openid profile offline_access"


def account(server, name, password, *options):
    server.administer("account", "create", name, "--password-stdin", *options, secret=password + "\n")


def reachable_account(server, name, password, *options):
    """An account with a confirmed e-mail address, which is a second factor."""
    account(server, name, password, "--email", f"{name}@example.com", "--email-verified", *options)


def app(server, client, name, redirect_uri, *options, scope=SCOPES):
    server.administer(
        "client", "create", client, "--name", name, "--public", "--redirect-uri", redirect_uri, "--scope", scope, *options,
    )  # fmt: skip


def backend(server, client, name, scope, *options):
    """Returns the backend's secret."""
    created = server.administer(
        "client", "create", client, "--name", name, "--confidential", "--auth-method", "client_secret_basic",
        "--scope", scope, *options, "--json",
    )  # fmt: skip
    return json.loads(created)["clientSecret"]
