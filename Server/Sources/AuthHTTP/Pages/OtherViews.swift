import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

extension Pages {
    /// A page that says what went wrong, with the trace id that finds it in the log.
    func fault(
        _ message: PageText.Sentence, status: HTTPResponse.Status, code: String?,
        _ context: ServerRequestContext
    ) -> Response {
        let language = PageLanguage.choose(locales: [], acceptLanguage: context.acceptLanguage)
        let text = language.text
        var values = frame(language, title: text.faultHeading, brandName: issuer.host)
        values["heading"] = text.faultHeading
        values["message"] = text[keyPath: message]
        values["codeLabel"] = text.codeLabel
        values["referenceLabel"] = text.referenceLabel
        values["reference"] = context.trace.traceID
        if let code { values["code"] = code }
        return response(status, .fault, values, language, ContentPolicy())
    }

    /// The sentence for a request that no endpoint could understand.
    func message(for fault: RequestFault) -> PageText.Sentence {
        switch fault {
        case .unknownPath, .methodNotAllowed, .methodUnknown: \.notFound
        case .notAcceptable, .unsupportedMediaType, .bodyTooLarge, .bodyTruncated, .doubledHeader, .malformed,
            .plainTransport:
            \.malformedRequest
        }
    }

    /// An answer on its way to an app by `response_mode=form_post`.
    func formPost(_ redirect: AuthorizationRedirect, acceptLanguage: String?) -> Response {
        let language = PageLanguage.choose(locales: [], acceptLanguage: acceptLanguage)
        let text = language.text
        let origin = ContentPolicy.source(for: redirect.redirectURI) ?? redirect.redirectURI
        var values = frame(language, title: text.continueHeading, brandName: issuer.host)
        values["heading"] = text.continueHeading
        values["message"] = PageText.fill(text.continueMessage, ["host": origin])
        values["submitLabel"] = text.continueLabel
        values["action"] = redirect.redirectURI
        values["fields"] = redirect.parameters.map { ["name": $0.name, "value": $0.value] }
        values["scriptSource"] = assetPath(assets.scriptName)
        return response(
            .ok, .formPost, values, language, ContentPolicy(formTargets: [redirect.redirectURI], script: .ownFile))
    }

    /// The sandbox's outbox. In English alone: it is a developer's page.
    func outbox(_ messages: [SandboxMessage]) -> Response {
        var values = frame(.english, title: "Outbox", brandName: "Sandbox")
        values["heading"] = "Outbox"
        values["lead"] = "Every message that production would have sent, the latest first. Nothing leaves this machine."
        values["emptyLabel"] = "No message yet."
        values["hasMessages"] = !messages.isEmpty
        values["messages"] = messages.map {
            ["kind": $0.kind, "recipient": $0.recipient, "time": $0.time, "text": $0.text]
        }
        return response(.ok, .outbox, values, .english, ContentPolicy())
    }
}

/// One message of the sandbox's outbox.
public struct SandboxMessage: Sendable, Hashable {
    /// What it is: `e-mail`, `SMS`, `push`.
    public var kind: String
    /// Whom it would have gone to.
    public var recipient: String
    /// When it was written, RFC 3339.
    public var time: String
    /// Its whole text.
    public var text: String

    /// - Parameters:
    ///   - kind: what it is.
    ///   - recipient: whom it would have gone to.
    ///   - time: when it was written, RFC 3339.
    ///   - text: its whole text.
    public init(kind: String, recipient: String, time: String, text: String) {
        self.kind = kind
        self.recipient = recipient
        self.time = time
        self.text = text
    }
}

/// Where the outbox page reads from; wired by the program in the sandbox environment alone.
public protocol SandboxOutbox: Sendable {
    /// The latest messages, newest first.
    /// - Parameter limit: the most messages wanted.
    /// - Throws: infrastructure trouble.
    func messages(limit: Int) async throws -> [SandboxMessage]
}
