import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite("A server's names enter errors only as names")
struct ServerWordsTests {
    private func refusal(by body: JSONObject, _ type: String = "application/json") async throws -> WalletError {
        let standard = StandardWorld()
        standard.answer(400, String(decoding: body.bytes, as: UTF8.self), headers: ["Content-Type": type])
        let wallet = try standard.wallet()
        return try #require(await failure { try await wallet.setUp() })
    }

    private static let hostile = [
        "\u{1B}]0;x\u{07}\nfake log line", "a\u{202E}b", String(repeating: "x", count: 129), "",
    ]

    @Test("attack: an error_code that is no name is not taken: the OAuth error stays", arguments: hostile)
    func errorCode(text: String) async throws {
        var body = JSONObject()
        body.set("error", "invalid_grant")
        body.set("error_code", text)
        let error = try await refusal(by: body)
        #expect(error.code == "invalid_grant")
        #expect(error.description.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 }, "\(error)")
    }

    @Test("attack: a problem whose code is no name explains nothing", arguments: hostile)
    func problemCode(text: String) async throws {
        var body = JSONObject()
        body.set("code", text)
        let error = try await refusal(by: body, Problem.contentType)
        #expect(error.code == .signInInterrupted)
        #expect(error.description.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 }, "\(error)")
    }

    @Test(
        "attack: a trace id that is more than letters, digits and hyphens is left out",
        arguments: ["a\nb", "a b", String(repeating: "a", count: 65), "ａ", ""])
    func traceID(text: String) async throws {
        var body = JSONObject()
        body.set("code", "wallet_deactivated")
        body.set("traceId", text)
        let error = try await refusal(by: body, Problem.contentType)
        #expect(error.code == .walletDeactivated)
        #expect(error.traceID == nil)
    }

    @Test("attack: a traceparent with digits of another script has no trace id")
    func traceparent() {
        let wide = String(repeating: "１", count: 10) + "ab"
        #expect(wide.utf8.count == 32)
        #expect(AnswerHeaders.traceID(in: "00-\(wide)-00f067aa0ba902b7-01") == nil)
    }

    @Test("Names that are names are taken, also those that this version does not know")
    func names() async throws {
        var body = JSONObject()
        body.set("error", "access_denied")
        body.set("error_code", "another_code")
        #expect(try await refusal(by: body).code == "another_code")
        body = JSONObject()
        body.set("code", "another_problem")
        body.set("traceId", "4bf92f3577b34da6a3ce929d0e0e4736")
        let problem = try await refusal(by: body, Problem.contentType)
        #expect(problem.code == "another_problem")
        #expect(problem.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
    }
}
