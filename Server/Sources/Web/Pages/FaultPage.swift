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
        let hints = fault.developerHints.map { text[$0, ["issuer": issuer.rawValue]] }
        let details = hints + [fault.detail].compactMap { $0 }
        let frame = frame(
            language, heading: text[.faultHeading], lead: text[fault.message], brandName: issuer.host)
        let values = FaultValues(
            nextStep: fault.nextStep.map { text[$0, ["address": fault.address ?? issuer.rawValue]] },
            developersHeading: details.isEmpty ? nil : text[.developersHeading], developerHints: details,
            code: code, codeLabel: text[.codeLabel], referenceLabel: text[.referenceLabel],
            reference: context.trace.traceID)
        return response(status, values, in: frame, language, ContentPolicy())
    }
}
