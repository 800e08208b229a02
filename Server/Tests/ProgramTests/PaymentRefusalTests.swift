import Foundation
import Testing
import WalletAuthWire

@testable import wallet

@Suite("What the terminal wallet says of a refused payment")
struct PaymentRefusalTests {
    @Test(
        "What repeating cannot fix says what happened, and to start over",
        arguments: [
            ("exemption_over", "approval", "start a new transfer"),
            ("series_ended", "series", "start a new transfer"),
            ("trusted_payees_full", "trust", "start again"),
            ("trusted_payee_not_found", "not on your list", "account"),
        ])
    func beginAnew(code: String, what: String, advice: String) throws {
        let backend = try #require(URL(string: "https://wallet.example"))
        let failure = Failure(
            backend: backend, session: nil, status: 409,
            problem: Problem(status: 409, code: code, title: "A title of the backend's"),
            challenges: "")
        #expect(failure.code == code)
        #expect(failure.message.contains(what), "\(failure.message)")
        #expect(failure.advice.contains(advice), "\(failure.advice)")
    }

    @Test(
        "Too many unapproved transfers: nothing was paid, and when to try again",
        arguments: [(600, "in 10 minutes"), (45, "in 45 seconds"), (nil, "later")] as [(Int?, String)])
    func tooMany(retryAfter: Int?, time: String) throws {
        let backend = try #require(URL(string: "https://wallet.example"))
        let failure = Failure(
            backend: backend, session: nil, status: 429,
            problem: Problem(status: 429, code: "too_many_open_transfers", title: "A title of the backend's"),
            challenges: "", retryAfter: retryAfter
        ).ofTransfer(key: "k-1")
        #expect(failure.saysUnpaid)
        #expect(failure.advice.hasSuffix("try again \(time)"), "\(failure.advice)")
        #expect(!failure.line.contains("may have been paid"))
    }
}
