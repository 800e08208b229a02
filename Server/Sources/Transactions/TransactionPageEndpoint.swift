import Core
import HTTPTypes
import Kernel
import QRCodes
import SignIn
import WalletAuthWire
import Web

/// `GET|POST /t/{transactionId}`: the target of a transaction's link if no app opened it. The page asks the person to open
/// the app.
///
/// It has the look of the transaction's brand, and nothing else of it but that its time is over; it is the same in every state. The link's
/// secret is in the fragment, which browsers do not send. On a desktop the page's script posts it, and the answer is the code to scan. That
/// page goes on by itself in the same browser, and ends with what became of the transaction: see ``TransactionWatch``.
struct TransactionPageEndpoint: Sendable {
    let pages: Pages
    let links: TransactionLinks

    /// How often the page with the code looks again.
    static let patience = Duration.seconds(5)

    private var cookies: CookieJar { CookieJar(issuer: pages.issuer) }

    /// A query that cannot be read is none of the server's: programs add parameters to the links in messages.
    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        let id = request.pathText() ?? ""
        let browser = cookies.cookies(of: request.headers).watch
        guard let sealed = (try? request.query())?[TransactionWatch.parameter],
            let watch = links.open(sealed, of: id, in: browser)
        else { return try await page(of: id, request) }
        return try await page(of: id, watch, sealed, request)
    }

    /// Draws the code. Anyone with its content needs no picture of it, so a wrong secret gets one as well, and nothing is counted. But only
    /// this page's script posts: another site's form comes without the cookie, and the one in its answer would end the pages that go on.
    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        if request.isFromAnotherSite {
            return pages.fault(.expiredPage, status: .badRequest, code: "expired_page", request.context)
        }
        let id = request.pathText() ?? ""
        let secret: TransactionSecret
        do {
            secret = try TransactionSecret(request.form().required("secret"))
            _ = try TransactionID(id)
        } catch {
            return pages.fault(
                .malformedRequest(error.description), status: .badRequest, code: "invalid_request", request.context)
        }
        let browser = links.browser(cookies.cookies(of: request.headers).watch)
        let watch = try await links.watch(id, secret, in: browser)
        var response = try await page(of: id, watch, links.seal(watch), request)
        let change = CookieChange(cookie: .watch, value: browser, lifetime: TransactionWatch.lifetime)
        cookies.apply([change], to: &response)
        return response
    }

    /// A page without the link's secret.
    private func page(of id: String, _ request: EndpointRequest) async throws -> EndpointResponse {
        let look = try await links.look(of: id)
        return pages.transaction(
            look?.isPastExpiry == true ? .over : .asking, look, on: PhoneSystem(userAgent: request.origin.userAgent),
            acceptLanguage: request.context.acceptLanguage)
    }

    /// The page that has the code, or what follows it.
    private func page(
        of id: String, _ watch: TransactionWatch, _ sealed: String, _ request: EndpointRequest
    ) async throws -> EndpointResponse {
        let look = try await links.look(of: id)
        let step = try self.step(of: watch, look)
        var response = pages.transaction(
            step, look, on: PhoneSystem(userAgent: request.origin.userAgent),
            acceptLanguage: request.context.acceptLanguage)
        if step.isOpen {
            let address = pages.issuer.url(path: Endpoints.transactionPage.path(try TransactionID(id)))
            let seconds = Self.patience.components.seconds
            response.headers[.refresh] = "\(seconds);url=\(address)?\(TransactionWatch.parameter)=\(sealed)"
        }
        return response
    }

    private func step(of watch: TransactionWatch, _ look: TransactionLinks.Look?) throws -> TransactionStep {
        switch watch.sawOpen ? look?.status : nil {
        case .claimed, .confirmed: return .scanned
        case .signed: return .signed
        case .rejected: return .refused
        case .failed, .cancelled: return .unsigned
        case .created, .expired, nil: break
        }
        guard look?.isPastExpiry != true else { return .over }
        let link = TransactionLink(
            issuer: pages.issuer, transactionID: try TransactionID(watch.id),
            secret: try TransactionSecret(watch.secret))
        return .code(QRCode(link.reveal()))
    }
}

