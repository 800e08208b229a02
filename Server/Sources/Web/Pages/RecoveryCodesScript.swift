/// The script of the page with new recovery codes. It copies and prints them.
///
/// Without it, the buttons stay hidden, and the codes can be selected. The script loads and sends nothing; its texts come from attributes of
/// the page.
package enum RecoveryCodesScript {
    package static let text = """
        "use strict";
        (() => {
          const buttons = document.getElementById("recovery-codes-buttons");
          const list = document.getElementById("recovery-codes");
          if (!buttons || !list) return;
          const status = document.getElementById("recovery-codes-status");
          const codes = Array.from(list.querySelectorAll("code"), (code) => code.textContent).join("\\n");
          const copy = document.getElementById("copy-codes");
          // Only pages over TLS or on this machine may use the clipboard.
          copy.hidden = !navigator.clipboard;
          copy.addEventListener("click", () => {
            navigator.clipboard.writeText(codes).then(
              () => { status.textContent = buttons.dataset.copied; },
              () => { status.textContent = buttons.dataset.failed; });
          });
          document.getElementById("print-codes").addEventListener("click", () => window.print());
          buttons.hidden = false;
        })();

        """
}
