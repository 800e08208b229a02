import Core
import Foundation
import HTTPTypes
import Hummingbird
import Kernel
import SignIn
import WalletAuthWire

extension Pages {
    /// An error page: the fault, the next step, and the trace id to look up in the log.
    func fault(
        _ fault: PageFault, status: HTTPResponse.Status, code: String?, _ context: ServerRequestContext
    ) -> Response {
        let language = Language.choose(
            locales: Language.asked(in: context.query), acceptLanguage: context.acceptLanguage)
        let text = language.text
        var values = frame(language, title: text[.faultHeading], brandName: issuer.host)
        values["heading"] = text[.faultHeading]
        values["lead"] = text[fault.message]
        if let step = fault.nextStep {
            values["nextStep"] = text[step, ["address": fault.address ?? issuer.rawValue]]
        }
        let hints = fault.developerHints.map { text[$0, ["issuer": issuer.rawValue]] }
        let details = hints + [fault.detail].compactMap { $0 }
        if !details.isEmpty {
            values["developersHeading"] = text[.developersHeading]
            values["developerHints"] = details.map { ["hint": $0] }
        }
        values["codeLabel"] = text[.codeLabel]
        values["referenceLabel"] = text[.referenceLabel]
        values["reference"] = context.trace.traceID
        if let code { values["code"] = code }
        return response(status, .fault, values, language, ContentPolicy())
    }

    /// The answer to an app by `response_mode=form_post`.
    ///
    /// Its policy does not restrict forms: browsers would apply `form-action` also to where the app redirects after the form. The page
    /// asks for nothing, and its only form is the answer itself.
    func formPost(_ redirect: AuthorizationRedirect, acceptLanguage: String?) -> Response {
        let language = Language.choose(
            locales: redirect.locales.map(\.rawValue), acceptLanguage: acceptLanguage)
        let text = language.text
        let origin = ContentPolicy.source(for: redirect.redirectURI) ?? redirect.redirectURI
        let look = redirect.appearance.map(BrandStyle.init) ?? BrandStyle()
        var values = frame(
            language, title: text[.continueHeading], brandName: redirect.appearance?.name ?? issuer.host, look: look)
        values["heading"] = text[.continueHeading]
        values["lead"] = text[.continueMessage, ["host": origin]]
        values["submitLabel"] = text[.continueLabel]
        values["action"] = redirect.redirectURI
        values["fields"] = redirect.parameters.map { ["name": $0.name, "value": $0.value] }
        values["scriptSource"] = assetPath(assets.scriptName)
        return response(
            .ok, .formPost, values, language,
            ContentPolicy(formTargets: nil, images: look.images, script: .ownFile))
    }

    /// The sandbox's outbox. It is in English only, because it is for developers.
    func outbox(_ messages: [MessageReader.Message]) -> Response {
        var values = frame(.english, title: "Outbox", brandName: "Sandbox")
        values["heading"] = "Outbox"
        values["lead"] = """
            Every message to your users, latest first. Messages leave this machine only if a mail server or an SMS service \
            is configured.
            """
        values["emptyLabel"] = "No messages yet."
        values["codeLabel"] = "Code"
        values["hasMessages"] = !messages.isEmpty
        values["messages"] = messages.map { message in
            var row: [String: Any] = [
                "kind": message.kind.replacing("_", with: " "),
                "channel": message.channel == "none" ? "not sent" : message.channel,
                "recipient": message.recipient, "time": Self.text(of: message.createdAt), "text": message.text,
            ]
            if message.channel != "sms" { row["subject"] = message.subject }
            row["delivery"] =
                message.channel == "none"
                ? "Not sent: the account has no address" : Self.text(of: message.delivery)
            if let code = message.code { row["code"] = code }
            return row
        }
        return response(.ok, .outbox, values, .english, ContentPolicy())
    }

    /// The delivery status for developers; `nil` for a message that is simply waiting.
    private static func text(of delivery: MessageReader.Message.Delivery) -> String? {
        switch delivery {
        case .waiting(nil): nil
        case .waiting(let reason?): "Not delivered yet: \(reason)"
        case .delivered: "Delivered"
        case .failed(let reason): "Not delivered: \(reason)"
        }
    }

    /// RFC 3339, in UTC.
    private static func text(of time: Timestamp) -> String {
        Date(timeIntervalSince1970: Double(time.seconds)).formatted(.iso8601)
    }
}
