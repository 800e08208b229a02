import Crypto
import Foundation
import HummingbirdTesting
import Kernel
import Synchronization
import Testing
import WalletAuthWire

@testable import Operations

/// An OpenID provider that vouches for one person.
final class StubProvider: Sendable {
    static let issuer = "https://id.example.com"

    private let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "key-1")
    private let idToken = Mutex("")
    let endpoint: String

    init(endpoint: String = "https://id.example.com/authorize") { self.endpoint = endpoint }

    /// What answers in its place.
    var http: ProviderHTTP {
        ProviderHTTP { [self] request in
            let answer: JSONObject =
                switch request.url {
                case Self.issuer + "/.well-known/openid-configuration":
                    JSONObject(strings: [
                        "issuer": Self.issuer, "jwks_uri": Self.issuer + "/keys",
                        "token_endpoint": Self.issuer + "/token", "authorization_endpoint": endpoint,
                    ])
                case Self.issuer + "/keys": JWKSet([signer.publicJWK].compactMap { $0 }).json
                default: JSONObject(strings: ["id_token": idToken.withLock { $0 }])
                }
            return ProviderHTTP.Answer(status: 200, body: answer.bytes)
        }
    }

    /// Vouches for the person to the browser that left by this location.
    func vouch(_ location: String, email: String? = nil) throws {
        let query = try FormParameters(parsing: location.split(separator: "?", maxSplits: 1).last ?? "")
        let now = Int64(Date().timeIntervalSince1970)
        var claims = JSONObject(strings: ["iss": Self.issuer, "sub": "sub-1", "aud": "wallet-server"])
        claims.set("nonce", query["nonce"])
        claims.set("iat", now)
        claims.set("exp", now + 300)
        claims.set("email", email)
        claims["email_verified"] = .bool(email != nil)
        let token = try CompactJWSEncoder(signer: signer, type: .jwt).encode(claims.bytes, signer: signer)
        idToken.withLock { $0 = token }
    }
}

extension TestServer {
    /// A provider on the pages of the default brand.
    func add(_ provider: StubProvider, label: String = "Example", redirectsToOtherHosts: Bool = false) async throws {
        var registration = OpenIDRegistration(
            id: "example", issuer: StubProvider.issuer, clientID: "wallet-server")
        registration.isOnSignInPage = true
        registration.label = label
        registration.trustsEmail = true
        registration.redirectsToOtherHosts = redirectsToOtherHosts
        try await execute { try await ProviderAdministration($0).add(registration) }
    }
}

extension BrowserOverHTTP {
    static let signInPage = "/sign-in"
    static let providerPage = "/sign-in/provider/default/example"

    /// Opens the authorization endpoint and presses the provider's button.
    mutating func leave(_ changes: [String: String?] = [:]) async throws -> TestResponse {
        let page = try await open("/oauth2/authorize?" + Journey.query(changes))
        return try await press("use_provider", on: page, at: Self.signInPage, [("provider", "example")])
    }
}
