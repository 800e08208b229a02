import Foundation
import Testing
import WalletAuth
import WalletAuthWire

/// The SDK against a server that is not ours and offers neither DPoP nor anything of this project.
@Suite("The SDK against an Authlib server", .covers("it works only with one vendor's server"), .onceForAllEngines)
struct WalletAgainstAuthlibTests {
    private struct Counts: Decodable {
        let alive: Int
    }

    @Test("By discovery alone: code and PKCE, a call, a refresh once the token has expired, and revocation at sign-out")
    func wholeJourney() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let person = Person(username: "ada", password: "Pw-\(UUID().uuidString)")
        let client = RegisteredClient(id: "wallet", secret: nil, redirectURI: "com.example.wallet:/callback")
        let peer = try await PeerProcess.start(
            "authlib_server.py",
            ["PEER_PASSWORD": person.password, "PEER_REDIRECT_URI": client.redirectURI, "PEER_LIFETIME": "5"],
            in: folder.url)
        defer { peer.stop() }
        let base = try #require(URL(string: peer.address))

        let device = Device(ledger: SecretLedger(), person: person, redirectURI: client.redirectURI)
        let wallet = try device.wallet(issuer: base, client: client, scopes: ["profile"])
        #expect(try await wallet.setUp() == .signedIn)
        #expect(wallet.identity?.tokenType == .bearer)
        let call = URLRequest(url: base.appending(path: "me"))
        let (name, first) = try await wallet.perform(call)
        #expect(first.statusCode == 200)
        #expect(String(decoding: name, as: UTF8.self).contains("ada"))

        // A token lives for five seconds there.
        let refreshes = device.network.grants("refresh_token")
        try await eventually("the wallet to refresh its token") {
            let (_, next) = try await wallet.perform(call)
            #expect(next.statusCode == 200)
            return device.network.grants("refresh_token") > refreshes
        }
        #expect(Set(device.network.refreshTokens).count == device.network.refreshTokens.count, "it rotates")

        #expect(try await wallet.logout() == .revoked)
        // A renewal may have been under way in the background. Its tokens are revoked when they arrive.
        try await eventually("every token to be revoked") {
            let counts = try await WebClient(ledger: SecretLedger()).get(base.appending(path: "counts"))
            return try JSONDecoder().decode(Counts.self, from: counts.body).alive == 0
        }
    }
}
