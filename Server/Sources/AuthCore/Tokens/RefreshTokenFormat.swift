internal import Crypto
package import WalletAuthWire

/// A refresh token taken apart: `wrt_` and base64url of key id, session, generation and MAC.
///
/// The MAC covers a secret of the session's row and is keyed by a data key: neither the database alone nor the key alone
/// makes a token. Nothing in it is random, so the token of a generation is the same bytes whenever it is made, and an
/// answer that was lost can be given again.
package struct PresentedRefreshToken: Sendable, Hashable {
    /// The key of the MAC.
    package let keyID: KeyID
    /// The session.
    package let session: SessionID
    /// Which of the session's tokens it is.
    package let generation: UInt32
    /// The MAC as presented.
    let mac: [UInt8]

    /// What every refresh token begins with, so that leaked ones can be found by scanners.
    package static let prefix = "wrt_"
    private static let length = 4 + 16 + 4 + 32

    /// Takes a token apart; whether it is genuine only the session's row can tell.
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

    /// Whether the MAC is the one that belongs to this session, generation and client.
    /// - Parameters:
    ///   - key: the server's key that the token names.
    ///   - client: whose token it is.
    ///   - rowSecret: the 16 random bytes of the session's row.
    package func isGenuine(under key: DataKey, client: ClientID, rowSecret: [UInt8]) -> Bool {
        key.id == keyID
            && ConstantTime.equal(
                mac,
                RefreshTokens.mac(
                    key: key, session: session.bytes, generation: generation, client: client, rowSecret: rowSecret))
    }
}

/// Makes refresh tokens.
package enum RefreshTokens {
    /// The token of a generation.
    /// - Parameters:
    ///   - key: the data key with the id that the session's row names: the successor never changes keys, so that it is
    ///     the same bytes even if keys were rotated in between.
    ///   - session: the session.
    ///   - generation: which of its tokens.
    ///   - client: the client that may present it.
    ///   - rowSecret: the 16 random bytes of the session's row.
    package static func token(
        key: DataKey, session: SessionID, generation: UInt32, client: ClientID, rowSecret: [UInt8]
    ) -> String {
        let sessionBytes = session.bytes
        var bytes = key.id.bytes + sessionBytes
        append(generation, to: &bytes)
        bytes += mac(key: key, session: sessionBytes, generation: generation, client: client, rowSecret: rowSecret)
        var text = Array(PresentedRefreshToken.prefix.utf8)
        Base64URL.append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    static func mac(
        key: DataKey, session: [UInt8], generation: UInt32, client: ClientID, rowSecret: [UInt8]
    ) -> [UInt8] {
        // Fixed lengths but for the client, whose length goes before it: no two inputs run together.
        var message = Array("wallet-auth refresh v1".utf8) + session
        append(generation, to: &message)
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
