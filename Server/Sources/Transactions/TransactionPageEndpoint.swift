import Core
import HTTPTypes
import Kernel
import QRCodes
import WalletAuthWire
import Web

/// `GET|POST /t/{transactionId}`: the target of a transaction's link if no app opened it. The page asks the person to open
/// the app.
///
/// It has the look of the transaction's brand, and nothing else of it but that its time is over; it is the same in every state. The link's
/// secret is in the fragment, which browsers do not send. On a desktop the page's script posts it, and the answer is the code to scan.
struct TransactionPageEndpoint: Sendable {
    let pages: Pages
    let links: TransactionLinks

    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await page(of: request.pathText() ?? "", code: nil, request)
    }

    /// Draws the code. Anyone with its content needs no picture of it, so there is nothing to look up or to count.
    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let code: QRCode?
        let id = request.pathText() ?? ""
        do {
            let secret = try TransactionSecret(request.form().required("secret"))
            let link = TransactionLink(
                issuer: pages.issuer, transactionID: try TransactionID(id), secret: secret)
            code = QRCode(link.reveal())
        } catch {
            return pages.fault(
                .malformedRequest(error.description), status: .badRequest, code: "invalid_request", request.context)
        }
        return try await page(of: id, code: code, request)
    }

    private func page(of id: String, code: QRCode?, _ request: EndpointRequest) async throws -> EndpointResponse {
        pages.transaction(
            code: code, try await links.look(of: id), on: PhoneSystem(userAgent: request.origin.userAgent),
            acceptLanguage: request.context.acceptLanguage)
    }
}

/// The system of a phone, as far as its browser tells. It decides what the page advises, and nothing else.
enum PhoneSystem {
    case iOS
    case android

    /// - Returns: `nil` for a desktop, and for an iPad that calls itself one.
    init?(userAgent: String?) {
        let text = userAgent ?? ""
        if text.contains("Android") {
            self = .android
        } else if ["iPhone", "iPad", "iPod"].contains(where: text.contains) {
            self = .iOS
        } else {
            return nil
        }
    }
}

extension Pages {
    func transaction(
        code: QRCode?, _ look: TransactionLinks.Look?, on phone: PhoneSystem?, acceptLanguage: String?
    ) -> EndpointResponse {
        let language = Language.choose(locales: [], acceptLanguage: acceptLanguage)
        let text = language.transactions
        let style = look.map { BrandStyle($0.appearance) } ?? BrandStyle()
        let isOver = look?.isPastExpiry == true
        let code = isOver ? nil : code
        let frame = frame(
            language, heading: text[isOver ? .overHeading : .heading], lead: text[isOver ? .overLead : .lead],
            brandName: look?.appearance.name ?? ownName, look: style)
        let appStore = phone == .android || isOver ? nil : look?.stores?.appStore
        let playStore = phone == .iOS || isOver ? nil : look?.stores?.playStore
        let stores = [
            appStore.map { LinkValues(address: $0, label: text[.appStoreLabel]) },
            playStore.map { LinkValues(address: $0, label: text[.playStoreLabel]) },
        ].compactMap { $0 }
        let isAsking = code == nil && !isOver
        let values = TransactionValues(
            code: code.map {
                .init(
                    lead: text[.scanLead], size: String($0.extent.count), path: $0.svgPath, label: text[.codeLabel])
            },
            asking: isAsking
                ? .init(
                    nextStep: text[.advice(on: phone)],
                    androidApp: look?.stores?.playStore.flatMap(Self.androidPackage),
                    openLabel: text[.openLabel])
                : nil,
            stores: stores.isEmpty ? nil : .init(storesHeading: text[.storesHeading], links: stores),
            scriptSource: isAsking ? assetPath(assets.transactionScriptName) : nil)
        return response(
            .ok, values, in: frame, language,
            ContentPolicy(images: style.images, script: isAsking ? .ownFile : .none))
    }

    /// The Android package that a page of Google Play names.
    private static func androidPackage(in url: String) -> String? {
        url.firstMatch(of: /[?&]id=([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)+)(?:&|$)/).map { String($0.1) }
    }
}

extension TransactionPageEndpoint {
    var routes: [Route] {
        [
            Route(.get, Endpoints.transactionPage.path, .page, get).stating(
                .pages, "openTransactionPage", "The page of a transaction's link where no app opens it"),
            Route(.post, Endpoints.transactionPage.path, body: .form, .page, post).stating(
                .pages, "submitTransactionPage", "What the buttons of the transaction's page send"),
        ]
    }
}

/// The texts of the page that a transaction's link opens.
enum TransactionText: String, TextKey {
    static let section = "transactions"

    case heading, lead, nextStep, nextStepOnIOS, nextStepOnAndroid, openLabel, scanLead, codeLabel, overHeading
    case overLead
    case storesHeading, appStoreLabel, playStoreLabel

    /// A person on a phone has tapped the link already.
    static func advice(on phone: PhoneSystem?) -> TransactionText {
        switch phone {
        case .iOS: .nextStepOnIOS
        case .android: .nextStepOnAndroid
        case nil: .nextStep
        }
    }
}

extension Language {
    var transactions: Texts<TransactionText> { texts() }
}

/// The target of a transaction's link if no app opened it.
struct TransactionValues: PageValues {
    /// The code to scan, once the browser has sent the secret.
    let code: Code?
    let asking: Asking?
    let stores: Stores?
    let scriptSource: String?

    struct Code: Encodable {
        let lead: String
        let size: String
        let path: String
        let label: String
    }

    struct Asking: Encodable {
        let nextStep: String
        /// The app's, on Android.
        let androidApp: String?
        let openLabel: String
    }

    struct Stores: Encodable {
        let storesHeading: String
        let links: [LinkValues]
    }

    static let template = PageTemplate(
        "transaction",
        """
        {{<layout}}
        {{$content}}
        {{#code}}
        <p class="next">{{lead}}</p>
        <svg class="symbol" viewBox="0 0 {{size}} {{size}}" role="img" aria-label="{{label}}" shape-rendering="crispEdges">\
        <path d="{{path}}"/></svg>
        {{/code}}
        {{#asking}}
        {{#androidApp}}
        <p class="next" id="open" data-package="{{androidApp}}" hidden><a class="button" href="">{{openLabel}}</a></p>
        {{/androidApp}}
        <p class="next" id="next-step">{{nextStep}}</p>
        <form method="post" action="" id="code" hidden>
        <input type="hidden" name="secret" value="">
        </form>
        {{/asking}}
        {{#stores}}
        <section>
        <h2>{{storesHeading}}</h2>
        <ul class="scopes">
        {{#links}}
        <li><a href="{{address}}" rel="noreferrer">{{label}}</a></li>
        {{/links}}
        </ul>
        </section>
        {{/stores}}
        {{/content}}
        {{$script}}
        {{#scriptSource}}
        <script src="{{scriptSource}}"></script>
        {{/scriptSource}}
        {{/script}}
        {{/layout}}

        """)
}
