internal import Crypto
public import WalletAuthWire

/// Nonces for DPoP proofs (RFC 9449 §9). A nonce is a time span with a MAC: nothing is stored, and all processes that
/// share the secret agree.
///
/// Nonces prevent someone with brief access to the key from creating proofs for later.
public struct ProofNonces: Sendable {
    /// A nonce is issued for one span and accepted for one more.
    static let span = Duration.seconds(120)

    /// The longest time for which a process accepts a nonce, which another one whose clock is ahead may have issued.
    static let life = span * 3

    private let key: SymmetricKey

    /// Creates nonces with a secret that the backend's processes share.
    ///
    /// - Parameter secret: at least 32 random bytes.
    /// - Throws: `MalformedValue` for a shorter secret.
    public init(secret: [UInt8]) throws(MalformedValue) {
        guard secret.count >= 32 else { throw MalformedValue(field: "secret", reason: "is shorter than 32 bytes") }
        key = SymmetricKey(data: secret)
    }

    private init(key: SymmetricKey) { self.key = key }

    /// Nonces with a random secret, known to this process only.
    public static func ofThisProcess() -> ProofNonces { ProofNonces(key: SymmetricKey(size: .bits256)) }

    /// The nonce to issue.
    func nonce(at now: NumericDate) -> String { nonce(ofSpan: now.secondsSince1970 / Self.span.components.seconds) }

    /// Whether a nonce was issued in this span or the one before. The next span is accepted as well, for a process
    /// whose clock is slightly ahead.
    func isGood(_ nonce: Nonce, at now: NumericDate) -> Bool {
        let current = now.secondsSince1970 / Self.span.components.seconds
        return [0, -1, 1].contains { ConstantTime.equal(self.nonce(ofSpan: current + $0), nonce.rawValue) }
    }

    private func nonce(ofSpan number: Int64) -> String {
        let mac = HMAC<SHA256>.authenticationCode(for: Array("wallet-auth resource nonce \(number)".utf8), using: key)
        return Base64URL.encode(Array(mac.prefix(16)))
    }
}

extension ProofNonces: CustomReflectable {
    /// No children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
