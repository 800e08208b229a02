internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The page on which a person decides on a device: the code, the sign-in by the hosted pages, and the decision.
package struct DevicePages: Sendable {
    let authorization: Authorization

    private var pages: SignInPages { authorization.pages }
    private var ledger: DeviceGrantLedger { pages.deviceGrants }

    /// What was typed is shown again, up to this length.
    private static let longestTyped = 32

    /// Opens the page with the field for the code.
    /// - Parameter code: that came by the device's QR code. It is not looked at before the person sends it: a link alone does nothing.
    func open(
        _ code: String?, _ locales: [LocaleTag], cookies: BrowserCookies
    ) throws -> AuthorizationAnswer {
        try ask(code.map { UserCode(typed: $0)?.text ?? $0 }, nil, locales, cookies, now: authorization.clock.now())
    }

    /// Handles a form submitted from the page.
    func submit(
        _ submission: PageSubmission<DevicePage.Action>, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = authorization.clock.now()
        switch pages.seal.open(submission, binding: cookies.binding, now: now) {
        case .current(let state):
            switch (submission.action, state.deviceGrant?.shown) {
            case (.enter(let code), .code):
                return try await enter(code, state, cookies: cookies, origin: origin, now: now)
            case (.confirm, .confirmation):
                return try await goOn(state, cookies: cookies, origin: origin, now: now) { flow in
                    var flow = flow
                    flow.deviceGrant?.isConfirmed = true
                    flow.merchant = state.merchant
                    return try await flow.submit(.confirm, state: state)
                }
            case (.deny, .confirmation):
                return try await goOn(state, cookies: cookies, origin: origin, now: now) {
                    try await $0.denyDevice(state)
                }
            case (.useAnotherAccount, .confirmation):
                return try await goOn(state, cookies: cookies, origin: origin, now: now) {
                    try await $0.submit(.useAnotherAccount, state: state)
                }
            default: return try await authorization.refused(submission.request, now: now)
            }
        // The browser has signed in since, or out: the address asks for the code again.
        case .unbound(let state) where state.deviceGrant != nil:
            return try await authorization.restart(state, state.request, cookies: cookies, origin: origin, now: now)
        case .unbound, .refused: return try await authorization.refused(submission.request, now: now)
        }
    }

    /// Shows the page that answers a form of this browser, as things are by now. It changes nothing.
    /// - Parameter address: the parameter of its address.
    func show(
        address: String, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = authorization.clock.now()
        switch pages.seal.open(address: address, binding: cookies.binding, now: now) {
        case .current(let state):
            switch state.deviceGrant?.shown {
            case .code(let notice, let shownAt):
                let elapsed = max(0, (now - shownAt).wholeSeconds)
                return try ask(
                    state.deviceGrant?.code, notice?.after(elapsed), state.request.uiLocales, cookies, now: now)
            case .confirmation:
                return try await goOn(state, cookies: cookies, origin: origin, now: now) { flow in
                    var flow = flow
                    flow.merchant = state.merchant
                    guard let session = try await flow.session(namedBy: state) else {
                        return try await flow.ask(flow.beginning(nil))
                    }
                    return try await flow.showDevice(to: session)
                }
            case .ending(let ending):
                return try await goOn(state, cookies: cookies, origin: origin, now: now) { $0.deviceEnding(ending) }
            case nil: return try await authorization.refused(address, now: now)
            }
        case .unbound(let state) where state.deviceGrant != nil:
            return try await authorization.restart(state, state.request, cookies: cookies, origin: origin, now: now)
        case .unbound, .refused: return try await authorization.refused(address, now: now)
        }
    }

    /// Goes on with the device of a code that a person typed.
    private func enter(
        _ typed: String, _ state: PageState, cookies: BrowserCookies, origin: RequestOrigin, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        let locales = state.request.uiLocales
        func ask(_ notice: DevicePage.Notice) throws -> AuthorizationAnswer {
            try self.ask(typed, notice, locales, cookies, now: now)
        }
        guard let code = UserCode(typed: typed), let binding = cookies.binding else { return try ask(.unknownCode) }
        switch try await ledger.find(code, binding: binding, origin: origin, now: now) {
        case .wrong: return try ask(.unknownCode)
        case .held(let until):
            return try ask(.tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now)))
        case .found(let record):
            var next = state
            next.request = try ledger.request(for: record, locales)
            next.deviceGrant = DevicePageState(grant: record.id.uuid, code: code.text)
            return try await goOn(next, cookies: cookies, origin: origin, now: now) { try await $0.begin() }
        }
    }

    /// Continues with the pages of the sign-in. A client that was deleted meanwhile, or whose devices may no longer sign in, has none.
    private func goOn(
        _ state: PageState, cookies: BrowserCookies, origin: RequestOrigin, now: Timestamp,
        _ body: (PageFlow) async throws -> AuthorizationAnswer
    ) async throws -> AuthorizationAnswer {
        let answer = try await authorization.goOn(state, cookies: cookies, origin: origin, now: now, body)
        switch answer.outcome {
        case .refused(.unknownClient), .refused(.unregisteredRedirectURI), .redirect:
            return try end(.over, state, cookies, now: now)
        default: return answer
        }
    }

    private func ask(
        _ code: String?, _ notice: DevicePage.Notice?, _ locales: [LocaleTag], _ cookies: BrowserCookies, now: Timestamp
    ) throws -> AuthorizationAnswer {
        let typed = code.map { String($0.prefix(Self.longestTyped)) }
        var request = try DeviceGrantLedger.request(
            client: ClientID(DeviceGrantLedger.noClient), at: ledger.issuer, random: ledger.random)
        request.uiLocales = locales
        let device = DevicePageState(code: typed, shown: .code(notice, at: now))
        return try page(.code(typed), notice, request, device, cookies, now: now)
    }

    private func end(
        _ ending: DevicePage.Ending, _ state: PageState, _ cookies: BrowserCookies, now: Timestamp
    ) throws -> AuthorizationAnswer {
        try page(
            .ending(ending), nil, state.request, DevicePageState(shown: .ending(ending)), cookies, now: now)
    }

    private func page(
        _ step: DevicePage.Step, _ notice: DevicePage.Notice?, _ request: AuthorizationRequest,
        _ device: DevicePageState, _ cookies: BrowserCookies, now: Timestamp
    ) throws -> AuthorizationAnswer {
        let binding = pages.seal.binding(cookies.binding)
        let state = PageState(request: request, binding: PageSeal.digest(of: binding), deviceGrant: device)
        let page = DevicePage(
            form: try pages.seal.fields(state, binding: binding, now: now), step: step, notice: notice,
            locales: request.uiLocales)
        let isNew = binding != cookies.binding
        return AuthorizationAnswer(
            outcome: .device(page), cookies: isNew ? [CookieChange(cookie: .binding, value: binding)] : [])
    }
}
