internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// A form whose code was wrong, posted again by a browser that reloads the page after it.
extension AccountInteraction {
    /// Handles a button of the page. A code that was refused before is not tried again.
    /// - Parameters:
    ///   - action: the button and its fields.
    ///   - page: the account page's part of the sealed state.
    ///   - state: the whole sealed state.
    func submit(
        _ action: AccountPage.Action, _ page: AccountPageState, _ state: PageState
    ) async throws -> AuthorizationAnswer {
        guard let again = action.withoutCode,
            let mistake = try RepeatedMistake(
                form?.fields, in: cookies.binding, keyRing: host.pages.seal.keyRing, now: now)
        else { return try await carryOut(action, page, state) }
        if try await mistake.isRemembered(in: database) { return try await carryOut(again, page, state) }
        let answer = try await carryOut(action, page, state)
        if case .account(let shown) = answer.outcome, shown.notice == .invalidCode || shown.notice == .wrongDeviceCode {
            await mistake.remember(in: database)
        }
        return answer
    }
}

extension AccountPage.Action {
    /// The same button with nothing that can be a code: it is answered like a wrong one, and compared with nothing. `nil` for a button
    /// that sends no code. The steps of a sign-in on the page are those of ``PageFlow``.
    fileprivate var withoutCode: Self? {
        switch self {
        case .confirmAuthenticator: .confirmAuthenticator(nil)
        case .confirmDevice(let id, _): .confirmDevice(id: id, code: nil)
        default: nil
        }
    }
}

/// The page that answers the last step of a sign-in, reloaded. The browser posts that step's form again, whose cookie the sign-in replaced.
extension AccountInteraction {
    private static let purpose = "account-page-sign-in"

    /// Remembers which form began the session, for as long as the sign-in allows changes.
    func remember(_ form: SubmittedForm?, of person: SignedInPerson) async {
        guard let digest = form?.mark(of: Self.purpose, for: person.session.idHash) else { return }
        let end = person.session.authTime + host.security.stepUp.freshness
        // The person is signed in. If this fails, only a reload of the page asks for another sign-in; an error page would hide its cookies.
        _ = try? await database.write { try SeenJTIs.remember(digest, until: end, on: $0) }
    }

    /// Shows the page once more. Cookies alone cannot: it takes the sealed form that began their session, which only that page had.
    /// Nothing that the sign-in was for is done twice.
    /// - Returns: `nil` for another form, and once the sign-in allows no change any more.
    func reload(_ page: AccountPageState, _ form: SubmittedForm?) async throws -> AuthorizationAnswer? {
        guard let person = try await signedIn(),
            let digest = form?.mark(of: Self.purpose, for: person.session.idHash),
            try await database.read({ try SeenJTIs.contains(digest, now: now, on: $0) })
        else { return nil }
        let proved = AccountPageState(intent: page.intent, proved: person.session.idHash, mark: newMark())
        switch page.intent {
        case .look, .password, .authenticatorRemoval, .deviceRemoval, .passkeys, .pin, .clientConsents:
            return try await fulfill(page.intent, on: proved)
        case .authenticator:
            // The secret that the person may have scanned by now.
            if let call = call(of: person, on: proved),
                let setup = try await host.security.authenticatorApps.pendingSetup(call: call)
            {
                return try await show(.authenticator(setup), of: person, proved: proved.proved)
            }
        case .recoveryCodes, .sessionEnd, .otherSessionsEnd: break
        }
        return try await overview(of: person, proved: proved.proved)
    }
}
