import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

@Suite("A server that never says why")
struct UnexplainedAnswerTests {
    @Test(
        "The third answer in a row that is neither tokens nor a reason says what leads out, and the session is kept",
        arguments: [
            (400, ""), (404, "<html></html>"), (302, ""), (200, "<html>hotel</html>"), (200, #"{"error":"spent"}"#),
            (403, #"{"error":"access_denied"}"#),
        ])
    func third(status: Int, body: String) async throws {
        let standard = StandardWorld()
        _ = try await standard.signedIn()
        standard.answer(status, body, times: 4)
        for number in 1...4 {
            standard.expireToken()
            // Each of them is another process: the count is in the store.
            let next = try standard.wallet()
            let error = await failure { try await next.accessToken() }
            #expect(error?.code == (number < 3 ? .malformedAnswer : .renewalRefused), "\(number)")
            if number < 3 {
                #expect(error?.outcome == .temporarilyUnavailable(retryAfter: nil))
            } else {
                #expect(error?.outcome == .refused)
                #expect(error?.reason.contains("; \(number) unusable responses in a row") == true)
            }
            #expect(error?.reason.contains("https://auth.example.com/oauth2/token returned \(status)") == true)
            #expect(next.isLoggedIn)
        }
        standard.expireToken()
        _ = try await standard.wallet().accessToken()
        standard.answer(status, body)
        standard.expireToken()
        let wallet = try standard.wallet()
        #expect(await failure { try await wallet.accessToken() }?.code == .malformedAnswer)
    }

    @Test("Other trouble in between neither counts nor begins the count again")
    func between() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        var codes: [WalletError.Code?] = []
        for status in [400, 500, 400, 500, 400] {
            standard.answer(status)
            standard.expireToken()
            codes.append(await failure { try await wallet.accessToken() }?.code)
        }
        #expect(codes.last == .renewalRefused)
        #expect(codes.count { $0 == .renewalRefused } == 1)
    }

    @Test("A server that refuses with a reason is asked once, however many callers there are")
    func pause() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        standard.expireToken()
        standard.answer(400, #"{"error":"invalid_client"}"#, times: 1000)
        for _ in 0..<100 {
            #expect(await failure { try await wallet.accessToken() }?.code == "invalid_client")
        }
        #expect(standard.server.requests.count { $0.status == 400 } == 1)
    }

    @Test("Every built-in language says what leads out", arguments: UserErrorMessages.builtInLanguages)
    func messages(language: String) throws {
        let error = WalletError(.renewalRefused, .refused, during: .refresh, reachedServer: true, reason: "not shown")
        let general = WalletError("unknown", .refused, during: .refresh, reachedServer: true, reason: "not shown")
        let text = try #require(UserErrorMessages.builtIn.text(for: error, languages: [language]))
        #expect(text != UserErrorMessages.builtIn.text(for: general, languages: [language]))
    }
}
