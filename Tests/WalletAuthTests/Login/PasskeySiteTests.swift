import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite("The site that a server asks passkeys of")
struct PasskeySiteTests {
    /// An authenticator that has a passkey of every site, and the sites that it was asked for.
    private final class Willing: PasskeyAuthenticator {
        private let asked = LockedValue<[String]>([])
        var sites: [String] { asked.withLock { $0 } }

        func create(_ request: PasskeyCreationRequest) async throws -> CreatedPasskey {
            asked.withLock { $0.append(request.site) }
            return CreatedPasskey(id: Data([1]), clientData: Data("{}".utf8), attestationObject: Data([0xA0]))
        }

        func use(_ request: PasskeyUseRequest) async throws -> UsedPasskey {
            asked.withLock { $0.append(request.site) }
            return UsedPasskey(
                id: Data([1]), clientData: Data("{}".utf8), authenticatorData: Data(count: 37), signature: Data([1]),
                userHandle: Data([1]))
        }
    }

    private func answer(_ body: JSONObject, at path: String, in world: World) {
        world.server.inject(
            .answer(
                HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Data(body.bytes))),
            at: path)
    }

    private func options(_ site: String) -> PasskeyRequestOptions {
        PasskeyRequestOptions(relyingPartyID: site, challenge: [UInt8](repeating: 1, count: 32), timeout: 300_000)
    }

    private func creation(_ site: String) -> PasskeyCreationOptions {
        PasskeyCreationOptions(
            relyingPartyID: site, relyingPartyName: "Shop", userHandle: [UInt8](repeating: 2, count: 16),
            userName: "alice", challenge: [UInt8](repeating: 1, count: 32), exclude: [], timeout: 300_000)
    }

    @Test(
        "attack: a server that asks for another site's passkey gets none, and the error names both",
        arguments: ["bank.example", "example.com", "auth.example.com.evil.example", "AUTH.example.com"])
    func otherSite(_ site: String) async throws {
        let world = World()
        let authenticator = Willing()
        var ports = world.ports
        ports.passkeys = authenticator
        answer(options(site).json, at: "/v1/passkeys/options", in: world)
        answer(creation(site).json, at: "/v1/account/passkeys/options", in: world)
        let signIn = await failure { try await world.wallet(ports: ports).passkeys.signIn() }
        let wallet = try await world.signedIn(ports: ports)
        let change = await failure { try await wallet.passkeys.register() }
        for error in [signIn, change] {
            #expect(error?.code == .malformedAnswer)
            #expect(error?.outcome == .misconfigured)
            #expect(error?.reason.contains("a passkey of \(site), although its own host is auth.example.com") == true)
        }
        #expect(authenticator.sites.isEmpty)
        #expect(!world.server.requests.contains { $0.path == "/v1/account/passkeys" })
    }

    @Test("Passkeys of the server's own host are asked for")
    func ownSite() async throws {
        let world = World()
        let authenticator = Willing()
        var ports = world.ports
        ports.passkeys = authenticator
        answer(options("auth.example.com").json, at: "/v1/passkeys/options", in: world)
        answer(creation("auth.example.com").json, at: "/v1/account/passkeys/options", in: world)
        // The scripted server knows no passkeys, so it refuses what was signed.
        _ = await failure { try await world.wallet(ports: ports).passkeys.signIn() }
        let wallet = try await world.signedIn(ports: ports)
        _ = await failure { try await wallet.passkeys.register() }
        #expect(authenticator.sites == ["auth.example.com", "auth.example.com"])
    }

    @Test("At a server whose host is an address, neither server nor device is asked, and the reason names the host")
    func address() async throws {
        let world = World()
        let authenticator = Willing()
        var ports = world.ports
        ports.passkeys = authenticator
        let issuer = try #require(URL(string: "http://127.0.0.1:8700"))
        let wallet = try Wallet(
            configuration: Wallet.Configuration(
                environment: .sandbox(issuer: issuer), clientID: "com.example.wallet",
                signIn: .full(redirectURI: World.redirectURI), ports: ports))
        for error in [
            await failure { try await wallet.passkeys.signIn() },
            await failure { try await wallet.passkeys.register() },
        ] {
            #expect(error?.code == .passkeysUnavailable)
            #expect(error?.reason == "passkeys need a host name, not 127.0.0.1")
        }
        #expect(authenticator.sites.isEmpty)
        #expect(world.server.requests.isEmpty)
    }
}
