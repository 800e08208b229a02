/// The script of the pages with passkeys. It passes the page's request to the browser, and the browser's result to the
/// form.
///
/// Without the script, or in a browser without passkeys, the form stays hidden and the page works as before. The script
/// loads nothing, sends nothing and creates no HTML; its texts come from attributes of the page.
package enum PasskeyScript {
    package static let text = """
        "use strict";
        (() => {
          const form = document.getElementById("passkey");
          if (!form || !window.PublicKeyCredential || !navigator.credentials) return;
          const bytes = (text) => {
            const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
            return Uint8Array.from(plain, (character) => character.charCodeAt(0));
          };
          const text = (buffer) => {
            let plain = "";
            for (const byte of new Uint8Array(buffer)) plain += String.fromCharCode(byte);
            return btoa(plain).replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, "");
          };
          const status = document.getElementById("passkey-status");
          const options = () => {
            const asked = JSON.parse(form.dataset.options);
            asked.challenge = bytes(asked.challenge);
            if (asked.user) asked.user.id = bytes(asked.user.id);
            for (const key of asked.excludeCredentials || []) key.id = bytes(key.id);
            return asked;
          };
          const send = (credential) => {
            const answer = credential.response;
            const response = { clientDataJSON: text(answer.clientDataJSON) };
            if (answer.attestationObject) {
              response.attestationObject = text(answer.attestationObject);
              response.transports = answer.getTransports ? answer.getTransports() : [];
            } else {
              response.authenticatorData = text(answer.authenticatorData);
              response.signature = text(answer.signature);
              if (answer.userHandle) response.userHandle = text(answer.userHandle);
            }
            form.elements.namedItem("passkey").value = JSON.stringify({
              id: credential.id, rawId: text(credential.rawId), type: credential.type, response,
              clientExtensionResults: {},
            });
            HTMLFormElement.prototype.submit.call(form);
          };
          const tell = (fault) => {
            if (fault.name === "AbortError") return;
            status.textContent = fault.name === "InvalidStateError" ? form.dataset.known : form.dataset.failed;
            status.hidden = false;
          };
          const creates = form.dataset.ceremony === "create";
          let waiting = null;
          const unsupported = document.getElementById("passkey-unsupported");
          if (unsupported) unsupported.hidden = true;
          form.hidden = false;
          form.addEventListener("submit", (event) => {
            event.preventDefault();
            if (waiting) waiting.abort();
            waiting = null;
            status.hidden = true;
            const asked = { publicKey: options() };
            (creates ? navigator.credentials.create(asked) : navigator.credentials.get(asked)).then(send).catch(tell);
          });
          if (creates || !form.dataset.autofill || !PublicKeyCredential.isConditionalMediationAvailable) return;
          PublicKeyCredential.isConditionalMediationAvailable().then((available) => {
            if (!available) return;
            waiting = new AbortController();
            // People who type a password instead never notice.
            navigator.credentials
              .get({ publicKey: options(), mediation: "conditional", signal: waiting.signal })
              .then(send)
              .catch(() => {});
          });
        })();

        """
}
