internal import Core
internal import Foundation
package import WalletAuthWire

/// A service account of Google's, as its console hands out the file.
package struct FCMCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package let project: String
    let email: String
    let tokenURL: String
    let signer: RS256Signer

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    /// - Parameter file: the JSON of a service account's key.
    /// - Throws: `MalformedValue` that says what the file lacks.
    package init(file: [UInt8]) throws(MalformedValue) {
        guard let json = try? JSONValue.object(parsing: file) else { throw Self.malformed("is not a JSON object") }
        guard json["type"]?.string == "service_account" else {
            throw Self.malformed("is not the key of a service account, whose \"type\" is \"service_account\"")
        }
        project = try Self.member("project_id", of: json)
        email = try Self.member("client_email", of: json)
        let keyID = try Self.member("private_key_id", of: json)
        let pem = try Self.member("private_key", of: json)
        tokenURL = json["token_uri"]?.string ?? "https://oauth2.googleapis.com/token"
        // The id becomes part of a path.
        guard project.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"/?#%\\".utf8.contains($0) }) else {
            throw Self.malformed("has a \"project_id\" with characters that no project has")
        }
        do { signer = try RS256Signer(pem: pem, keyID: keyID) } catch {
            throw Self.malformed("has no RSA key in \"private_key\"")
        }
    }

    private static func member(_ name: String, of json: JSONObject) throws(MalformedValue) -> String {
        guard let text = json[name]?.string, !text.isEmpty else { throw malformed("has no member \"\(name)\"") }
        return text
    }

    private static func malformed(_ reason: String) -> MalformedValue {
        MalformedValue(field: "credentials", reason: reason)
    }

    /// The assertion that Google exchanges for an access token (RFC 7523 §2.1).
    /// - Parameter audience: the URL of the exchange.
    /// - Throws: the library's error.
    func assertion(for audience: String, now: Timestamp) throws -> String {
        let issuedAt = NumericDate(clamping: now.seconds)
        var claims = JSONObject()
        claims.set("iss", email)
        claims.set("scope", Self.scope)
        claims.set("aud", audience)
        claims.set("iat", issuedAt)
        claims.set("exp", issuedAt.advanced(by: .hours(1)))
        return try CompactJWSEncoder(signer: signer, type: nil).encode(claims.bytes, signer: signer)
    }

    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
