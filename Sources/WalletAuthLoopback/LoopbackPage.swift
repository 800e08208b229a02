#if os(Linux)
    import Crypto
    import Foundation

    /// One page of a redirect listener, as bytes to send.
    struct LoopbackPage {
        /// The icon. The heading says the same in words.
        enum Mark: String {
            case received = "good"
            case returned = "plain"
            case refused = "bad"

            fileprivate var path: String {
                switch self {
                case .received: "M5 12.5l4.5 4.5L19 7.5"
                case .returned: "M9 6L4 11l5 5M4 11h11a5 5 0 0 1 0 10h-2"
                case .refused: "M7 7l10 10M17 7L7 17"
                }
            }
        }

        let status: Int
        let language: String
        let heading: String
        let text: String
        let mark: Mark

        /// Status line, header fields and page.
        var answer: [UInt8] {
            let page = html
            // The URL of this page contains the code, so the page must not be cached, framed or sent as a referrer. The
            // policy allows the one stylesheet below, by its hash, and nothing else.
            let head = [
                "HTTP/1.1 \(status) \(Self.reason(status))", "Content-Type: text/html; charset=utf-8",
                "Content-Length: \(page.utf8.count)", "Connection: close", "Cache-Control: no-store",
                "Content-Language: \(Self.fieldText(language))", "Vary: Accept-Language",
                "Referrer-Policy: no-referrer", "Content-Security-Policy: \(Self.policy)",
                "X-Content-Type-Options: nosniff", "Cross-Origin-Opener-Policy: same-origin",
                "Cross-Origin-Resource-Policy: same-origin",
            ]
            let allow = status == 405 ? ["Allow: GET"] : []
            return Array(((head + allow).joined(separator: "\r\n") + "\r\n\r\n" + page).utf8)
        }

        private var html: String {
            """
            <!doctype html>
            <html lang="\(Self.escape(language))">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(Self.escape(heading))</title>
            <style>\(Self.stylesheet)</style>
            </head>
            <body>
            <main class="\(mark.rawValue)">
            <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="\(mark.path)"/></svg>
            <h1>\(Self.escape(heading))</h1>
            <p>\(Self.escape(text))</p>
            </main>
            </body>
            </html>

            """
        }

        /// Colors come in pairs with a contrast of at least 4.5 to 1, in light and dark mode (WCAG 2.2 §1.4.3).
        private static let stylesheet = """
            :root { color-scheme: light dark; --ground: #f3f5f8; --surface: #fff; --line: #d5dae1; --ink: #17202b; \
            --soft: #4d5865; --good: #17633a; --bad: #a8201a; }
            @media (prefers-color-scheme: dark) { :root { --ground: #0e1217; --surface: #171d25; --line: #2b3441; \
            --ink: #edf1f6; --soft: #a9b4c1; --good: #8fd9ae; --bad: #ffa8a2; } }
            body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; \
            box-sizing: border-box; background: var(--ground); color: var(--ink); \
            font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
            main { width: 100%; max-width: 26rem; box-sizing: border-box; padding: 2rem; text-align: center; \
            background: var(--surface); border: 1px solid var(--line); border-radius: 1.125rem; overflow-wrap: anywhere; }
            svg { width: 3rem; height: 3rem; fill: none; stroke: currentColor; stroke-width: 2.5; \
            stroke-linecap: round; stroke-linejoin: round; }
            .good svg { color: var(--good); }
            .bad svg { color: var(--bad); }
            .plain svg { color: var(--soft); }
            h1 { margin: .75rem 0 .375rem; font-size: 1.375rem; line-height: 1.25; }
            p { margin: 0; color: var(--soft); }
            """

        private static let policy: String = {
            let digest = Data(SHA256.hash(data: Data(stylesheet.utf8))).base64EncodedString()
            return "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'"
        }()

        static func reason(_ status: Int) -> String {
            switch status {
            case 200: "OK"
            case 403: "Forbidden"
            case 404: "Not Found"
            case 405: "Method Not Allowed"
            case 421: "Misdirected Request"
            case 431: "Request Header Fields Too Large"
            default: "Bad Request"
            }
        }

        /// An app's text in a header field, without characters that could end the field.
        private static func fieldText(_ text: String) -> String {
            String(text.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0 == "-") })
        }

        private static func escape(_ text: String) -> String {
            text.reduce(into: "") { escaped, character in
                switch character {
                case "&": escaped += "&amp;"
                case "<": escaped += "&lt;"
                case ">": escaped += "&gt;"
                case "\"": escaped += "&quot;"
                default: escaped.append(character)
                }
            }
        }
    }
#endif
