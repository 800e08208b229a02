import Foundation
import Testing
import WalletAuth
import WalletAuthWire

/// The numbers of a sign-in by another provider's word: each row of the older kits' table, by the SDK against the running
/// program, whose provider is a second one.
@Suite("Every number of the table of federated sign-in", .onceForAllEngines)
struct FederatedStatusCodeTests {
    /// A phone that is linked to the account of a person whom the provider knows.
    private struct Scene: Sendable {
        static let username = "ada-here"

        let server: RunningServer
        let provider: PeerProvider
        let client: RegisteredClient
        let wallet: Wallet

        func another() async throws -> Wallet {
            try Device(ledger: server.ledger, person: provider.person, redirectURI: client.redirectURI)
                .wallet(issuer: await server.issuer, client: client)
        }

        /// Makes the account, confirms its address, which is the second factor of that sign-in, and enrolls the phone.
        func link() async throws {
            let guest = try await signIn(wallet).guest()
            let account = NewAccount(username: Self.username, email: "ada@example.com")
            let verification = try await wallet.enrollment.createAndRegister(account, for: guest).emailVerification()
            try await verification.confirm(code: server.newestCode()).signedIn()
            try await wallet.devices.enroll(name: "Ada's phone")
        }

        func signIn(_ wallet: Wallet) async throws -> LoginOutcome {
            try await wallet.login(federatedIdentity: provider.identity(nonce: wallet.federatedNonce()))
        }

        /// The number that the phone's sign-in ends with, with what it needs of the provider got before something happens.
        func number(
            on other: Wallet? = nil, after happening: () async throws -> Void = {}
        ) async throws -> Int? {
            let wallet = other ?? wallet
            let identity = try await provider.identity(nonce: wallet.federatedNonce())
            try await happening()
            do {
                let outcome = try await wallet.login(federatedIdentity: identity)
                if case .authenticated = outcome { return 200 }
                return outcome.statusCode
            } catch let error as WalletError {
                #expect(error.operation == .loginByFederatedIdentity)
                #expect(error.reachedServer)
                #expect(UserErrorMessages.builtIn.text(for: error, languages: ["bg"]) != nil)
                return error.statusCode
            }
        }
    }

    private func withScene(clientOptions: [String] = [], _ body: (Scene) async throws -> Void) async throws {
        try await withServer { server in
            // The address of its people is none that it tells: a code to it counts where the operator says so.
            try await PeerProvider.ourOwn(for: server, options: ["--email-second-factor"]) { provider in
                let client = try await server.makePublicClient(options: clientOptions)
                let phone = Device(ledger: server.ledger, person: provider.person, redirectURI: client.redirectURI)
                let scene = Scene(
                    server: server, provider: provider, client: client,
                    wallet: try phone.wallet(issuer: await server.issuer, client: client))
                try await scene.link()
                try await body(scene)
            }
        }
    }

    @Test("200 for the linked phone, 412 for another device, 401 for what the provider calls wrong")
    func credentials() async throws {
        try await withScene { scene in
            let linked = try await scene.number()
            #expect(linked == 200)
            let unlinked = try await scene.number(on: scene.another())
            #expect(unlinked == 412)
            let spent = FederatedIdentity(
                provider: "example", authorizationCode: randomText(32),
                redirectURI: URL(string: PeerProvider.redirectURI), codeVerifier: randomText(32),
                nonce: try await scene.wallet.federatedNonce())
            let refused = await #expect(throws: WalletError.self) {
                try await scene.wallet.login(federatedIdentity: spent)
            }
            #expect(refused?.statusCode == 401)
            #expect(refused?.operation == .loginByFederatedIdentity)
        }
    }

    @Test("418, 503, 423, 500 and 421: the address, the device suspended and deactivated, a fault, the wallet")
    func closed() async throws {
        try await withScene { scene in
            let server = scene.server
            let unconfirmed = try await scene.number {
                try await server.write("UPDATE accounts SET email_state = 'unverified'")
            }
            #expect(unconfirmed == 418)
            try await server.require(["account", "verify-email", Scene.username])
            let device = try #require(try await scene.wallet.devices.list().first).id.rawValue
            let suspended = try await scene.number { try await server.require(["device", "suspend", device]) }
            #expect(suspended == 503)
            try await server.require(["device", "resume", device])
            let deactivated = try await scene.number { try await server.require(["device", "deactivate", device]) }
            #expect(deactivated == 423)
            try await server.require(["device", "reactivate", device])
            let failed = try await scene.number {
                try await server.write("ALTER TABLE accounts RENAME TO accounts_lost")
            }
            #expect(failed == 500)
            try await server.write("ALTER TABLE accounts_lost RENAME TO accounts")
            let closed = try await scene.number {
                try await server.require(["account", "deactivate", Scene.username])
            }
            #expect(closed == 421)
        }
    }

    @Test("511: the installation has not confirmed its code")
    func installation() async throws {
        try await withScene(clientOptions: ["--verify-app-installation"]) { scene in
            let told = try await scene.number()
            #expect(told == 511)
        }
    }
}
