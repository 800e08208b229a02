internal import Core
package import HTTPTypes
internal import Kernel
internal import WalletAuthWire

extension Pages {
    /// An error page: the fault, the next step, and the trace id to look up in the log.
    package func fault(
        _ fault: PageFault, status: HTTPResponse.Status, code: String?, _ context: RequestFacts
    ) -> EndpointResponse {
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
}
