package import Core
internal import Crypto
package import Kernel
package import Store
package import WalletAuthWire

/// Codes sent as a factor: six digits, of which the database holds only a MAC.
package struct FactorCodes: Sendable {
    let keyRing: KeyRing
    let random: any RandomBytes
    /// A code for one use never serves another.
    let use: Use

    package init(keyRing: KeyRing, random: any RandomBytes, use: Use = .secondFactor) {
        self.keyRing = keyRing
        self.random = random
        self.use = use
    }

    package enum Use: String, Sendable {
        case secondFactor = "second-factor"
        /// A payment consent.
        case consent = "sca"
        /// A new e-mail address or phone number.
        case contact = "contact-change"
    }

    /// How long a code is valid.
    package static let lifetime = Duration.minutes(5)
    /// Minimum time between two codes.
    package static let interval = Duration.seconds(30)

    /// Creates a code for an open factor, and the part to store.
    package func make(for factor: UniqueID, now: Timestamp) throws -> (code: String, kept: OpenFactorRecord.Code) {
        let code = CodeDigits.make(CodeDigits.sent, of: random.bytes(8))
        let key = try keyRing.active(.signIn)
        return (
            code,
            OpenFactorRecord.Code(
                mac: mac(code, factor: factor, key: key), keyID: key.id, expiresAt: now + Self.lifetime)
        )
    }

    /// Whether the text is the code that was sent for this factor.
    package func isRight(_ typed: String, for factor: OpenFactorRecord, now: Timestamp) -> Bool {
        factor.code.map { isRight(typed, kept: $0, for: factor.id, now: now) } ?? false
    }

    /// Whether the text is the stored code.
    /// - Parameters:
    ///   - typed: as typed.
    ///   - kept: the stored part of the code.
    ///   - id: the id that the code was made for.
    ///   - now: the present moment.
    package func isRight(_ typed: String, kept: OpenFactorRecord.Code, for id: UniqueID, now: Timestamp) -> Bool {
        guard now < kept.expiresAt,
            let key = keyRing.key(.signIn, kept.keyID, at: now)
        else { return false }
        let digits = TypedCode.normalized(typed)
        return ConstantTime.equal(mac(digits, factor: id, key: key), kept.mac)
    }

    private func mac(_ code: String, factor: UniqueID, key: DataKey) -> [UInt8] {
        let message = Array("\(use.rawValue)\0".utf8) + factor.bytes + Array(code.utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key.key))
    }
}

extension AccountVault {
    /// The masked destination of a factor's codes; `nil` for a factor without codes.
    package func maskedDestination(of kind: FactorKind, account: AccountRecord) -> String? {
        destination(of: kind, account: account).map { Self.masked($0, of: kind) }
    }

    /// The destination of a factor's codes; `nil` for a factor without codes, or if the account has no address.
    package func destination(of kind: FactorKind, account: AccountRecord) -> String? {
        switch kind {
        case .email: open(account.email, .email, of: account.id)
        case .sms: open(account.phone, .phone, of: account.id)
        case .totp, .secretQuestion, .recoveryCode: nil
        }
    }

    /// Shows just enough of an address for its holder to recognize it.
    package static func masked(_ address: String, of kind: FactorKind) -> String {
        kind == .sms ? "…\(address.suffix(2))" : EmailCodes.masked(address)
    }
}
