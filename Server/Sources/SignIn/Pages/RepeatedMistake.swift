package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// A form with a wrong secret that arrives once more, as it does when the page after it is reloaded.
///
/// The very same fields from the browser that has the form get the same page again: nothing is compared, and no try is spent. Any other
/// value in the same form is another try, and so are copies that arrive before the first one was refused. The digest contains the
/// browser's cookie, which the server does not keep: the database and its keys are not enough to guess the wrong secret.
package struct RepeatedMistake: Sendable {
    /// No form counts for longer.
    private static let lifetime = PageState.lifetime

    private let digest: [UInt8]
    private let now: Timestamp

    /// Recognizes no form without its fields or cookie.
    /// - Parameters:
    ///   - fields: the digest of everything in the form, the secret among it.
    ///   - binding: the cookie of the browser with the form.
    package init?(_ fields: [UInt8]?, in binding: String?, keyRing: KeyRing, now: Timestamp) throws {
        guard let fields, let binding else { return nil }
        digest = try Digests.keyed(
            "repeated-mistake", [binding, Base64URL.encode(fields)], key: keyRing.active(.attempts))
        self.now = now
    }

    package func isRemembered(in database: any Database) async throws -> Bool {
        try await database.read { try SeenJTIs.contains(digest, now: now, on: $0) }
    }

    /// Remembers the form once its secret was refused. If this fails, only a reload of the page counts again.
    package func remember(in database: any Database) async {
        _ = try? await database.write { try SeenJTIs.remember(digest, until: now + Self.lifetime, on: $0) }
    }
}

extension SignInPage.Notice {
    /// Whether it says that a secret was wrong.
    var isMistake: Bool {
        switch self {
        case .invalidCredentials, .passkeyRefused, .wrongAnswer, .invalidCode: true
        default: false
        }
    }
}

extension SignInPage.Action {
    /// The same button with nothing that can be a secret: it is answered like a wrong one, and compared with nothing. `nil` for a button
    /// that sends no secret to compare.
    var withoutSecret: Self? {
        switch self {
        case .signIn(let username, _): .signIn(username: username, password: nil)
        case .signInInstead(let username, let secret): .signInInstead(username: username, secret.alternative.noSecret)
        case .usePasskey: .usePasskey(nil)
        case .checkRecoveryCode: .checkRecoveryCode(nil)
        case .checkEmailCode: .checkEmailCode(nil)
        case .answerFactor: .answerFactor(nil)
        default: nil
        }
    }
}

extension PageFlow {
    /// Handles a button of the page. A form that was refused before is not tried again.
    /// - Parameters:
    ///   - action: the button and its fields.
    ///   - state: the sealed state from the form.
    func submit(_ action: SignInPage.Action, state: PageState) async throws -> AuthorizationAnswer {
        var flow = self
        flow.form = state.form
        flow.misses = state.misses ?? 0
        guard let again = action.withoutSecret,
            let mistake = try RepeatedMistake(state.form?.fields, in: cookies.binding, keyRing: seal.keyRing, now: now)
        else { return try await flow.carryOut(action, state) }
        if try await mistake.isRemembered(in: database) { return try await flow.carryOut(again, state) }
        let answer = try await flow.carryOut(action, state)
        if case .page(let page) = answer.outcome, page.notice?.isMistake == true {
            await mistake.remember(in: database)
        }
        return answer
    }
}
