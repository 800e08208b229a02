import AuthFlows
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `GET|POST /account/security`: what somebody signs in with, in the browser, and the sign-in before it.
struct AccountPageEndpoint: Sendable {
    let server: AuthorizationServer
    /// Its cookies, its pages and its answers are the sign-in's.
    let authorize: AuthorizeEndpoint

    /// The page. A brand, a language or a way to sign in that is none is passed over: the address is typed by people.
    @Sendable func get(_ request: EndpointRequest) async throws -> Response {
        let query = try request.query()
        let asked = AccountPageRequest(
            brand: query["brand"].flatMap { try? BrandID($0) },
            locales: (query["ui_locales"] ?? "").split(separator: " ").prefix(8).compactMap {
                try? LocaleTag(String($0))
            }, loginStrategy: query["login_strategy"].flatMap(AuthorizationRequest.LoginStrategy.init))
        let answer = try await server.accountPages.open(
            asked, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return authorize.respond(with: answer, request)
    }

    /// A button of the page.
    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        if let fault = authorize.faultOfAnotherSite(request) { return fault }
        let submission: PageSubmission<AccountPage.Action>
        do { submission = try AccountPageForm.parse(request.form()) } catch {
            return authorize.malformed(error, request)
        }
        let answer = try await server.accountPages.submit(
            submission, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return authorize.respond(with: answer, request)
    }
}
