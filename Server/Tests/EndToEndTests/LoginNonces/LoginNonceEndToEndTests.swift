import Foundation
import Testing
import WalletAuth

/// A backend that vouches for its person, the SDK and the terminal wallet, over real HTTP.
@Suite("Login nonces", .covers("loginByNonce"))
struct LoginNonceEndToEndTests {
    @Test("The SDK signs in by a nonce bound to its key; a copy on another device is worth nothing")
    func boundToKey() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let app = try await server.makePublicClient()
            let backend = try await server.makeConfidentialClient(scope: "login_nonces")
            let device = Device(ledger: server.ledger, person: person, redirectURI: app.redirectURI)
            let wallet = try device.wallet(issuer: await server.issuer, client: app)
            let thief = try Device(ledger: server.ledger, person: person, redirectURI: app.redirectURI)
                .wallet(issuer: await server.issuer, client: app)
            let key = try await wallet.signInKeyThumbprint()
            let nonce = try await server.issueNonce(by: backend, for: person, app: app.id, key: key)
            let stolen = await #expect(throws: WalletError.self) { try await thief.login(nonce: nonce) }
            #expect(stolen?.code == .invalidCredentials)
            try await wallet.login(nonce: nonce).signedIn()
            #expect(wallet.isLoggedIn)
        }
    }

    @Test(
        "The terminal wallet reads a nonce from standard input, and says what is wrong with a spent one",
        .onceForAllEngines)
    func terminal() async throws {
        try await withTerminalWallet { server, wallet, person in
            let backend = try await server.makeConfidentialClient(scope: "login_nonces")
            let nonce = try await server.issueNonce(by: backend, for: person, app: "com.example.wallet")
            let signIn = try await wallet.run(["sign-in", "--nonce-stdin"], input: nonce + "\n")
            #expect(signIn.succeeded, "\(signIn.errors)")
            let again = try await wallet.run(["sign-in", "--nonce-stdin"], input: nonce + "\n")
            #expect(again.ending == .exited(1))
            #expect(again.errors.contains("the nonce is wrong, already used, expired"), "\(again.errors)")
            #expect(again.errorLines.count == 1)
            // A nonce proves nothing: to change what one signs in with takes a proof.
            let refused = try await wallet.run("mfa", "authenticator", "--begin")
            #expect(refused.ending == .exited(1))
            #expect(
                refused.errors.contains("wallet sign-in --again --username \(person.username)"), "\(refused.errors)")
            let proved = try await wallet.signIn(person, "--again")
            #expect(proved.succeeded, "\(proved.errors)")
            let begun = try await wallet.run("mfa", "authenticator", "--begin")
            #expect(begun.succeeded, "\(begun.errors)")
        }
    }
}
