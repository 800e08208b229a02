internal import Core
package import HTTPTypes
package import Kernel
internal import WalletAuthWire

extension Pages {
    /// An error page: the fault, the next step, and the trace id to look up in the log.
    /// - Parameter appearance: the look of the brand whose page it takes the place of, if that is certain: a forged link must not borrow it.
    package func fault(
        _ fault: PageFault, status: HTTPResponse.Status, code: String?, appearance: BrandAppearance? = nil,
        _ context: RequestFacts
    ) -> EndpointResponse {
        let language = Language.choose(
            locales: Language.asked(in: context.query), acceptLanguage: context.acceptLanguage)
        let text = language.text
        let hints = fault.developerHints.map { text[$0, ["issuer": issuer.rawValue]] }
        let details = hints + [fault.detail].compactMap { $0 }
        let look = appearance.map { BrandStyle($0) } ?? BrandStyle()
        let frame = frame(
            language, heading: text[fault.heading], lead: text[fault.message],
            brandName: appearance?.name ?? ownName, look: look)
        // The account's own page and the operators' console have no app to go back to.
        let ownPages = [Endpoints.accountPage, Endpoints.accountExportPage, Endpoints.accountKeepingPage].map(\.path)
        let isOwn = ownPages.contains { $0 == context.route } || context.route?.hasPrefix("/admin") == true
        let isOfApp = fault.leadsToApp && !isOwn
        let wayOn = wayOn(from: fault, text, context)
        let values = FaultValues(
            wayOn: isOfApp ? nil : wayOn,
            nextStep: isOfApp == fault.leadsToApp
                ? text[fault.nextStep, ["address": fault.address ?? issuer.rawValue]] : nil,
            account: isOfApp ? wayOn : nil,
            developersHeading: details.isEmpty ? nil : text[.developersHeading], developerHints: details,
            code: code, codeLabel: text[.codeLabel], referenceLabel: text[.referenceLabel],
            reference: context.trace.traceID)
        let response = response(status, values, in: frame, language, ContentPolicy(images: look.images))
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
                address: issuer.url(path: Endpoints.accountPage.path), label: text[.accountLinkLabel])
        }
    }
}
