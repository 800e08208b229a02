"""mod_auth_openidc in Apache, unmodified, as a confidential relying party of the server under test: sign-in, call, renewal, sign-out.

Arguments: ISSUER CLIENT_ID REDIRECT_URI USERNAME FOLDER, the client's secret and the password on standard input, a line each. Apache
listens where the redirect URI leads to; its configuration and log go to FOLDER. Prints one JSON object of what was seen; a step that
fails ends the program with a traceback and status 1.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote, urlsplit

import requests

import person

CONFIGURATION = """
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
ErrorLog {folder}/apache-errors.txt
DocumentRoot {pages}
{user}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authn_core_module /usr/lib/apache2/modules/mod_authn_core.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule authz_user_module /usr/lib/apache2/modules/mod_authz_user.so
LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
LoadModule auth_openidc_module /usr/lib/apache2/modules/mod_auth_openidc.so

OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID {client_id}
OIDCClientSecret "{secret}"
OIDCRedirectURI {redirect_uri}
OIDCCryptoPassphrase "{passphrase}"
OIDCScope "openid profile offline_access unknown"
OIDCPKCEMethod S256
# A busy machine lets the server be late: by default the module waits for five seconds.
OIDCHTTPTimeoutLong 120
OIDCHTTPTimeoutShort 120
OIDCPassRefreshToken On
# In a cookie, the module keeps no ID token, with which it signs out.
OIDCSessionType server-cache

<Location /members>
    AuthType openid-connect
    Require valid-user
    # What the module gives to an application behind it.
    Header set X-Name "%{{OIDC_CLAIM_preferred_username}}e"
    Header set X-Access-Token "%{{OIDC_access_token}}e"
    Header set X-Refresh-Token "%{{OIDC_refresh_token}}e"
</Location>
"""


class Apache:
    def __init__(self, folder, redirect_uri, **settings):
        self.errors = folder + "/apache-errors.txt"
        # Apache does not serve as root. The user it serves as may have no access to the folder, so the pages lie apart.
        self.pages = tempfile.TemporaryDirectory()
        os.chmod(self.pages.name, 0o755)
        for path in ("", "/members"):
            os.makedirs(self.pages.name + path, exist_ok=True)
            with open(f"{self.pages.name}{path}/index.html", "w", encoding="utf-8") as page:
                page.write("everybody" if path == "" else "members")
        user = "User nobody\nGroup nogroup" if os.geteuid() == 0 else ""
        file = folder + "/apache.conf"
        with open(file, "w", encoding="utf-8") as out:
            out.write(
                CONFIGURATION.format(
                    folder=folder,
                    pages=self.pages.name,
                    redirect_uri=redirect_uri,
                    port=urlsplit(redirect_uri).port,
                    passphrase=os.urandom(24).hex(),
                    user=user,
                    **settings,
                )
            )
        program = shutil.which("apache2") or "/usr/sbin/apache2"
        command = [program, "-d", folder, "-f", file, "-DFOREGROUND"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def await_listening(self, url):
        end = time.monotonic() + 300
        while time.monotonic() < end:
            try:
                return requests.get(url, timeout=120)
            except requests.ConnectionError:
                assert self.process.poll() is None, self.log()
                time.sleep(0.05)
        raise AssertionError("Apache does not listen: " + self.log())

    def log(self):
        try:
            with open(self.errors, encoding="utf-8") as lines:
                return lines.read()[-3000:]
        except FileNotFoundError:
            return "no log"

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=120)
        self.pages.cleanup()


def main():
    issuer, client_id, redirect_uri, username, folder = sys.argv[1:6]
    secret, password = (sys.stdin.readline().rstrip("\n") for _ in range(2))
    metadata = requests.get(issuer + "/.well-known/openid-configuration", timeout=120).json()
    base = "{0.scheme}://{0.netloc}".format(urlsplit(redirect_uri))
    apache = Apache(folder, redirect_uri, issuer=issuer, client_id=client_id, secret=secret)
    try:
        apache.await_listening(base + "/")
        browser = requests.Session()

        def members():
            answer = browser.get(base + "/members/", allow_redirects=False, timeout=120)
            assert answer.status_code == 200, f"{answer.status_code} {apache.log()}"
            return {name: answer.headers["X-" + name] for name in ("Name", "Access-Token", "Refresh-Token")}

        def call(token):
            bearer = {"Authorization": "Bearer " + token}
            return requests.get(metadata["userinfo_endpoint"], headers=bearer, timeout=120).status_code

        sent = browser.get(base + "/members/", allow_redirects=False, timeout=120)
        visitor = requests.Session()
        back = browser.get(person.sign_in(sent.headers["Location"], username, password, browser=visitor), timeout=120)
        assert back.status_code == 200 and "members" in back.text, f"{back.status_code} {back.text} {apache.log()}"
        first = members()
        seen = {"name": first["Name"], "userinfo_status": call(first["Access-Token"])}

        hook = f"{redirect_uri}?refresh={quote(base + '/members/')}&access_token={quote(first['Access-Token'])}"
        renewal = browser.get(hook, allow_redirects=False, timeout=120)
        assert "error_code" not in renewal.headers.get("Location", ""), f"{renewal.headers} {apache.log()}"
        renewed = members()
        seen["new_access_token"] = renewed["Access-Token"] != first["Access-Token"]
        seen["refresh_rotates"] = renewed["Refresh-Token"] != first["Refresh-Token"]
        seen["renewed_userinfo_status"] = call(renewed["Access-Token"])

        out = browser.get(f"{redirect_uri}?logout={quote(base + '/')}", allow_redirects=False, timeout=120)
        leave = out.headers["Location"]
        seen["signs_out"] = leave.startswith(metadata["end_session_endpoint"] + "?") and "id_token_hint=" in leave
        seen["led_back"] = visitor.get(leave, allow_redirects=False, timeout=120).headers.get("Location") == base + "/"
        seen["userinfo_after_sign_out"] = call(renewed["Access-Token"])
        away = browser.get(base + "/members/", allow_redirects=False, timeout=120)
        seen["asks_again"] = away.headers.get("Location", "").startswith(metadata["authorization_endpoint"])
        seen["asks_for_password"] = 'type="password"' in visitor.get(away.headers["Location"], timeout=120).text

        # The session ends at the server, which tells the module.
        browser.get(person.sign_in(away.headers["Location"], username, password, browser=visitor), timeout=120)
        last = members()
        revoked = {"token": last["Refresh-Token"]}
        requests.post(metadata["revocation_endpoint"], data=revoked, auth=(client_id, secret), timeout=120).raise_for_status()
        end = time.monotonic() + 120
        while browser.get(base + "/members/", allow_redirects=False, timeout=120).status_code == 200:
            assert time.monotonic() < end, "the module does not hear of the end: " + apache.log()
            time.sleep(0.1)
        seen["heard_of_the_end"] = True
        tokens = [one[kind] for one in (first, renewed, last) for kind in ("Access-Token", "Refresh-Token")]
        seen["secrets"] = [password, secret, *tokens]
        print(json.dumps(seen))
    finally:
        apache.stop()


main()
