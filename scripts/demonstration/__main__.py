"""A day in the life of a wallet app, against a real server with a real database.

Usage: python3 scripts/demonstration FOLDER-OF-THE-PROGRAMS [native|sca|transactions|phone|apple|migrate|operator|oauth|
cluster] [--sqlite|--postgresql]. `make demo`, `make demo-native`, `make demo-sca`, `make demo-transactions`, `make demo-phone`, `make demo-apple`,
`make demo-migrate`, `make demo-operator`, `make demo-oauth` and `make demo-cluster` build them and call this.
"""

import importlib
import importlib.util
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time

import apple_steps
import cluster_steps
import migrate_steps
import native_steps
import operator_steps
import phone_steps
import sca_steps
import steps
import transaction_steps
from database_server import PostgreSQL
from gateway import Gateway
from narrator import Failed, bold, dim, say
from person import Person
from programs import Server, WalletApp, end_by_any_signal, ignore_signals


def main():
    flows = {
        "native": native_steps.ALL,
        "sca": sca_steps.ALL,
        "transactions": transaction_steps.ALL,
        "phone": phone_steps.ALL,
        "apple": apple_steps.ALL,
        "migrate": migrate_steps.ALL,
        "operator": operator_steps.ALL,
    }
    engines = [word for word in sys.argv[1:] if word in ("--sqlite", "--postgresql")]
    words = [word for word in sys.argv[1:] if word not in engines]
    if len(words) not in (1, 2) or len(engines) > 1 or (len(words) == 2 and words[1] not in (*flows, "oauth", "cluster")):
        sys.exit(__doc__)
    programs = words[0]
    end_by_any_signal()
    keep = sys.stdout.isatty() and sys.stdin.isatty() and os.environ.get("DEMO_KEEP") != "0"
    if words[1:] == ["cluster"]:
        # Several servers, always on PostgreSQL. Their load is a Python program of the tests.
        need("requests", "cluster")
        return cluster_steps.main(programs, keep)
    if words[1:] == ["oauth"]:
        # Its client is a library, which the system's Python does not have.
        need("requests_oauth2client", "oauth")
        flows["oauth"] = importlib.import_module("oauth_steps").ALL
    flow = flows[words[1]] if len(words) == 2 else steps.ALL
    if engines != ["--postgresql"]:
        return play(programs, flow, keep)
    say(dim("A PostgreSQL server starts in a temporary folder."))
    try:
        database = PostgreSQL()
    except KeyboardInterrupt:
        return 130
    except Failed as failure:
        say(f"\nThe demo stopped: {failure}")
        return 1
    try:
        status = play(programs, flow, keep, database.create("wallet"))
        if status == 1:
            say(dim(f"The log of PostgreSQL ends with:\n{database.tail()}"))
        return status
    finally:
        ignore_signals()
        database.stop()


def need(package, flow):
    if importlib.util.find_spec(package) is None:
        sys.exit(f"The {flow} demo needs the Python package {package}: run scripts/demo {flow}, which installs it.")


def play(programs, flow, keep, postgresql=None):
    """Carries out the steps with a server of its own, on a SQLite file or on the PostgreSQL database of a URL."""
    folder = tempfile.mkdtemp(prefix="wallet-demo-")
    os.chmod(folder, 0o700)
    gateway = Gateway()
    server = Server(os.path.join(programs, "walletauth"), folder, gateway.url, postgresql)
    gateway.upstream = server.port
    stage = steps.Stage(
        server=server,
        gateway=gateway,
        programs=programs,
        person=Person("ada", secrets.token_urlsafe(12)),
        wallet=lambda name: WalletApp(
            os.path.join(programs, "wallet"), folder, gateway.url, steps.WALLET_CLIENT, name
        ),
    )
    began = time.monotonic()
    try:
        for step in flow:
            step(stage)
        say(f"\n{bold('All done')}, in {time.monotonic() - began:.0f} s.")
        if keep:
            invite(stage, programs)
        if stage.backend is not None and (status := stage.backend.stop()) != 0:
            raise Failed(f"the wallet's backend ended with status {status}:\n{stage.backend.tail()}")
        status = server.stop()
        if status != 0:
            raise Failed(f"the server ended with status {status}:\n{server.tail()}")
        return 0
    except KeyboardInterrupt:
        return 130
    except Failed as failure:
        say(f"\nThe demo stopped: {failure}")
        say(dim(f"The server's log ends with:\n{server.tail()}"))
        if stage.backend is not None:
            say(dim(f"The backend's log ends with:\n{stage.backend.tail()}"))
        if stage.production is not None:
            say(dim(f"The log of the server in production ends with:\n{stage.production.server.tail()}"))
        return 1
    finally:
        ignore_signals()
        if stage.backend is not None:
            stage.backend.stop()
        server.stop()
        for stand_in in stage.stand_ins:
            stand_in.stop()
        gateway.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def invite(stage, programs):
    """The server stays up: says what a person could try now, and waits for Ctrl-C."""
    server, person, app = stage.server, stage.person, stage.wallet("yours")
    settings = f"WALLET_ISSUER={app.issuer} WALLET_CLIENT_ID={app.client_id} WALLET_HOME='{app.store}'"
    say(f"\n{bold('The server is still up: try it yourself')} (in another terminal)")
    say(f"    user name {bold(person.username)}   password {bold(person.password)}")
    say("\n    Sign in with your browser, then look around:")
    say(f"      export {settings}")
    say(f"      '{app.program}' sign-in --browser")
    say(f"      '{app.program}' status")
    say(f"      '{app.program}' call {app.issuer}/oauth2/userinfo")
    if stage.phones:
        say(f"\n    Shop: open {stage.backend.url}/shop in your browser, and sign with ada's phone (PIN 274916):")
        say(f"      export {settings.replace(app.store, stage.phones['ada'].store)}")
        say(f"      '{app.program}' transactions approve 'THE LINK OF “Open in my wallet”'")
    elif stage.backend is not None:
        say("\n    Pay (sign in with --username, and the code from the outbox, for two factors):")
        say(f"      export WALLET_BACKEND={stage.backend.url}")
        say(f"      '{app.program}' sign-in --username {person.username} --scope '{sca_steps.SCOPES}'")
        say(f"      '{app.program}' transfer --to '{sca_steps.PAYEE}' --amount 99.00")
        say(f"      Outbox: {app.issuer}/sandbox/outbox")
        if stage.wallets:
            phone = f"WALLET_HOME='{stage.wallets['ada'].store}' '{app.program}'"
            say("\n    Be ada's phone (PIN 274916), after a transfer with --factor push, or with a picture of a sign-in page's code:")
            say(f"      {phone} approvals list")
            say(f"      {phone} sign-in-elsewhere --picture FILE")
    if stage.operators:
        nora = stage.operators["nora"]
        say(f"\n    The operators' console: {app.issuer}/admin")
        say(f"      user name {bold('nora')}   password {bold(nora.browser.password)}   authenticator app {nora.secret}")
    say("\n    Be the operator:")
    say("      export " + " ".join(f"{name}='{value}'" for name, value in server.settings.items()))
    say(f"      '{server.program}' client list")
    say(f"      '{server.program}' doctor")
    say(f"\n    The server's log: {server.log}")
    say(f"    Its metadata:     {app.issuer}/.well-known/openid-configuration")
    say(f"\n    {bold('Ctrl-C')} stops the server and removes its database.")
    try:
        signal.pause()
    except KeyboardInterrupt:
        say("\nStopped.")


if __name__ == "__main__":
    sys.exit(main())
