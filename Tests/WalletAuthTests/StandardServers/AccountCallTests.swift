import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

@Suite("Account calls at a server of another kind")
struct AccountCallTests {
    /// What such a server answers at a path that it does not know.
    static let answers: [(status: Int, body: String)] = [
        (404, "<html></html>"), (404, #"{"detail":"Not Found"}"#), (404, #"{"error":"not_found"}"#), (405, ""),
        (403, "<html>CSRF</html>"),
        (302, ""), (200, "<html>sign in</html>"), (400, ""),
    ]

    @Test("They say that the server does not support them, and the session goes on", arguments: answers)
    func unsupported(status: Int, body: String) async throws {
        let wallet = try await wallet(at: StandardWorld(), answering: status, body)
        for error in [
            await failure { try await wallet.factors.list() }, await failure { try await wallet.devices.list() },
            await failure { try await wallet.identities.list() },
            await failure { try await wallet.changePassword(current: "a password", new: "another password") },
        ] {
            #expect(error?.code == .unsupportedByServer)
            #expect(error?.outcome == .misconfigured)
            #expect(error?.reason.contains("returned \(status)") == true || !body.isEmpty)
        }
        #expect(wallet.isLoggedIn)
        _ = try await wallet.accessToken()
    }

    @Test("At a walletauth server the same answers are trouble on the way", arguments: answers)
    func ownKind(status: Int, body: String) async throws {
        let wallet = try await wallet(
            at: StandardWorld { $0.keepsRefreshAttempts = true }, answering: status, body)
        let error = await failure { try await wallet.factors.list() }
        #expect(error != nil)
        #expect(error?.code != .unsupportedByServer)
        #expect(wallet.isLoggedIn)
    }

    private func wallet(at standard: StandardWorld, answering status: Int, _ body: String) async throws -> Wallet {
        standard.odd.rewrite { request, response in
            guard request.url.path.hasPrefix("/v1/") else { return response }
            return HTTPResponse(status: status, body: Data(body.utf8))
        }
        return try await standard.signedIn()
    }
}
