internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// An answer that a page may post twice, by a double click or while the first response is slow.
///
/// For half a minute the repetition gets what the first one got: the same answer to the same step, in a browser that still has the
/// cookie of the form. Without this, the one response that the browser shows would call a right answer wrong. Only what cannot be
/// guessed any more is remembered, as a keyed digest: codes that are spent by then, and that a password was set.
package struct RepeatedAnswer: Sendable {
    package static let lifetime = Duration.seconds(30)

    /// What an answer achieved.
    enum Effect: Sendable {
        case proved(FactorKind, Password)
        case confirmed(EmailCode)
        /// A new password, by the security version that it began.
        case password(version: Int64)
    }

    private let step: [String]
    private let key: DataKey
    private let now: Timestamp

    /// - Parameters:
    ///   - pending: the sign-in before the answer.
    ///   - binding: the cookie of the browser with the form.
    init(to pending: PendingSignIn, in binding: String, keyRing: KeyRing, now: Timestamp) throws {
        step = [
            Base64URL.encode(Digests.of("repeated-answer", Array(binding.utf8))), pending.account,
            String(pending.securityVersion), String(pending.authTime.milliseconds), pending.need.rawValue,
            pending.factor ?? "",
        ]
        key = try keyRing.active(.attempts)
        self.now = now
    }

    func remember(_ effect: Effect, on connection: any SQLConnection) throws {
        guard let digest = digest(of: effect) else { return }
        _ = try SeenJTIs.remember(digest, until: now + Self.lifetime, on: connection)
    }

    func isRemembered(_ effect: Effect, on connection: any SQLConnection) throws -> Bool {
        guard let digest = digest(of: effect) else { return false }
        return try SeenJTIs.contains(digest, now: now, on: connection)
    }

    private func digest(of effect: Effect) -> [UInt8]? {
        let text: [String]
        switch effect {
        // An answer to a question is not spent by its use.
        case .proved(.secretQuestion, _): return nil
        case .proved(let kind, let answer): text = [kind.rawValue, TypedCode.normalized(answer.reveal())]
        case .confirmed(let code): text = ["confirmed", code.reveal()]
        case .password(let version): text = ["password", String(version)]
        }
        return Digests.keyed("repeated-answer", step + text, key: key)
    }
}
