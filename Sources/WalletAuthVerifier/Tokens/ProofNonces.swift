internal import Crypto
public import WalletAuthWire

/// Nonces for DPoP proofs (RFC 9449 §9): a span of time under a MAC, so that nothing is stored, and every process that
/// has the secret agrees.
///
/// They keep a proof from being made ahead of its time by somebody who has the key for a moment only.
public struct ProofNonces: Sendable {
    /// Each nonce is given out for so long, and taken for one span more.
    static let span = Duration.seconds(120)

    private let key: SymmetricKey

    /// Takes the secret that the backend's processes share.
    /// - Parameter secret: at least 32 random bytes.
    public init(secret: [UInt8]) throws(MalformedValue) {
        guard secret.count >= 32 else { throw MalformedValue(field: "secret", reason: "is shorter than 32 bytes") }
        key = SymmetricKey(data: secret)
    }

    private init(key: SymmetricKey) { self.key = key }

    /// Nonces of a secret that this process makes for itself and nobody else knows.
    public static func ofThisProcess() -> ProofNonces { ProofNonces(key: SymmetricKey(size: .bits256)) }

    /// The nonce to give out.
    func nonce(at now: NumericDate) -> String { nonce(ofSpan: now.secondsSince1970 / Self.span.components.seconds) }

    /// Whether a nonce was given out in this span or the one before; the next is taken as well, from a process whose clock
    /// is a little ahead.
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
    /// Without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
