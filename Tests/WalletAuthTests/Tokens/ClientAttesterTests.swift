import Crypto
import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite("An instance that the app's backend vouches for", .covers("attestation of apps and of biometric keys"))
struct ClientAttesterTests {
    /// The backend, and the transport to the scripted server, which records what comes with the requests for tokens.
    private final class Backend: ClientAttester, HTTPTransport {
        let world: World
        let signer = P256Signer(P256.Signing.PrivateKey())
        let keys = LockedValue<[JWK]>([])
        let attestations = LockedValue<[String?]>([])
        /// The errors with which the server answers next.
        let errors = LockedValue<[String]>([])
        let isAway = LockedValue(false)

        init(_ world: World) { self.world = world }

        func attestation(of key: Data) async throws -> String {
            struct Away: Error {}
            guard !isAway.withLock({ $0 }) else { throw Away() }
            let key = try JWK(JSONValue.object(parsing: Array(key)))
            keys.withLock { $0.append(key) }
            var claims = JSONObject()
            claims.set("sub", "com.example.wallet")
            claims.set("exp", Int64(world.clock.now().timeIntervalSince1970) + 3600)
            claims.set("number", Int64(keys.withLock { $0.count }))
            claims["cnf"] = ["jwk": .object(key.json)]
            return try await CompactJWSEncoder(signer: signer, type: .clientAttestation).encode(
                claims.bytes, signer: signer)
        }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            guard request.method == "POST", request.url.path == Endpoints.token.path else {
                return try await world.server.send(request)
            }
            attestations.withLock { $0.append(request.headers["OAuth-Client-Attestation"]) }
            let next: String? = errors.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let error = next {
                return HTTPResponse(
                    status: 400, headers: ["Content-Type": "application/json"],
                    body: Data(#"{"error":"\#(error)"}"#.utf8))
            }
            let proof = try CompactJWS(try #require(request.headers["DPoP"]), embeddedKey: .required)
            let attested = keys.withLock { $0.last?.thumbprint }
            #expect(proof.header.embeddedKey?.thumbprint == attested)
            return try await world.server.send(request)
        }

        var ports: Wallet.Ports {
            var ports = world.ports
            ports.transport = self
            ports.clientAttester = self
            return ports
        }
    }

    @Test(
        "Each request for tokens carries the attestation of the proved key, which is asked for again when it has expired"
    )
    func attested() async throws {
        let world = World()
        let backend = Backend(world)
        let wallet = try await world.signedIn(ports: backend.ports)
        world.expireToken()
        _ = try await wallet.accessToken()
        #expect(backend.keys.withLock { $0.count } == 1)
        #expect(Set(backend.attestations.withLock { $0 }).count == 1)
        world.clock.advance(by: .seconds(3600))
        _ = try await wallet.accessToken()
        #expect(backend.keys.withLock { $0.count } == 2)
        let sent = backend.attestations.withLock { $0 }
        #expect(Set(sent).count == 2 && !sent.contains(nil))
    }

    @Test("An attestation that the server finds too old is replaced once, and the request repeated")
    func tooOld() async throws {
        let world = World()
        let backend = Backend(world)
        let wallet = try await world.signedIn(ports: backend.ports)
        world.expireToken()
        backend.errors.withLock { $0 = ["use_fresh_attestation"] }
        _ = try await wallet.accessToken()
        #expect(backend.keys.withLock { $0.count } == 2)
        world.expireToken()
        backend.errors.withLock { $0 = ["use_fresh_attestation", "use_fresh_attestation"] }
        let before = backend.attestations.withLock { $0.count }
        await #expect(throws: WalletError.self) { try await wallet.accessToken() }
        #expect(backend.attestations.withLock { $0.count } == before + 2, "not more often than once")
        world.clock.advance(by: .seconds(2))
        _ = try await wallet.accessToken()
    }

    @Test("While the backend vouches for nothing, the session stays, and the error says that another try may help")
    func away() async throws {
        let world = World()
        let backend = Backend(world)
        let wallet = try await world.signedIn(ports: backend.ports)
        world.clock.advance(by: .seconds(3600))
        backend.isAway.withLock { $0 = true }
        let failure = await #expect(throws: WalletError.self) { try await wallet.accessToken() }
        #expect(failure?.code == .attestationUnavailable)
        #expect(failure?.outcome == .temporarilyUnavailable(retryAfter: nil))
        backend.isAway.withLock { $0 = false }
        _ = try await wallet.accessToken()
        #expect(world.userAgent.presented.count == 1)
    }

    @Test("A server that knows another attester says so, and the session stays")
    func unknownAttester() async throws {
        let world = World()
        let backend = Backend(world)
        let wallet = try await world.signedIn(ports: backend.ports)
        world.expireToken()
        backend.errors.withLock { $0 = ["invalid_client_attestation"] }
        let failure = await #expect(throws: WalletError.self) { try await wallet.accessToken() }
        #expect(failure?.code == "invalid_client_attestation")
        #expect(failure?.outcome == .misconfigured)
        world.clock.advance(by: .seconds(2))
        _ = try await wallet.accessToken()
        #expect(world.userAgent.presented.count == 1)
    }
}