/// What the page of a transaction's link shows.
enum TransactionStep: Sendable {
    /// What to do with the link.
    case asking
    /// The code to scan; `nil` if its link is too long for one.
    case code(QRCode?)
    /// A phone has it.
    case scanned
    case signed
    case refused
    /// It ended without a signature, and not because the person refused it.
    case unsigned
    /// Its time is over.
    case over

    /// Whether something may still follow.
    var isOpen: Bool {
        switch self {
        case .code, .scanned: true
        case .asking, .signed, .refused, .unsigned, .over: false
        }
    }

    fileprivate var texts: (heading: TransactionText, lead: TransactionText) {
        switch self {
        case .asking, .code: (.heading, .lead)
        case .scanned: (.scannedHeading, .scannedLead)
        case .signed: (.signedHeading, .signedLead)
        case .refused: (.refusedHeading, .refusedLead)
        case .unsigned: (.unsignedHeading, .unsignedLead)
        case .over: (.overHeading, .overLead)
        }
    }

    /// Whether the app is still needed.
    fileprivate var needsApp: Bool {
        switch self {
        case .asking, .code: true
        case .scanned, .signed, .refused, .unsigned, .over: false
        }
    }

    /// Whether the person's account has what happened.
    fileprivate var leadsToAccount: Bool {
        switch self {
        case .signed, .refused, .unsigned: true
        case .asking, .code, .scanned, .over: false
        }
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
        _ step: TransactionStep, _ look: TransactionLinks.Look?, on phone: PhoneSystem?, acceptLanguage: String?
    ) -> EndpointResponse {
        let language = Language.choose(locales: [], acceptLanguage: acceptLanguage)
        let text = language.transactions
        let style = look.map { BrandStyle($0.appearance) } ?? BrandStyle()
        let frame = frame(
            language, heading: text[step.texts.heading], lead: text[step.texts.lead],
            brandName: look?.appearance.name ?? ownName, look: style)
        let stores = [
            phone == .android ? nil : look?.stores?.appStore.map { (TransactionText.appStoreLabel, $0) },
            phone == .iOS ? nil : look?.stores?.playStore.map { (TransactionText.playStoreLabel, $0) },
        ].compactMap { $0 }.map { LinkValues(address: $1, label: text[$0]) }
        var values = TransactionValues()
        if step.needsApp, !stores.isEmpty {
            values.stores = .init(storesHeading: text[.storesHeading], links: stores)
        }
        switch step {
        case .code(let code?):
            values.code = .init(
                lead: text[.scanLead], size: String(code.extent.count), path: code.svgPath, label: text[.codeLabel])
        case .asking:
            values.asking = .init(
                nextStep: text[.advice(on: phone)],
                androidApp: look?.stores?.playStore.flatMap(Self.androidPackage), openLabel: text[.openLabel])
            values.scriptSource = assetPath(assets.transactionScriptName)
        case .code(nil), .scanned, .signed, .refused, .unsigned, .over: break
        }
        if step.leadsToAccount {
            var address = issuer.url(path: Endpoints.accountPage.path)
            if let brand = look?.brand { address += "?brand=\(brand.rawValue)" }
            values.wayOn = LinkValues(address: address, label: language.text[.accountLinkLabel])
        }
        return response(
            .ok, values, in: frame, language,
            ContentPolicy(images: style.images, script: values.scriptSource == nil ? .none : .ownFile))
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

    case heading, lead, nextStep, nextStepOnIOS, nextStepOnAndroid, openLabel, scanLead, codeLabel
    // What became of it.
    case scannedHeading, scannedLead, signedHeading, signedLead, refusedHeading, refusedLead, unsignedHeading,
        unsignedLead, overHeading, overLead
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
    var code: Code?
    var asking: Asking?
    var stores: Stores?
    /// Where a page leads that ends the visit.
    var wayOn: LinkValues?
    var scriptSource: String?

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
        {{#wayOn}}
        {{> linkButton}}
        {{/wayOn}}
        {{/content}}
        {{$script}}
        {{#scriptSource}}
        <script src="{{scriptSource}}"></script>
        {{/scriptSource}}
        {{/script}}
        {{/layout}}

        """)
}
