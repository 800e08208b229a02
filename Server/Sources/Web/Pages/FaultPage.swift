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
            language, heading: text[fault.heading], lead: text[fault.message], brandName: ownName)
        let values = FaultValues(
            wayOn: wayOn(from: fault, text, context),
            nextStep: fault.nextStep.map { text[$0, ["address": fault.address ?? issuer.rawValue]] },
            developersHeading: details.isEmpty ? nil : text[.developersHeading], developerHints: details,
            code: code, codeLabel: text[.codeLabel], referenceLabel: text[.referenceLabel],
            reference: context.trace.traceID)
        let response = response(status, values, in: frame, language, ContentPolicy())
        return code.map { response.refused($0, fault.loggedReason) } ?? response
    }

    /// The link of an error page: to the page's own address, to the same request again, or to the account, which needs no app.
    private func wayOn(from fault: PageFault, _ text: Texts<PageText>, _ context: RequestFacts) -> LinkValues {
        switch fault {
        case .foreignHost(let address): return LinkValues(address: address, label: text[.openPageLabel])
        // The address of the page itself. After a form, it would not be the form again.
        case .serverFault where context.isGet, .unavailable where context.isGet:
            return LinkValues(address: "", label: text[.retryLabel])
        case .unknownClient, .redirectMismatch, .redirectMissing, .malformedRequest, .expiredPage, .serverFault,
            .unavailable, .notFound:
            return LinkValues(
                address: issuer.url(path: Endpoints.accountSecurity.path), label: text[.accountLinkLabel])
        }
    }
}
