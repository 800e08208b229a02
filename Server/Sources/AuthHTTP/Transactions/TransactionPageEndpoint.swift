import Hummingbird
import WalletAuthWire

/// `GET /t/{transactionId}`: where a transaction's link leads when no app opened it. The page says to open the app.
///
/// It is the same for every id: a page that looked one up would tell strangers which transactions there are.
struct TransactionPageEndpoint: Sendable {
    let pages: Pages

    @Sendable func get(_ request: EndpointRequest) async throws -> Response {
        pages.transaction(acceptLanguage: request.context.acceptLanguage)
    }
}

extension Pages {
    /// The page that a transaction's link leads to.
    func transaction(acceptLanguage: String?) -> Response {
        let language = PageLanguage.choose(locales: [], acceptLanguage: acceptLanguage)
        let text = language.transactions
        var values = frame(language, title: text.heading, brandName: issuer.host)
        values["heading"] = text.heading
        values["lead"] = text.lead
        values["nextStep"] = text.nextStep
        return response(.ok, .transaction, values, language, ContentPolicy())
    }
}
