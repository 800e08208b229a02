/// The script of pages with something to copy: a button copies the text of the element before it, or its own `data-text`.
///
/// Without it, the buttons stay hidden, and the text can be selected. The script loads and sends nothing; its texts come from attributes of
/// the page.
package enum CopyScript {
    package static let text = """
        "use strict";
        (() => {
          // Only pages over TLS or on this machine may use the clipboard.
          if (!navigator.clipboard) return;
          for (const button of document.querySelectorAll("button[data-copied]")) {
            const source = button.previousElementSibling?.querySelector("code");
            if (!source) continue;
            button.addEventListener("click", () => {
              navigator.clipboard.writeText(button.dataset.text ?? source.textContent).then(
                () => { button.textContent = button.dataset.copied; },
                () => { getSelection().selectAllChildren(source); });
            });
            button.hidden = false;
          }
        })();

        """
}
