"""A known guest's sign-in by an integrator's backend, next to HTTP, one verification, two signatures and a durable commit; and how often
the provider's keys are fetched when they roll.

The provider is a process that answers from memory (standin.py). What it takes of the processors is measured apart.
"""

import base64
import itertools
import json
import os
import resource
import secrets
import statistics
import sys
import urllib.request

import standin
from bench import Server, load
from commits import Commits
from load import chained, duration, load_lines, request_line
from processes import Running

# The server asks one host no more at once.
CONNECTIONS = 16
# A guest has few attempts at once: with more guests than connections, each has one.
GUESTS = 8 * CONNECTIONS
# So many in one go; identity tokens count for five minutes.
SIGN_INS = 16 * GUESTS
ROLLED = 1_000
BACKEND, MERCHANT, INTEGRATION = "loyalty", 1, "apple"
GUEST_TOKEN, ENROLLMENT = "/oauth/requestGuestToken.json", "/enrollment/createAndRegister.json"
FIELD_SET = "http://paytronix.com/oauth/fieldset"
# Apple's answer is verified; the client secret and the access token are signed. One of the changes is the session.
VERIFICATIONS, SIGNATURES, COMMITS = 1, 2, 1


class Provider:
    """The process that answers in the provider's place."""

    def __init__(self, bench):
        self.running = Running([sys.executable, standin.__file__, bench.folder, str(GUESTS)], f"{bench.folder}/standin.log")
        self.url, self.key_file = self.running.line, os.path.join(bench.folder, standin.KEY_FILE)

    def control(self, what):
        request = urllib.request.Request(self.url + "/control", data=json.dumps({"do": what}).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


class Guests:
    """Guests with an account each, and the backend that signs them in."""

    def __init__(self, bench, server, provider):
        self.bench, self.server, self.provider = bench, server, provider
        created = server.administer(
            "client", "create", BACKEND, "--name", "Load", "--confidential", "--guest-tokens",
            "--loyalty-merchant", str(MERCHANT), "--scope", "user_read account_read", "--json",
        )  # fmt: skip
        basic = base64.b64encode(f"{BACKEND}:{created['clientSecret']}".encode()).decode()
        self.headers = {"Authorization": f"Basic {basic}"}
        server.administer(
            "provider", "add", "apple", "apple", "--loyalty-merchant", str(MERCHANT), "--loyalty-integration", INTEGRATION,
            "--team-id", standin.TEAM, "--key-id", standin.KEY_ID, "--private-key", provider.key_file, "--client-id",
            standin.CLIENT, "--base-url", provider.url,
        )  # fmt: skip
        self.processor_us, self.provider_us = [], []
        self.enroll()

    def enroll(self):
        lines = []
        for guest, token in enumerate(self.provider.control("fill")["tokens"]):
            account = {"accountCode": token, "integration": INTEGRATION, "accessToken": self.code(guest)}
            body = {
                "authentication": "b2b", "merchantId": MERCHANT, "cardTemplateCode": 0, "activationStoreCode": "store",
                "enforceUniqueFields": [],
                "setUserFields": {"style": "typed", "username": f"guest{guest}", "password": secrets.token_urlsafe(16)},
                "setAccountFields": {"style": "typed", "externalAccounts": [account]},
            }  # fmt: skip
            lines.append(request_line(ENROLLMENT, json.dumps(body), self.headers))
        # Passwords are hashed: a few at once.
        load_lines(self.server.url, 4, lines, '"accountId"', self.bench.folder)

    @staticmethod
    def code(guest):
        return f"guest-{guest}-{secrets.token_hex(8)}"

    def request(self, guest, token):
        return json.dumps({
            "authentication": "b2b", "grant_type": FIELD_SET, "merchantId": MERCHANT, "scope": "user_read account_read",
            "fields": {
                "externalIdentifier": INTEGRATION, "externalAccessToken": self.code(guest), "externalAccountCode": token,
            },
        })  # fmt: skip

    def sign_in(self, count):
        """So many sign-ins: what was measured, a request and an answer."""
        tokens = self.provider.control("fill")["tokens"]
        guests = itertools.islice(itertools.cycle(range(GUESTS)), count)
        bodies = [self.request(guest, tokens[guest]) for guest in guests]
        lines = [request_line(GUEST_TOKEN, body, self.headers) for body in bodies]
        processes = (self.server.running, self.provider.running)
        began = [process.processor_seconds() for process in processes]
        measured, answers = load_lines(self.server.url, CONNECTIONS, lines, '"access_token"', self.bench.folder)
        used = [process.processor_seconds() - before for process, before in zip(processes, began)]
        for times, seconds in zip((self.processor_us, self.provider_us), used):
            times.append(seconds / measured.answers * 1e6)
        return measured, bodies[-1], answers[-1]

    def round(self, seconds):
        cycles, elapsed = [], 0
        while elapsed < seconds:
            cycles.append((self.sign_in(SIGN_INS)[0],))
            elapsed += duration(cycles[-1])
        return chained(cycles)


def exchange(bench, provider):
    """What the least client needs of the processors to ask the provider once: the same form, by wrk. Microseconds."""
    form = provider.control("state")["lastForm"]
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    measured = load("form.lua", provider.url + "/auth/token", CONNECTIONS, bench.seconds, BODY=form, MUST='"id_token"')
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (ended.ru_utime - began.ru_utime + ended.ru_stime - began.ru_stime) / measured.answers * 1e6


def measure(bench):
    server = Server(bench.programs, bench.folder, "guests.db").start()
    try:
        provider = Provider(bench)
        try:
            guests = Guests(bench, server, provider)
            against(bench, guests)
            rolled(bench, guests)
        finally:
            provider.running.stop()
    finally:
        server.stop()


def against(bench, guests):
    _, body, answer = guests.sign_in(SIGN_INS)
    answered, asked = guests.provider_us.pop(), exchange(bench, guests.provider)
    guests.processor_us.clear()
    cryptography = VERIFICATIONS * bench.crypto["rs256_verify_us"] + SIGNATURES * bench.crypto["es256_sign_us"]
    _, change = Commits(bench.folder, CONNECTIONS).measure(bench.seconds)
    bench.compare(
        "known guest, by the identity token and the code", 0.50, answer,
        cryptography + COMMITS * change + answered + asked,
        lambda url, connections, seconds: load("form.lua", url, connections, seconds, BODY=body, MUST='"access_token"'),
        lambda _, seconds: guests.round(seconds), CONNECTIONS,
    )  # fmt: skip
    bench.fact("known guest: the server's processor time", statistics.median(guests.processor_us), "µs")
    bench.fact("known guest: of it a verification and two signatures", cryptography, "µs")
    bench.fact("known guest: of it a durable change, as SQLite alone makes it", COMMITS * change, "µs")
    bench.fact("known guest: the provider's processor time, apart", statistics.median(guests.provider_us), "µs")
    bench.fact("known guest: what the least client needs to ask the provider", asked, "µs")


def rolled(bench, guests):
    """Keys that roll between two sign-ins; each of the tokens after it is signed by the new one."""
    guests.provider.control("roll")
    before = guests.provider.control("state")["keyFetches"]
    guests.sign_in(ROLLED)
    fetched = guests.provider.control("state")["keyFetches"] - before
    bench.fact(f"known guest: fetches of the key set for {ROLLED:,} sign-ins after it rolled", fetched, "", 1)
