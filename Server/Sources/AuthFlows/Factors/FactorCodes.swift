internal import AuthCore
internal import AuthStore
internal import Crypto
internal import WalletAuthWire

/// The codes that are sent as a factor: six digits that the database holds no more than a MAC of.
struct FactorCodes: Sendable {
    let context: ServerContext
    /// What they are good for; a code of one use never serves another.
    var use = Use.secondFactor

    /// What codes are good for.
    enum Use: String, Sendable {
        /// A sign-in.
        case secondFactor = "second-factor"
        /// A payment consent.
        case consent = "sca"
    }

    /// How long one is good.
    static let lifetime = Duration.minutes(5)
    /// How long before the next may be sent.
    static let interval = Duration.seconds(30)

    /// Makes a code for a factor of a sign-in, and what is kept of it.
    func make(for factor: UniqueID, now: Timestamp) throws -> (code: String, kept: OpenFactorRecord.Code) {
        let code = CodeDigits.make(EmailCodes.digits, of: context.random.bytes(8))
        let key = try context.keyRing.active(.signIn)
        return (
            code,
            OpenFactorRecord.Code(
                mac: mac(code, factor: factor, key: key), keyID: key.id, expiresAt: now + Self.lifetime)
        )
    }

    /// Whether what was typed is the code that was sent for this factor and no other.
    func isRight(_ typed: String, for factor: OpenFactorRecord, now: Timestamp) -> Bool {
        factor.code.map { isRight(typed, kept: $0, for: factor.id, now: now) } ?? false
    }

    /// Whether what was typed is the code of which this was kept.
    /// - Parameters:
    ///   - typed: as typed.
    ///   - kept: what was kept of the code.
    ///   - id: what the code was made for.
    ///   - now: the present moment.
    func isRight(_ typed: String, kept: OpenFactorRecord.Code, for id: UniqueID, now: Timestamp) -> Bool {
        guard now < kept.expiresAt,
            let key = context.keyRing.key(.signIn, kept.keyID, at: now)
        else { return false }
        let digits = typed.filter { !$0.isWhitespace }
        return ConstantTime.equal(mac(digits, factor: id, key: key), kept.mac)
    }

    private func mac(_ code: String, factor: UniqueID, key: DataKey) -> [UInt8] {
        let message = Array("\(use.rawValue)\0".utf8) + factor.bytes + Array(code.utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key.key))
    }
}
