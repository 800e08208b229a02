import Core
import HTTPTypes
import WalletAuthWire
import Web

/// `GET /t/{transactionId}`: the target of a transaction's link if no app opened it. The page asks the person to open
/// the app.
///
/// It is the same for every id. A page that looked the id up would reveal which transactions exist.
struct TransactionPageEndpoint: Sendable {
    let pages: Pages

    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        pages.transaction(acceptLanguage: request.context.acceptLanguage)
    }
}

extension Pages {
    func transaction(acceptLanguage: String?) -> EndpointResponse {
        let language = Language.choose(locales: [], acceptLanguage: acceptLanguage)
        let text = language.transactions
        let frame = frame(language, heading: text[.heading], lead: text[.lead], brandName: ownName)
        let values = TransactionValues(
            nextStep: text[.nextStep])
        return response(.ok, values, in: frame, language, ContentPolicy())
    }
}

extension TransactionPageEndpoint {
    var routes: [Route] { [Route(.get, Endpoints.transactionPage.path, .page, get)] }
}

/// The texts of the page that a transaction's link opens.
enum TransactionText: String, TextKey {
    static let section = "transactions"

    case heading, lead, nextStep
}

extension Language {
    var transactions: Texts<TransactionText> { texts() }
}

/// The target of a transaction's link if no app opened it.
struct TransactionValues: PageValues {
    let nextStep: String

    static let template = PageTemplate(
        "transaction",
        """
        {{<layout}}
        {{$content}}
        <p class="next">{{nextStep}}</p>
        {{/content}}
        {{/layout}}

        """)
}
