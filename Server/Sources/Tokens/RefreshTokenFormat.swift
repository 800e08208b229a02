package import Core
internal import Crypto
package import WalletAuthWire

/// A parsed refresh token: `wrt_` and base64url of key id, session, generation and MAC.
///
/// The MAC also covers the session's account and a secret in its row, and is keyed by a data key. So neither the
/// database nor the key alone suffices to make a token, and a row that was moved to another account has no valid token.
///
/// Nothing in a token is random: that of a generation always has the same bytes, so a lost answer can be repeated.
package struct PresentedRefreshToken: Sendable, Hashable {
    /// The key of the MAC.
    package let keyID: KeyID
    package let session: SessionID
    package let generation: UInt32
    let mac: [UInt8]

    /// The prefix by which scanners find leaked tokens.
    package static let prefix = "wrt_"
    private static let length = 4 + 16 + 4 + 32

    /// Parses a token. It is genuine only if ``isGenuine(under:client:account:rowSecret:)`` confirms it.
    /// - Returns: `nil` for anything that this server never issued.
    package init?(_ text: String) {
        guard text.utf8.count == Self.prefix.utf8.count + (Self.length * 4 + 2) / 3, text.hasPrefix(Self.prefix),
            let bytes = Base64URL.decode(Array(text.utf8)[Self.prefix.utf8.count...]), bytes.count == Self.length,
            let keyID = KeyID(bytes: bytes[..<4]), let session = try? SessionID(bytes: Array(bytes[4..<20]))
        else { return nil }
        self.keyID = keyID
        self.session = session
        generation = bytes[20..<24].reduce(0) { $0 << 8 | UInt32($1) }
        mac = Array(bytes[24...])
    }

    /// Whether the MAC belongs to this session, generation, client and account.
    /// - Parameters:
    ///   - key: the key that the token names.
    ///   - account: the 16 bytes of the account's id in the session's row.
    ///   - rowSecret: the 16 random bytes of the session's row.
    package func isGenuine(
        under key: DataKey, client: ClientID, account: [UInt8], rowSecret: [UInt8]
    ) -> Bool {
        key.id == keyID
            && ConstantTime.equal(
                mac,
                RefreshTokens.mac(
                    key: key, session: session.bytes, generation: generation, client: client, account: account,
                    rowSecret: rowSecret))
    }
}

package enum RefreshTokens {
    /// Returns the token of a generation.
    /// - Parameters:
    ///   - key: the key that the session's row names. A successor keeps the key, so that it has the same bytes even if
    ///     keys were rotated in between.
    ///   - client: the client that may present it.
    ///   - account: the 16 bytes of the session's account.
    ///   - rowSecret: the 16 random bytes of the session's row.
    package static func token(
        key: DataKey, session: SessionID, generation: UInt32, client: ClientID, account: [UInt8], rowSecret: [UInt8]
    ) -> String {
        let sessionBytes = session.bytes
        var bytes = key.id.bytes + sessionBytes
        append(generation, to: &bytes)
        bytes += mac(
            key: key, session: sessionBytes, generation: generation, client: client, account: account,
            rowSecret: rowSecret)
        var text = Array(PresentedRefreshToken.prefix.utf8)
        Base64URL.append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    static func mac(
        key: DataKey, session: [UInt8], generation: UInt32, client: ClientID, account: [UInt8], rowSecret: [UInt8]
    ) -> [UInt8] {
        // All lengths are fixed except the client's, which precedes it. No two inputs have the same encoding.
        var message = Array("wallet-auth refresh v2".utf8) + session
        append(generation, to: &message)
        message += account
        let name = Array(client.rawValue.utf8)
        message.append(UInt8(name.count >> 8))
        message.append(UInt8(name.count & 255))
        message += name
        message += rowSecret
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key.key))
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        bytes.append(UInt8(number >> 24))
        bytes.append(UInt8(number >> 16 & 255))
        bytes.append(UInt8(number >> 8 & 255))
        bytes.append(UInt8(number & 255))
    }
}
