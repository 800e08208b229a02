/// The shop's stylesheet and script, served as separate files so that pages need no inline code.
enum ShopAssets {
    /// Contrast is at least 4.5 to 1 in light and dark mode. The code stays black on white so that cameras can read it.
    static let stylesheet = """
        :root {
          color-scheme: light dark;
          --ground: #f6f3ee; --surface: #fff; --line: #ddd5c8; --ink: #241d15; --soft: #62574a;
          --accent: #7a3e12; --on-accent: #fff;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #14110d; --surface: #1f1a15; --line: #3a322a; --ink: #f4eee6; --soft: #b9ac9c;
            --accent: #e8a878; --on-accent: #241307;
          }
        }
        *, *::before, *::after { box-sizing: border-box; }
        body {
          margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 2rem 1rem;
          background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
        }
        main {
          width: 100%; max-width: 28rem; padding: 2rem; background: var(--surface);
          border: 1px solid var(--line); border-radius: 1.125rem;
        }
        h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; }
        .lead { margin: .375rem 0 1.5rem; color: var(--soft); }
        .shelf { list-style: none; margin: 0 0 1rem; padding: 0; }
        .shelf li {
          display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .75rem 0;
          border-top: 1px solid var(--line);
        }
        .name { font-weight: 600; }
        button, .button {
          display: inline-block; min-height: 2.75rem; padding: .625rem 1rem; font: inherit; font-weight: 600;
          color: var(--on-accent); background: var(--accent); border: 0; border-radius: .75rem; cursor: pointer;
          text-decoration: none; text-align: center;
        }
        .button { display: block; margin: 0 0 1.5rem; }
        [hidden] { display: none !important; }
        .quiet { display: block; padding: .625rem 0; color: var(--accent); font-weight: 600; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        summary { padding: .625rem 0; color: var(--accent); font-weight: 600; cursor: pointer; }
        label { display: block; font-weight: 600; }
        .hint { margin: 0 0 .375rem; color: var(--soft); font-size: .875rem; }
        input {
          width: 100%; min-height: 2.75rem; padding: .625rem .875rem; font: inherit; color: inherit;
          background: var(--surface); border: 1px solid var(--soft); border-radius: .75rem;
        }
        .code { margin: 0 auto 1.25rem; max-width: 16rem; border-radius: .75rem; overflow: hidden; background: #fff; }
        .code svg { display: block; width: 100%; height: auto; }
        dl { display: grid; grid-template-columns: auto 1fr; gap: .375rem 1rem; margin: 0 0 1rem; }
        dt { color: var(--soft); }
        dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
        .amount { font-weight: 700; font-variant-numeric: tabular-nums; }
        """

    /// Waits for the next state and replaces the page's content without a reload.
    static let script = """
        "use strict";
        const pause = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));
        const show = async () => {
          const page = await fetch(location.href, { cache: "no-store" });
          if (!page.ok) return false;
          const main = new DOMParser().parseFromString(await page.text(), "text/html").querySelector("main");
          if (!main) return false;
          const shown = document.querySelector("main");
          shown.replaceChildren(...main.childNodes);
          for (const name of ["state", "stateUrl"]) {
            if (name in main.dataset) shown.dataset[name] = main.dataset[name];
            else delete shown.dataset[name];
          }
          document.title = shown.querySelector("h1").textContent;
          return true;
        };
        const follow = async () => {
          for (;;) {
            const { state, stateUrl } = document.querySelector("main").dataset;
            if (!stateUrl) return;
            try {
              const answer = await fetch(`${stateUrl}?wait=20&seen=${state}`, { cache: "no-store" });
              const now = answer.ok ? await answer.json() : { state };
              // A signature that stays unproved keeps its state when it is over.
              const changed = now.state !== state || now.over;
              await pause(changed && (await show()) ? 0 : 2000);
            } catch {
              await pause(5000);
            }
          }
        };
        follow();
        """
}
