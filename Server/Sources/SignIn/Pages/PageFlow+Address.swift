internal import Core
package import Kernel
internal import Store
internal import WalletAuthWire

/// The pages that answer forms, at their own addresses. Showing one changes nothing and spends no try, however often it is loaded.
extension PageFlow {
    /// Shows what the page said, as things are by now.
    /// - Parameter state: the sealed state of this browser's page, from its address.
    func show(_ state: PageState) async throws -> AuthorizationAnswer {
        if let returning = state.returning { return try await show(returning) }
        guard let shown = state.shown, let binding = cookies.binding else { return stale }
        if let pending = state.pending, pending.isOver(at: now) { return try await ask(beginning(hint)) }
        // It says who is signed in.
        if state.named != nil, try await session(namedBy: state) == nil { return try await ask(beginning(hint)) }
        let elapsed = max(0, (now - shown.at).wholeSeconds)
        var step = shown.step
        switch step {
        case .secondFactor(var factor):
            guard let open = try await openFactor(of: state.pending), open.remainingTries > 0 else {
                return try await ask(beginning(nil), .factorOver)
            }
            // Another tab may have spent tries since.
            if factor.remainingTries != nil { factor.remainingTries = open.remainingTries }
            factor.sendableAfter = factor.sendableAfter.map { max(0, $0 - elapsed) }
            step = .secondFactor(factor)
        default: break
        }
        var current = state
        current.shown?.step = step
        current.shown?.notice = shown.notice?.after(elapsed)
        current.shown?.at = now
        let page = try await page(step, current.shown?.notice, of: current, binding: binding)
        return AuthorizationAnswer(outcome: .page(page), cookies: [])
    }

    /// The second factor that a sign-in waits for; `nil` once it is over.
    func openFactor(of pending: PendingSignIn?) async throws -> OpenFactorRecord? {
        guard let id = pending?.factorID else { return nil }
        return try await database.read { try OpenFactors.find(id, now: now, on: $0) }
    }
}

extension OpenFactorRecord {
    /// The wrong answers that it still takes.
    var remainingTries: Int64 { max(0, OpenFactors.mostTries - tries) }
}

extension Authorization {
    /// `GET /sign-in` with the state in its query: the page that answers a form of this browser.
    ///
    /// After the sign-in, or after "Cancel", the addresses before it still lead on: to the app, or to another sign-in. Any other browser
    /// is refused, and learns nothing.
    package func show(
        address: String, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = clock.now()
        switch pages.seal.open(address: address, binding: cookies.binding, now: now) {
        case .current(let state) where state.account == nil:
            return try await goOn(state, cookies: cookies, origin: origin, now: now) { try await $0.show(state) }
        case .unbound(let state) where state.account == nil && isOwn(state, cookies, now: now):
            if pages.seal.device(cookies.device, now: now)?.isCancelled == true {
                return try await goOn(state, cookies: cookies, origin: origin, now: now) { try await $0.left }
            }
            guard try await pages.sessions.find(cookies.session, now: now) != nil else {
                return try await restart(state, state.request, cookies: cookies, origin: origin, now: now)
            }
            return try await goOn(state, cookies: cookies, origin: origin, now: now) { try await $0.signedIn }
        case .current, .unbound, .refused: return try await refused(address, now: now)
        }
    }

    /// Whether the state is of a page that this browser got before its latest sign-in, or before the person left one.
    func isOwn(_ state: PageState, _ cookies: BrowserCookies, now: Timestamp) -> Bool {
        guard let former = pages.seal.device(cookies.device, now: now)?.formerBinding else { return false }
        return ConstantTime.equal(state.binding, former)
    }
}
