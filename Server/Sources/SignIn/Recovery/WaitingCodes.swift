internal import Core
internal import Crypto
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The codes of the rows that wait for one (``Recoveries``, ``WaitingRegistrations``): made, and compared with what was typed.
struct WaitingCodes: Sendable {
    /// What the code is for. A code for one purpose is never right for another.
    let purpose: String
    let keyRing: KeyRing
    let random: any RandomBytes

    /// The number of digits of a code. It is the first proof and comes without another, so it has a hundred times as many values as a
    /// second factor's code.
    static let digits = 8
    /// How long a code is valid.
    static let lifetime = Duration.minutes(10)

    func make(for id: UniqueID, now: Timestamp) throws -> (code: String, kept: OpenFactorRecord.Code) {
        let code = CodeDigits.make(Self.digits, of: random.bytes(8))
        let key = try keyRing.active(.signIn)
        return (
            code,
            OpenFactorRecord.Code(mac: mac(code, id, key: key), keyID: key.id, expiresAt: now + Self.lifetime)
        )
    }

    func isRight(_ typed: String, kept: OpenFactorRecord.Code, for id: UniqueID, now: Timestamp) -> Bool {
        guard let key = keyRing.key(.signIn, kept.keyID, at: now) else { return false }
        let digits = TypedCode.normalized(typed)
        return ConstantTime.equal(mac(digits, id, key: key), kept.mac) && now < kept.expiresAt
    }

    private func mac(_ code: String, _ id: UniqueID, key: DataKey) -> [UInt8] {
        let message = Array("\(purpose)\0".utf8) + id.bytes + Array(code.utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key.key))
    }
}
