import Foundation
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

/// A server whose answers a test rewrites on their way, so that what the server does and what it says come apart.
final class OddServer: HTTPTransport {
    typealias Rewriting = @Sendable (HTTPRequest, HTTPResponse) throws -> HTTPResponse

    private let base: any HTTPTransport
    private let rewriting = LockedValue<Rewriting?>(nil)

    init(_ base: any HTTPTransport) { self.base = base }

    /// What is done to each answer from now on; nil leaves them alone.
    func rewrite(_ rewriting: Rewriting?) { self.rewriting.withLock { $0 = rewriting } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await base.send(request)
        guard let rewriting = rewriting.withLock({ $0 }) else { return response }
        return try rewriting(request, response)
    }

    /// Changes the members of what the token endpoint grants.
    func changeGrants(_ change: @escaping @Sendable (inout JSONObject) throws -> Void) {
        rewrite { request, response in
            guard request.url.path == Endpoints.token.path, response.status == 200 else { return response }
            var object = try JSONValue.object(parsing: Array(response.body))
            try change(&object)
            var changed = response
            changed.body = Data(object.bytes)
            return changed
        }
    }

    /// Changes the members of both metadata documents.
    func changeMetadata(_ change: @escaping @Sendable (inout JSONObject) -> Void) {
        rewrite { request, response in
            guard request.url.path.hasPrefix("/.well-known/"), response.status == 200 else { return response }
            var object = try JSONValue.object(parsing: Array(response.body))
            change(&object)
            var changed = response
            changed.body = Data(object.bytes)
            return changed
        }
    }
}

/// A standard server: bearer tokens that rotate, and nothing of this project's.
struct StandardWorld: Sendable {
    let world: World
    let odd: OddServer

    init(_ change: (inout ScriptedServer.Settings) -> Void = { _ in }) {
        var settings = ScriptedServer.Settings()
        settings.dpop = .unavailable
        settings.keepsRefreshAttempts = false
        settings.repetitionTime = .seconds(-1)
        change(&settings)
        world = World(settings)
        odd = OddServer(world.server)
    }

    var server: ScriptedServer { world.server }

    var ports: Wallet.Ports {
        var ports = world.ports
        ports.transport = odd
        return ports
    }

    func wallet(_ signIn: Wallet.SignIn = .full(redirectURI: World.redirectURI)) throws -> Wallet {
        try world.wallet(signIn, ports: ports)
    }

    func signedIn() async throws -> Wallet { try await world.signedIn(ports: ports) }

    /// Lets the token end, and what pauses the SDK after a failure.
    func expireToken() {
        world.expireToken()
        world.clock.advance(by: .seconds(61))
    }

    /// An answer of the token endpoint.
    func answer(_ status: Int, _ body: String = "", headers: HTTPFields = HTTPFields(), times: Int = 1) {
        server.inject(
            .answer(HTTPResponse(status: status, headers: headers, body: Data(body.utf8))), at: Endpoints.token.path,
            times: times)
    }
}

/// An ID token without a real signature: over TLS from the token endpoint its signature is not looked at.
func idToken(_ claims: JSONObject, algorithm: String = "ES256") -> String {
    var header = JSONObject()
    header.set("alg", algorithm)
    return [header.bytes, claims.bytes, Array("signature".utf8)].map { Base64URL.encode($0) }.joined(separator: ".")
}

/// The claims of a right ID token of the scripted server for alice, in a renewal.
func renewedClaims(at clock: ManualClock) -> JSONObject {
    var claims = JSONObject()
    claims.set("iss", "https://auth.example.com")
    claims.set("sub", "sub-alice")
    claims.set("aud", "com.example.wallet")
    let now = Int64(clock.trueNow().timeIntervalSince1970)
    claims.set("iat", now)
    claims.set("exp", now + 300)
    return claims
}
