#if os(Linux)
    import Foundation
    import WalletAuthWire

    /// The pages that a redirect listener shows in the browser at the end. They load nothing, run nothing and send
    /// nothing, and never show any part of a request.
    ///
    /// The browser's `Accept-Language` selects the language. An app may supply its own texts, in any language; they are
    /// escaped.
    public struct LoopbackPages: Sendable {
        /// The texts in one language, used after a sign-in and after a payment.
        public struct Text: Sendable, Hashable {
            /// The language: a primary subtag in lower case, for instance `de`.
            public var language: String
            /// Shown when the browser returned successfully. The app still has to finish the operation.
            public var received: Message
            /// Shown when the browser returned from an approval, whether or not the person approved; `nil` shows `received`.
            public var returned: Message?
            /// Shown when the person declined, or the server refused.
            public var refused: Message

            /// Creates the texts of a language.
            /// - Parameters:
            ///   - language: a primary subtag in lower case.
            ///   - received: shown when the browser returned successfully.
            ///   - returned: shown when the browser returned from an approval, whether or not the person approved.
            ///   - refused: shown when the person declined, or the server refused.
            public init(language: String, received: Message, returned: Message? = nil, refused: Message) {
                self.language = language
                self.received = received
                self.returned = returned
                self.refused = refused
            }
        }

        /// A heading, and what to do next.
        public struct Message: Sendable, Hashable {
            /// The page's heading and title.
            public var heading: String
            /// A sentence below it.
            public var body: String

            /// Creates a message.
            /// - Parameters:
            ///   - heading: the page's heading and title.
            ///   - body: a sentence below it.
            public init(heading: String, body: String) {
                self.heading = heading
                self.body = body
            }
        }

        private let texts: [Text]

        /// Creates pages with these texts.
        /// - Parameter texts: the texts in all languages; the first is the fallback for other languages. An empty list
        ///   uses ``builtInTexts``.
        public init(texts: [Text] = LoopbackPages.builtInTexts) {
            self.texts = texts.isEmpty ? LoopbackPages.builtInTexts : texts
        }

        /// The result that a callback reports.
        enum Callback: Equatable {
            /// A code.
            case received
            /// The return from a consent's page, which does not tell whether the person agreed.
            case returned
            /// An error without a code.
            case refused
        }

        /// The answer to the callback.
        func answer(to callback: Callback, acceptLanguage: String?) -> [UInt8] {
            let text = text(for: acceptLanguage)
            let (message, mark): (Message, LoopbackPage.Mark) =
                switch callback {
                case .received: (text.received, .received)
                case .returned: (text.returned ?? text.received, .returned)
                case .refused: (text.refused, .refused)
                }
            return LoopbackPage(
                status: 200, language: text.language, heading: message.heading, text: message.body, mark: mark
            ).answer
        }

        /// The answer to any other request. Programs and attackers see it, hardly ever a person.
        func ignoredAnswer(status: Int) -> [UInt8] {
            LoopbackPage(
                status: status, language: "en", heading: "Not here", text: LoopbackPage.reason(status), mark: .refused
            ).answer
        }

        private func text(for acceptLanguage: String?) -> Text {
            let wanted = AcceptLanguage(acceptLanguage ?? "").first(of: texts.map(\.language))
            return texts.first { $0.language == wanted } ?? texts[0]
        }
    }

    extension LoopbackPages {
        /// English, German, French, Spanish and Bulgarian: the languages of this project's server.
        public static let builtInTexts = [
            Text(
                language: "en",
                received: Message(
                    heading: "You can close this window", body: "Continue in the program that opened it."),
                returned: Message(
                    heading: "You can close this window",
                    body: "The program that opened it says whether anything was approved."),
                refused: Message(
                    heading: "The request was not completed",
                    body: "Close this window and start again in the program that opened it.")),
            Text(
                language: "de",
                received: Message(
                    heading: "Sie können dieses Fenster schließen",
                    body: "Machen Sie in dem Programm weiter, das es geöffnet hat."),
                returned: Message(
                    heading: "Sie können dieses Fenster schließen",
                    body: "Ob etwas freigegeben wurde, zeigt das Programm, das es geöffnet hat."),
                refused: Message(
                    heading: "Der Vorgang wurde nicht abgeschlossen",
                    body: "Schließen Sie dieses Fenster und starten Sie in dem Programm neu, das es geöffnet hat.")),
            Text(
                language: "fr",
                received: Message(
                    heading: "Vous pouvez fermer cette fenêtre",
                    body: "Continuez dans le programme qui l’a ouverte."),
                returned: Message(
                    heading: "Vous pouvez fermer cette fenêtre",
                    body: "Le programme qui l’a ouverte indique si quelque chose a été validé."),
                refused: Message(
                    heading: "L’opération n’a pas abouti",
                    body: "Fermez cette fenêtre et recommencez dans le programme qui l’a ouverte.")),
            Text(
                language: "es",
                received: Message(
                    heading: "Puede cerrar esta ventana",
                    body: "Continúe en el programa que la abrió."),
                returned: Message(
                    heading: "Puede cerrar esta ventana",
                    body: "El programa que la abrió indica si se ha autorizado algo."),
                refused: Message(
                    heading: "La operación no se ha completado",
                    body: "Cierre esta ventana y vuelva a empezar en el programa que la abrió.")),
            Text(
                language: "bg",
                received: Message(
                    heading: "Можете да затворите този прозорец", body: "Продължете в програмата, която го отвори."),
                returned: Message(
                    heading: "Можете да затворите този прозорец",
                    body: "Програмата, която го отвори, показва дали нещо е било одобрено."),
                refused: Message(
                    heading: "Действието не беше завършено",
                    body: "Затворете този прозорец и започнете отново в програмата, която го отвори.")),
        ]
    }
#endif
