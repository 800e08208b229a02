#if os(Linux)
    import Crypto
    import Foundation
    import Testing

    @testable import WalletAuthLoopback

    @Suite("The page after a sign-in on Linux")
    struct LoopbackPageTests {
        private func page(
            _ pages: LoopbackPages = LoopbackPages(), after callback: LoopbackPages.Callback = .received
        ) -> String {
            String(decoding: pages.answer(to: callback, acceptLanguage: nil), as: UTF8.self)
        }

        @Test("loads and runs nothing: the policy allows its one stylesheet by hash, and the page has no other")
        func policy() throws {
            let page = page()
            let style = try #require(page.firstMatch(of: /<style>([^<]*)<\/style>/)?.output.1)
            let hash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
            #expect(
                page.contains(
                    "Content-Security-Policy: default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; "
                        + "form-action 'none'; frame-ancestors 'none'\r\n"))
            for forbidden in ["<script", "style=", "src=", "href=", "url(", "@import", "<form"] {
                #expect(!page.contains(forbidden), "\(forbidden)")
            }
        }

        @Test("is as long as it says, in the light and in the dark, and legible on a small screen")
        func document() throws {
            for callback in [LoopbackPages.Callback.received, .returned, .refused] {
                let page = page(after: callback)
                let parts = page.components(separatedBy: "\r\n\r\n")
                #expect(parts.count == 2)
                #expect(page.contains("Content-Length: \(parts[1].utf8.count)\r\n"))
                #expect(page.contains("prefers-color-scheme: dark") && page.contains("width=device-width"))
                #expect(page.matches(of: /<h1>/).count == 1 && page.contains("<main"))
            }
        }

        @Test("has no mark of success after a payment's page, whose return does not tell whether the person agreed")
        func returned() {
            #expect(page(after: .received).contains("<main class=\"good\">"))
            #expect(page(after: .returned).contains("<main class=\"plain\">"))
            #expect(page(after: .returned).contains("says whether anything was approved"))
            let texts = LoopbackPages.builtInTexts
            #expect(Set(texts.compactMap { $0.returned?.body }).count == texts.count)
        }

        @Test("says in each language what it says in English, in words of its own")
        func complete() {
            let texts = LoopbackPages.builtInTexts
            #expect(texts.map(\.language) == ["en", "de", "fr", "es", "bg"])
            for message in [\LoopbackPages.Text.received, \.refused] {
                #expect(Set(texts.map { $0[keyPath: message].heading }).count == texts.count)
                #expect(Set(texts.map { $0[keyPath: message].body }).count == texts.count)
            }
        }

        @Test("speaks of a sign-in in no language: a payment that was agreed to on a page ends here as well")
        func noSignIn() {
            for text in LoopbackPages.builtInTexts {
                for said in [text.received.heading, text.received.body, text.refused.heading, text.refused.body] {
                    for word in ["sign-in", "sign in", "anmeld", "connexion", "sesión", "вход"] {
                        #expect(!said.lowercased().contains(word), "\(text.language): \(said)")
                    }
                }
            }
        }

        @Test("shows the app's own texts, escaped; the first language is for who wants none of them")
        func ownTexts() {
            let message = LoopbackPages.Message(heading: "A & <B>", body: "Fertig \"jetzt\".")
            let pages = LoopbackPages(texts: [.init(language: "d\r\ne", received: message, refused: message)])
            let page = page(pages)
            #expect(page.contains("<h1>A &amp; &lt;B&gt;</h1>") && page.contains("Fertig &quot;jetzt&quot;."))
            #expect(page.contains("Content-Language: de\r\n"))
            #expect(self.page(LoopbackPages(texts: [])).contains("close this window"))
        }
    }
#endif
