internal import Core
internal import Crypto
internal import WalletAuthWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A refresh token that contains its own data, so that it survives a restart of the sandbox.
struct StandInRefreshToken: Sendable {
    let person: StandInPerson
    let client: String
    let issuedAt: Timestamp

    private static let key = SymmetricKey(data: Array("walletauth sandbox refresh tokens".utf8))

    func text(salt: [UInt8]) -> String {
        var json = JSONObject()
        json.set("name", person.name)
        json["hides"] = .bool(person.hidesEmail)
        json.set("client", client)
        json.set("iat", issuedAt.milliseconds)
        json.set("salt", Base64URL.encode(salt))
        let content = Base64URL.encode(json.bytes)
        return "r" + content + "." + Self.mac(content)
    }

    static func open(_ token: String) -> StandInRefreshToken? {
        let parts = token.dropFirst().split(separator: ".")
        guard token.hasPrefix("r"), parts.count == 2, ConstantTime.equal(mac(String(parts[0])), String(parts[1])),
            let bytes = Base64URL.decode(String(parts[0])), let json = try? JSONValue.object(parsing: bytes),
            let name = json["name"]?.string, let client = json["client"]?.string,
            let issuedAt = json["iat"]?.integer,
            let person = StandInPerson(name: name, hidesEmail: json["hides"] == .bool(true))
        else { return nil }
        return StandInRefreshToken(person: person, client: client, issuedAt: Timestamp(milliseconds: issuedAt))
    }

    private static func mac(_ content: String) -> String {
        Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: key)))
    }
}
