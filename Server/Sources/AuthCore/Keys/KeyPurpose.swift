/// What a data key is for. A key serves one purpose: a ciphertext or MAC made for one never opens for another.
package enum KeyPurpose: String, Sendable, Codable, CaseIterable {
    /// The MAC of refresh tokens. Old keys are kept for the longest session.
    case refresh
    /// Authorization codes.
    case code
    /// Hosted pages: the sealed request, the browser's cookies and the form's token.
    case page
    /// The session between the steps of a native sign-in, and codes sent by e-mail.
    case signIn = "sign-in"
    /// DPoP nonces.
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
    /// Messages waiting to be sent.
    case outbox
    /// The secrets by which the server proves itself at identity providers, at rest.
    case provider
    /// Keyed hashes: who is counted for failures, so that the counters name nobody, and which assertion of a PIN was answered.
    case attempts
    /// The links of the audit chains, and the key that signs their checkpoints. Old keys are kept as long as the record.
    case audit
}

extension KeyPurpose {
    /// How long a key goes on opening after it was retired: at least as long as anything that it sealed may live, and no
    /// longer, so that a key that leaked makes nothing for ever. `nil` where what it sealed has no such end.
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

/// Names one data key among those of its purpose, from 1 upward; 0 is the master key's.
package struct KeyID: Hashable, Sendable, Codable {
    /// Four bytes, most significant first, as they stand in tokens and ciphertexts.
    package let value: UInt32

    /// - Parameter value: any number.
    package init(_ value: UInt32) {
        self.value = value
    }

    /// - Parameter bytes: exactly four, most significant first, else `nil`.
    @inlinable
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 else { return nil }
        self.init(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The four bytes.
    package var bytes: [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    /// Eight hexadecimal digits, for people and for `kid`.
    package var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}
