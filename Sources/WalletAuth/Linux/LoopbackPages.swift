#if os(Linux)
    /// What a redirect listener shows in the browser when it has its answer. Texts are the app's to translate; they are
    /// escaped, and nothing that came with a request is ever shown.
    public struct LoopbackPages: Sendable {
        /// The language of the texts (BCP 47).
        public var language: String
        /// The title, for instance the app's name.
        public var title: String
        /// Shown when the person came back with a code.
        public var received: String
        /// Shown when the person said no, or the server refused.
        public var refused: String

        /// Texts; those not named are English.
        public init(
            language: String = "en", title: String = "Wallet",
            received: String = "Thank you. You can close this window and go back to the app.",
            refused: String = "The sign-in was not completed. You can close this window and go back to the app."
        ) {
            self.language = language
            self.title = title
            self.received = received
            self.refused = refused
        }

        /// The answer to the callback.
        func callbackAnswer(isRefusal: Bool) -> [UInt8] {
            Self.answer(status: 200, language: language, title: title, text: isRefusal ? refused : received)
        }

        /// The answer to anything else.
        func ignoredAnswer(status: Int) -> [UInt8] {
            Self.answer(status: status, language: "en", title: "Not here", text: Self.reason(status))
        }

        private static func answer(status: Int, language: String, title: String, text: String) -> [UInt8] {
            let page = """
                <!doctype html><html lang="\(escape(language))"><head><meta charset="utf-8">\
                <meta name="viewport" content="width=device-width"><title>\(escape(title))</title></head>\
                <body><main><h1>\(escape(title))</h1><p>\(escape(text))</p></main></body></html>

                """
            // The URL of this page has the code in its query: it is not to be cached, framed, or told to anybody.
            let head = [
                "HTTP/1.1 \(status) \(reason(status))", "Content-Type: text/html; charset=utf-8",
                "Content-Length: \(page.utf8.count)", "Connection: close", "Cache-Control: no-store",
                "Referrer-Policy: no-referrer", "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
                "X-Content-Type-Options: nosniff",
            ]
            let allow = status == 405 ? ["Allow: GET"] : []
            return Array(((head + allow).joined(separator: "\r\n") + "\r\n\r\n" + page).utf8)
        }

        private static func reason(_ status: Int) -> String {
            switch status {
            case 200: "OK"
            case 404: "Not Found"
            case 405: "Method Not Allowed"
            case 421: "Misdirected Request"
            case 431: "Request Header Fields Too Large"
            default: "Bad Request"
            }
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
