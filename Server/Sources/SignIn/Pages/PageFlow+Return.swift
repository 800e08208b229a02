internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// The answer to an app's own scheme, in the address of the page that leads there.
struct ShownReturn: Codable, Sendable {
    struct Parameter: Codable, Sendable {
        var name: String
        var value: String
    }

    /// Of the response, in order.
    var parameters: [Parameter]
    var at: Timestamp
}

/// The page between a form and an app's own scheme. The browser stays at it behind the app, so that it has an address like any page that
/// answers a form.
extension PageFlow {
    /// Gives the page an address; an answer without such a page is returned as it is.
    func addressed(_ answer: AuthorizationAnswer) throws -> AuthorizationAnswer {
        if case .device(var page) = answer.outcome, page.form == nil, case .ending(let ending) = page.step,
            let binding = answer.cookies.last(where: { $0.cookie == .binding })?.value ?? cookies.binding
        {
            let state = PageState(
                request: request, binding: PageSeal.digest(of: binding),
                deviceGrant: DevicePageState(shown: .ending(ending)))
            page.form = try seal.fields(state, binding: binding, now: now)
            return AuthorizationAnswer(outcome: .device(page), cookies: answer.cookies)
        }
        guard case .redirect(var redirect) = answer.outcome, redirect.mode == .query,
            request.redirectURI.kind == .customScheme,
            // A sign-in gives the browser another one.
            let binding = answer.cookies.last(where: { $0.cookie == .binding })?.value ?? cookies.binding
        else { return answer }
        let returning = ShownReturn(
            parameters: redirect.parameters.map { .init(name: $0.name, value: $0.value) }, at: now)
        let state = PageState(request: request, binding: PageSeal.digest(of: binding), returning: returning)
        redirect.page = try seal.fields(state, binding: binding, now: now).request
        var answer = answer
        answer.outcome = .redirect(redirect)
        return answer
    }

    /// Shows the page again. The app gets a code until one of the sign-in was redeemed: after that, the page says that the person is signed
    /// in, and its link begins the request again.
    func show(_ returning: ShownReturn) async throws -> AuthorizationAnswer {
        let parameters = returning.parameters.map { (name: $0.name, value: $0.value) }
        if let code = parameters.first(where: { $0.name == "code" })?.value, try await !isRedeemable(code) {
            guard try await sessions.find(cookies.session, now: now) != nil else {
                return AuthorizationAnswer(outcome: .restart(pages.check.beginning(of: request)), cookies: [])
            }
            return try await signedIn
        }
        let redirect = AuthorizationRedirect(
            redirectURI: request.redirectURI.rawValue, app: client.name, mode: .query, parameters: parameters,
            isSigned: request.responseMode.isSigned)
        let isLate = now - returning.at > Pages.patienceOfReturn
        return AuthorizationAnswer(outcome: .returning(redirect, byItself: !isLate), cookies: [])
    }

    /// What a page of the sign-in shows once it is done.
    var signedIn: AuthorizationAnswer {
        get async throws { try await onward(isCancelled: false) }
    }

    /// What a page of the sign-in shows once the person has cancelled it.
    var left: AuthorizationAnswer {
        get async throws { try await onward(isCancelled: true) }
    }

    private func onward(isCancelled: Bool) async throws -> AuthorizationAnswer {
        let onward = SignInOnward(
            location: pages.check.beginning(of: request), app: client.name,
            appearance: try await BrandAppearance.of(brand, in: database), locales: request.uiLocales,
            isCancelled: isCancelled)
        return AuthorizationAnswer(outcome: .signedIn(onward), cookies: [])
    }

    /// Whether a code has neither expired nor been redeemed.
    func isRedeemable(_ text: String) async throws -> Bool {
        guard let code = try? AuthorizationCode(text), let grant = try await pages.codes.open(code, now: now)?.grant,
            !grant.isExpired(at: now)
        else { return false }
        let digest = AuthorizationCodes.digest(of: code)
        return try await database.read { try RedeemedCodes.find(grant.id, digest: digest, on: $0) } == nil
    }
}
