/// The purpose of a data key. A key serves one purpose: a ciphertext or MAC for one purpose is never valid for another.
package enum KeyPurpose: String, Sendable, Codable, CaseIterable {
    /// The MAC of refresh tokens. Old keys are kept for the longest session.
    case refresh
    case code
    /// Hosted pages: the sealed request, the browser's cookies and the form's token.
    case page
    /// The session between the steps of a native sign-in, and codes sent by e-mail.
    case signIn = "sign-in"
    case nonce
    /// Personal data at rest.
    case personal
    /// Password hashes and hashed answers at rest.
    case pepper
    /// Shared secrets of authenticator apps at rest.
    case totp
    /// The keys of PINs at rest.
    case pin
    /// Private signing keys at rest.
    case signing
    case outbox
    /// The server's client secrets at identity providers, at rest.
    case provider
    /// Keyed hashes: the names of failure counters, so that they identify no one, and the answered assertions of PINs.
    case attempts
    /// The links of the audit chains, and the key that signs their checkpoints. Old keys are kept as long as the log.
    case audit
}

extension KeyPurpose {
    /// How long a retired key still opens. This is at least the lifetime of anything it sealed, and no longer, so that
    /// a leaked key cannot forge forever. `nil` if what it sealed has no such end.
    package var opensAfterRetirement: Duration? {
        switch self {
        case .code, .nonce: .minutes(10)
        case .signIn: .minutes(15)
        // The known-device cookie lives longest.
        case .page: .days(180)
        case .refresh, .personal, .pepper, .totp, .pin, .signing, .outbox, .provider, .attempts, .audit: nil
        }
    }
}

/// Identifies a data key within its purpose, from 1 up, or a master key.
package struct KeyID: Hashable, Sendable, Codable {
    /// Stored in tokens and ciphertexts as four bytes, most significant first.
    package let value: UInt32

    package init(_ value: UInt32) {
        self.value = value
    }

    /// Returns `nil` unless there are exactly four bytes, most significant first.
    @inlinable
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 else { return nil }
        self.init(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }

    package var bytes: [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}
