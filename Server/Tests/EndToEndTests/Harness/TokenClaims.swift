import Foundation
import WalletAuthWire

/// What an access token says, unverified: for tests that play the app or the backend and have to know whose it is.
enum TokenClaims {
    struct Unreadable: Error {
        let token: String
    }

    /// All claims.
    static func all(of token: String) throws -> [String: Any] {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])),
            let claims = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        else { throw Unreadable(token: token) }
        return claims
    }

    /// A claim that is a text.
    static func text(_ name: String, of token: String) throws -> String {
        guard let claim = try all(of: token)[name] as? String else { throw Unreadable(token: token) }
        return claim
    }
}
