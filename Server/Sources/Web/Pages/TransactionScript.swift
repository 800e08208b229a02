/// The script of the page that a transaction's link opens. Without it, the page says what to do.
///
/// On Android it shows a button that opens the app with the link, in place of the way back to that link. On a desktop it posts the link's
/// secret to the same address, and the answer is the code to scan; the address keeps its fragment. On an iPhone there is neither.
package enum TransactionScript {
    package static let text = """
        "use strict";
        (() => {
          const secret = location.hash.slice(1);
          if (!/^[A-Za-z0-9_-]{22}$/.test(secret)) return;
          const open = document.getElementById("open");
          if (/Android/.test(navigator.userAgent)) {
            if (!open) return;
            const scheme = location.protocol.slice(0, -1);
            open.querySelector("a").href = "intent://" + location.host + location.pathname + location.hash
              + "#Intent;scheme=" + scheme + ";package=" + open.dataset.package + ";end";
            open.hidden = false;
            document.getElementById("next-step").hidden = true;
            return;
          }
          // A phone does not scan its own screen.
          if (matchMedia("(pointer: coarse)").matches) return;
          const form = document.getElementById("code");
          form.elements.namedItem("secret").value = secret;
          form.action = location.href;
          form.submit();
        })();

        """
}
