/// The stylesheet of the pages. Deliberately calm: one card, one action, system fonts, no motion by itself.
///
/// Elements that show names have `contain: paint`. Letters that extend far above or below their line are clipped at
/// their own box and cannot cover another row.
///
/// Colors come in pairs with a contrast of at least 4.5 to 1 (WCAG 2.2 §1.4.3), in both light and dark. A brand
/// replaces only the accent, with a ``BrandColor``, which guarantees the same contrast.
package enum Stylesheet {
    package static let text = """
        :root {
          color-scheme: light dark;
          --ground: #f3f5f8; --surface: #ffffff; --line: #d5dae1; --field-line: #7d8896;
          --ink: #17202b; --soft: #4d5865;
          --accent: #1f5eff; --on-accent: #ffffff; --link: #1a53e6; --edge: #1f5eff;
          --bad: #a8201a; --bad-ground: #fdf0ef; --bad-line: #e7b3b0;
          --good: #17633a; --good-ground: #eef7f1; --good-line: #b2d6c0;
          --shadow: 0 1px 2px rgb(16 24 40 / 6%), 0 12px 32px -8px rgb(16 24 40 / 14%);
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #0e1217; --surface: #171d25; --line: #2b3441; --field-line: #768394;
            --ink: #edf1f6; --soft: #a9b4c1;
            --accent: #6c95ff; --on-accent: #0b1020; --link: #8fadff; --edge: #6c95ff;
            --bad: #ffa8a2; --bad-ground: #2c1718; --bad-line: #6b3230;
            --good: #8fd9ae; --good-ground: #12251b; --good-line: #2c5a40;
            --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 12px 32px -8px rgb(0 0 0 / 50%);
          }
        }
        *, *::before, *::after { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body {
          margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center;
          padding: 2rem 1rem; background: var(--ground); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
        }
        main { width: 100%; min-width: 0; }
        main.narrow { max-width: 26rem; }
        main.wide { max-width: 48rem; align-self: start; }
        .brand { display: flex; align-items: center; justify-content: center; gap: .75rem; margin: 0 0 1.5rem; }
        .brand .logo { display: block; max-width: min(14rem, 100%); max-height: 3rem; }
        .brand-name { font-size: 1.125rem; font-weight: 650; letter-spacing: -.01em; overflow-wrap: anywhere; }
        .monogram {
          display: grid; place-items: center; flex: none; width: 2.25rem; height: 2.25rem; border-radius: .625rem;
          background: var(--accent); color: var(--on-accent); font-weight: 700; font-size: 1.125rem; line-height: 1;
          border: 1px solid var(--edge);
        }
        .card {
          background: var(--surface); border: 1px solid var(--line); border-radius: 1.125rem;
          box-shadow: var(--shadow); padding: 2rem;
        }
        h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.018em; font-weight: 680; }
        main.operation h1, .summary { font-size: 1.75rem; line-height: 1.2; font-weight: 680; text-wrap: balance; }
        .summary { margin: -.5rem 0 1rem; overflow-wrap: anywhere; }
        /* A long name has smaller type, so that it breaks between its words, and the button stays on a phone's first screen. */
        main.long h1, .summary.long { font-size: 1.375rem; }
        main.longer h1, .summary.longer { font-size: 1.125rem; line-height: 1.25; }
        main.longest h1, .summary.longest { font-size: 1rem; line-height: 1.25; }
        h2 { margin: 0 0 .25rem; font-size: 1rem; line-height: 1.35; font-weight: 650; }
        h3 { margin: 0 0 .25rem; font-size: .9375rem; line-height: 1.35; font-weight: 600; }
        h1, h2, h3 { overflow-wrap: anywhere; }
        .scopes { margin: 0 0 1.125rem; padding: 0 0 0 1.25rem; }
        .scopes li { margin: .25rem 0; overflow-wrap: anywhere; }
        .lead { margin: .375rem 0 1.5rem; color: var(--soft); overflow-wrap: anywhere; }
        .field { margin: 0 0 1.125rem; }
        label { display: block; margin: 0 0 .375rem; font-weight: 580; font-size: .9375rem; }
        .hint { margin: 0 0 .375rem; color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
        .wrong { margin: 0 0 .375rem; color: var(--bad); font-size: .875rem; font-weight: 580; overflow-wrap: anywhere; }
        .wrong p { margin: 0; }
        .wrong p + p { margin-top: .25rem; color: var(--soft); font-weight: 400; }
        input:not([type="hidden"]) {
          display: block; width: 100%; min-height: 3rem; padding: .625rem .875rem; font: inherit; color: inherit;
          background: var(--surface); border: 1px solid var(--field-line); border-radius: .75rem;
        }
        input[type="checkbox"] {
          flex: none; width: 1.375rem; min-height: 0; height: 1.375rem; margin: .0625rem 0 0; padding: 0;
          accent-color: var(--accent);
        }
        .check { display: flex; align-items: flex-start; gap: .625rem; margin: 0; cursor: pointer; }
        .entry { position: relative; }
        .entry:has(.reveal:not([hidden])) input:not([type="hidden"]) { padding-right: 7rem; }
        button.reveal {
          position: absolute; right: .25rem; top: .25rem; bottom: .25rem; width: auto; min-height: 0;
          padding: 0 .625rem; font-size: .875rem; white-space: nowrap; color: var(--link); background: transparent; border-color: transparent;
        }
        button.reveal:hover, button.reveal:active { box-shadow: none; background: var(--ground); }
        input.code { font-size: 1.375rem; letter-spacing: .28em; font-variant-numeric: tabular-nums; }
        input.letters { letter-spacing: .14em; text-transform: uppercase; }
        .invalid input:not([type="hidden"]) { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
        button, a.button {
          display: block; width: 100%; min-height: 3rem; padding: .625rem 1rem; font: inherit; font-weight: 620;
          color: var(--on-accent); background: var(--accent); border: 1px solid var(--edge); border-radius: .75rem;
          cursor: pointer; overflow-wrap: anywhere;
        }
        a.button { text-align: center; text-decoration: none; }
        button:hover, a.button:hover { box-shadow: inset 0 0 0 1px var(--on-accent); }
        button:active, a.button:active { box-shadow: inset 0 0 0 2px var(--on-accent); }
        button.quiet {
          min-height: 2.75rem; color: var(--link); background: transparent; border-color: transparent; font-weight: 560;
        }
        button.quiet:hover, button.quiet:active { box-shadow: none; background: var(--ground); }
        button.second, a.second { color: var(--link); background: transparent; border-color: var(--field-line); }
        button.second:hover, button.second:active, a.second:hover, a.second:active { box-shadow: none; background: var(--ground); }
        button.danger { color: var(--surface); background: var(--bad); border-color: var(--bad); }
        button.danger:hover { box-shadow: inset 0 0 0 1px var(--surface); }
        button.danger:active { box-shadow: inset 0 0 0 2px var(--surface); }
        button.apple {
          display: flex; align-items: center; justify-content: center; gap: .5rem; --on-accent: #ffffff; color: #ffffff;
          background: #000000; border-color: #000000;
        }
        button.apple svg { flex: none; width: 1.125rem; height: 1.125rem; margin-top: -.125rem; fill: currentcolor; }
        .alone { margin: .75rem 0 0; }
        .divider { display: flex; align-items: center; gap: .75rem; margin: 1.125rem 0 .75rem; color: var(--soft); font-size: .875rem; }
        .divider::before, .divider::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
        .providers, .choices { display: grid; gap: .5rem; }
        [hidden] { display: none !important; }
        .others { display: grid; gap: .25rem; margin: .75rem 0 -.75rem; }
        /* In one row where they fit: the first is on a phone's first screen. */
        .operation .others { display: flex; flex-wrap: wrap; margin: .5rem 0 0; }
        .operation .others button { flex: 1 1 auto; width: auto; padding: .5rem; }
        a { color: var(--link); text-underline-offset: .18em; }
        .aside { margin: -.375rem 0 1.25rem; font-size: .9375rem; }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        .notice { margin: 0 0 1.5rem; padding: .875rem 1rem; border: 1px solid; border-radius: .75rem; font-size: .9375rem; }
        .notice p { margin: 0; }
        .notice p + p { margin-top: .375rem; color: var(--ink); }
        .notice.bad { color: var(--bad); background: var(--bad-ground); border-color: var(--bad-line); }
        .notice.good { color: var(--good); background: var(--good-ground); border-color: var(--good-line); }
        .notice.plain { color: var(--ink); background: var(--ground); border-color: var(--field-line); }
        .notice a { color: inherit; }
        .next { margin: 0 0 1.25rem; }
        details { margin: 0 0 1.25rem; font-size: .875rem; color: var(--soft); }
        summary { min-height: 1.5rem; color: var(--link); cursor: pointer; }
        .operation details { margin: 0 0 .75rem; }
        .operation details ~ .hint { margin: 0 0 1rem; }
        .operation details.forgot { margin: .5rem 0 0; text-align: center; }
        details.forgot p { text-align: start; }
        details .facts { margin: .5rem 0 0; }
        details p { margin: .5rem 0 0; overflow-wrap: anywhere; }
        .reference { margin: 0; padding: 1rem 0 0; border-top: 1px solid var(--line); font-size: .875rem; }
        .reference code { font-size: .75rem; }
        .reference div { display: flex; flex-wrap: wrap; gap: 0 .5rem; }
        .reference div + div { margin-top: .25rem; }
        dt { color: var(--soft); overflow-wrap: break-word; }
        dd { margin: 0; overflow-wrap: anywhere; }
        code { font: .8125rem/1.7 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
        .command { overflow-wrap: anywhere; }
        main.wide section button, main.wide a.button { width: auto; min-width: 12rem; }
        main.wide a.button { display: inline-block; }
        main.console .rows button, main.console .rows a.button {
          width: auto; min-width: 0; min-height: 2.5rem; padding: .375rem .875rem; font-size: .9375rem;
        }
        main.console .rows a.button { display: inline-grid; align-content: center; }
        main.console .about p { overflow-wrap: anywhere; }
        main.console .rows code { -webkit-user-select: auto; user-select: auto; }
        main.broad { max-width: 72rem; }
        main.console .facts dd, main.console .list dd { overflow-wrap: anywhere; }
        .list { width: 100%; margin: 0 0 1.25rem; border-collapse: collapse; font-size: .9375rem; line-height: 1.4; }
        .list th, .list td { padding: .625rem 1rem .625rem 0; text-align: start; vertical-align: top; }
        .list th { color: var(--soft); font-size: .875rem; font-weight: 580; }
        .list td { overflow-wrap: anywhere; }
        .list .word { overflow-wrap: break-word; }
        .list tbody { border-top: 1px solid var(--line); }
        .list tbody:target { background: var(--ground); }
        .list .more td { padding-top: 0; }
        .list details, .list dl { margin: 0; }
        .list dl div { display: flex; flex-wrap: wrap; gap: 0 .75rem; margin: .375rem 0 0; }
        .list dt, .list dd { max-width: 100%; }
        .lines { margin: 0 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
        .rows code { overflow-wrap: anywhere; }
        .rows code, .message-body code { -webkit-user-select: all; user-select: all; }
        footer { margin: 1.25rem 0 0; text-align: center; color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
        section { margin: 1.5rem 0 0; padding: 1.25rem 0 0; border-top: 1px solid var(--line); }
        section h2 + form { margin: .75rem 0 0; }
        section p { margin: 0 0 .875rem; color: var(--soft); font-size: .9375rem; }
        section p.next { font-size: 1rem; }
        .rows { list-style: none; margin: 0; padding: 0; }
        .rows li {
          display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; padding: .75rem 0;
          border-top: 1px solid var(--line);
        }
        .rows li:first-child { border-top: 0; }
        .rows .about { flex: 1 1 11rem; max-width: 100%; }
        .rows h2, .rows h3, .rows p { margin: 0; }
        .rows h2, .rows h3 { overflow-wrap: break-word; }
        /* Below the button, which is read after it: next to it, a line on a phone has room for three words. */
        .rows .hint, .rows details { order: 1; flex: 1 0 100%; }
        .rows details { margin: 0; }
        .rows form { display: flex; flex-wrap: wrap; gap: .5rem; max-width: 100%; }
        .rows button { width: auto; min-height: 2.5rem; padding: .375rem .875rem; font-size: .9375rem; }
        .rows + form { margin: .5rem 0 0; }
        .facts { margin: 0; }
        .facts + .hint { margin: .25rem 0 1.25rem; }
        .facts + form { margin: .75rem 0 0; }
        .facts div { padding: .625rem 0; border-top: 1px solid var(--line); }
        .facts dd { font-weight: 560; }
        h1, h2, h3, .lead, .hint, .brand-name, .summary, .facts dd, .message-body, .message-head strong {
          contain: paint; overflow: hidden; padding: .125rem 0;
        }
        .notice, footer, button, a.button { contain: paint; }
        .symbol {
          display: block; width: min(15rem, 100%); margin: 0 auto 1rem; border-radius: .75rem; background: #ffffff; fill: #000000;
          forced-color-adjust: none;
        }
        .scan-number { margin: 0 0 1rem; text-align: center; font-size: 3.5rem; font-weight: 650; letter-spacing: .08em; line-height: 1.2; }
        .secret { margin: 0 0 1.25rem; overflow-wrap: break-word; }
        .secret code { font-size: 1.0625rem; letter-spacing: .06em; }
        .secret + button { margin: -.25rem 0 1.25rem; }
        .recovery-codes { margin: 0 0 1rem; padding: 0 0 0 2rem; }
        .recovery-codes code { font-size: 1.0625rem; letter-spacing: .04em; }
        .pair { display: flex; flex-wrap: wrap; gap: .5rem; }
        .pair button { flex: 1 1 auto; width: auto; padding-left: .5rem; padding-right: .5rem; }
        #recovery-codes-status { min-height: 1.375rem; margin: .375rem 0 .75rem; }
        .messages { list-style: none; margin: 0; padding: 0; }
        .messages li { padding: 1rem 0; border-top: 1px solid var(--line); }
        .message-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .625rem; margin: 0; }
        .message-head strong { overflow-wrap: anywhere; }
        .message-head time { margin-left: auto; color: var(--soft); font-size: .8125rem; }
        .message-body { margin: .375rem 0 0; overflow-wrap: anywhere; }
        .message-text { white-space: pre-line; color: var(--soft); }
        .message-body code { font-size: 1.125rem; letter-spacing: .08em; }
        .tag {
          display: inline-block; max-width: 100%; padding: .0625rem .5rem; border: 1px solid var(--line); border-radius: 1rem;
          color: var(--soft); font-size: .75rem; overflow-wrap: anywhere;
        }
        .empty { margin: 0; padding: 2.5rem 0; text-align: center; color: var(--soft); }
        /* A row is a block, and each of its values has the heading of the column. */
        @media (max-width: 60rem) {
          .list, .list tbody, .list tr, .list td { display: block; }
          .list thead, .list .none { display: none; }
          .list tbody { padding: .75rem 0; }
          .list td, .list .more td { padding: .125rem 0; }
          .list td[data-head]::before { content: attr(data-head) ": "; color: var(--soft); }
        }
        @media (max-width: 30rem) {
          body { padding: .75rem .75rem 1.25rem; place-items: start center; }
          .brand { margin: 0 0 .75rem; }
          .card { padding: 1.25rem; }
          h1 { font-size: 1.375rem; }
          .lead { margin: .25rem 0 1rem; }
          .scopes { margin: 0 0 .75rem; }
          .scopes li { margin: .125rem 0; }
          /* A label is next to its value, or above it where its longest word is too wide for that. */
          .facts div { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding: .5rem 0; align-items: baseline; }
          .facts dt { flex: 2 1 7rem; max-width: 100%; }
          .facts dd { flex: 3 1 10rem; max-width: 100%; overflow: clip; overflow-wrap: break-word; }
          .facts + .hint { margin: .25rem 0 .875rem; }
          /* The button that gives an app access is on the first screen, below all that it gives. */
          .card:has(.access) { padding: 1rem 1.125rem; }
          .card:has(.access) h1 { font-size: 1.25rem; line-height: 1.2; }
          .card:has(.access) .lead { margin: .125rem 0 .625rem; font-size: .9375rem; line-height: 1.35; }
          .access h2 { margin: 0; font-size: .9375rem; line-height: 1.3; }
          .access .scopes { margin: 0 0 .5rem; padding: 0 0 0 1.125rem; font-size: .9375rem; line-height: 1.3; }
          .access .facts div { padding: .375rem 0 0; font-size: .9375rem; line-height: 1.35; }
          .access .hint { margin: .375rem 0 .75rem; line-height: 1.35; }
        }
        @media (prefers-color-scheme: dark) {
          .brand .logo { padding: .375rem .625rem; border-radius: .5rem; background: #ffffff; color: #17202b; }
          button.apple { --on-accent: #000000; color: #000000; background: #ffffff; border-color: #ffffff; }
        }
        @media print {
          body { display: block; padding: 0; background: #ffffff; color: #000000; }
          .card { padding: 0; border: 0; box-shadow: none; background: #ffffff; }
          .lead, .recovery-codes code, .brand-name { color: #000000; }
          form, .pair { display: none; }
        }
        @media (forced-colors: active) { .monogram, button, a.button { border: 1px solid; } }

        """
}
