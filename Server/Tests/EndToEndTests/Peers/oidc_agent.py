"""oidc-agent, unmodified, as a public client of the server under test: sign-in, call, renewal, sign-out.

Arguments: ISSUER CLIENT_ID REDIRECT_URI USERNAME FOLDER, the password on standard input. The redirect URI is on http://localhost;
what the agent keeps goes to FOLDER. Prints one JSON object of what was seen; a step that fails ends the program with a traceback and
status 1.
"""

import json
import os
import re
import subprocess
import sys

import requests

import person

SCOPE = "openid profile offline_access unknown"


class Agent:
    """The agent, and the programs that speak to it."""

    def __init__(self, folder):
        # Unix sockets have short names only, so that the agent chooses its own place for one.
        self.environment = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder + "/.config", "AGENT_PASSWORD": "x"}
        os.makedirs(folder + "/.config", exist_ok=True)
        started = self.run("oidc-agent", "--json", "--no-autoreauthenticate")
        found = json.loads(started.stdout)
        self.environment.update(OIDC_SOCK=found["socket"], OIDCD_PID=str(found["dpid"]))

    def run(self, *command, check=True):
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120)
        assert not check or result.returncode == 0, f"{command}: {result.stdout} {result.stderr}"
        return result

    def stop(self):
        self.run("oidc-agent", "--kill", check=False)


def sign_in(agent, issuer, client_id, redirect_uri, username, password):
    """Makes the agent's account: it prints an address for the browser, and listens for the answer itself."""
    generation = subprocess.Popen(
        [
            *("oidc-gen", "--issuer", issuer, "--client-id", client_id, "--client-secret", "", "--flow", "code"),
            *("--redirect-uri", redirect_uri, "--scope", SCOPE, "--no-url-call", "--no-scheme", "--prompt", "none"),
            *("--confirm-default", "--pw-env=AGENT_PASSWORD", "server"),
        ],
        env=agent.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = []
    for line in generation.stdout:
        said.append(line)
        found = re.search(re.escape(issuer) + r"/oauth2/authorize\?\S+", line)
        if found:
            requests.get(person.sign_in(found.group(0), username, password), timeout=120)
    assert generation.wait(timeout=120) == 0, "".join(said)


def main():
    issuer, client_id, redirect_uri, username, folder = sys.argv[1:6]
    password = sys.stdin.readline().rstrip("\n")
    metadata = requests.get(issuer + "/.well-known/openid-configuration", timeout=120).json()
    agent = Agent(folder)
    try:
        sign_in(agent, issuer, client_id, redirect_uri, username, password)

        def call(token):
            bearer = {"Authorization": "Bearer " + token}
            return requests.get(metadata["userinfo_endpoint"], headers=bearer, timeout=120)

        first = agent.run("oidc-token", "server").stdout.strip()
        seen = {"userinfo_status": call(first).status_code}
        renewed = agent.run("oidc-token", "--force-new", "server").stdout.strip()
        seen["new_access_token"] = renewed != first
        called = call(renewed)
        seen["renewed_userinfo_status"] = called.status_code
        seen["preferred_username"] = called.json().get("preferred_username")

        agent.run("oidc-gen", "--delete", "--pw-env=AGENT_PASSWORD", "--confirm-yes", "--prompt", "none", "server")
        seen["userinfo_after_sign_out"] = call(renewed).status_code
        seen["secrets"] = [password, first, renewed]
        print(json.dumps(seen))
    finally:
        agent.stop()


main()
