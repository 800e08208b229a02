import Foundation
import Testing
import WalletAuth

/// A backend that vouches for its person, the SDK and the terminal wallet, over real HTTP.
@Suite("Login nonces")
struct LoginNonceTests {
    /// Has a nonce issued, as a backend would.
    private func nonce(
        _ server: RunningServer, _ backend: RegisteredClient, for person: Person, app: String, key: String? = nil
    ) async throws -> String {
        let web = WebClient(ledger: server.ledger)
        let basic = "Basic " + Data("\(backend.id):\(backend.secret ?? "")".utf8).base64EncodedString()
        let token = try await web.post(
            await server.url("/oauth2/token"), form: ["grant_type": "client_credentials"],
            headers: ["Authorization": basic])
        let access = try #require(token.members["access_token"], "\(token.text)")
        let binding = key.map { #","keyThumbprint":"\#($0)""# } ?? ""
        let answer = try await web.post(
            await server.url("/v1/login-nonces"),
            json: #"{"username":"\#(person.username)","clientId":"\#(app)"\#(binding)}"#,
            headers: ["Authorization": "Bearer \(access)"])
        let nonce = try #require(answer.members["nonce"], "\(answer.status) \(answer.text)")
        server.ledger.enter(nonce)
        return nonce
    }

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
            let nonce = try await nonce(server, backend, for: person, app: app.id, key: key)
            let stolen = await #expect(throws: WalletError.self) { try await thief.login(nonce: nonce) }
            #expect(stolen?.code == .invalidCredentials)
            guard case .authenticated = try await wallet.login(nonce: nonce) else {
                Issue.record("not signed in")
                return
            }
            #expect(wallet.isLoggedIn)
        }
    }

    @Test("The terminal wallet reads a nonce from standard input, and says what is wrong with a spent one")
    func terminal() async throws {
        try await withTerminalWallet { server, wallet, person in
            let backend = try await server.makeConfidentialClient(scope: "login_nonces")
            let nonce = try await nonce(server, backend, for: person, app: "com.example.wallet")
            let signIn = try await wallet.run(["sign-in", "--nonce-stdin"], input: nonce + "\n")
            #expect(signIn.succeeded, "\(signIn.errors)")
            let again = try await wallet.run(["sign-in", "--nonce-stdin"], input: nonce + "\n")
            #expect(again.ending == .exited(1))
            #expect(again.errors.contains("the nonce is wrong, spent, too old"), "\(again.errors)")
            #expect(again.errorLines.count == 1)
        }
    }
}
