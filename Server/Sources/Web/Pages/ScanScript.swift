/// The script of the page that shows a code to scan. Without it, the page loads itself again.
///
/// It replaces the code by the next one, and loads the page again once there is something else to show.
package enum ScanScript {
    package static let text = """
        "use strict";
        (() => {
          const scan = document.getElementById("scan");
          if (!scan) return;
          const code = scan.querySelector("path");
          const look = async () => {
            try {
              const answer = await fetch(scan.dataset.state, { cache: "no-store", credentials: "same-origin" });
              if (answer.ok) {
                const state = await answer.json();
                if (state.step !== scan.dataset.step) {
                  location.reload();
                  return;
                }
                if (code && state.path) code.setAttribute("d", state.path);
              }
            } catch {
              // The network may come back.
            }
            setTimeout(look, 1500);
          };
          setTimeout(look, 1500);
        })();

        """
}
