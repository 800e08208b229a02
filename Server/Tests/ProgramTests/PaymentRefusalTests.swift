import Foundation
import Testing
import WalletAuth
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

    @Test("A payment with a PIN that is locked or not set says so, and names the other ways")
    func unusablePIN() throws {
        func line(_ code: WalletError.Code?, factor: String) throws -> String {
            let refusal = code.map { Failure(WalletError($0, .refused, during: .perform, reason: "r"), at: .init()) }
            let dialogue = ConsentDialogue(
                answers: .standardInput, terminal: Terminal(format: .text), factor: factor,
                amount: try Money(minorUnits: 500, currency: Currency("EUR")), payee: "Dune Bakery", account: nil,
                refusalOfPIN: refusal)
            return dialogue.notOffered(factor, [.email, .sms]).line
        }
        let locked = try line(.pinLocked, factor: "pin")
        #expect(
            locked.contains(
                "this device's PIN is locked after too many wrong PINs; nothing was paid; use one of: email, sms; or"))
        #expect(locked.contains("then: wallet pin set"), "\(locked)")
        #expect(try line(.pinNotSet, factor: "pin").contains("no PIN is set on this device; nothing was paid"))
        #expect(try line(nil, factor: "pin").contains("you cannot approve with \"pin\" here"))
        #expect(try line(nil, factor: "push").contains("you cannot approve with \"push\" here"))
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

    /// The ways that a server offers, by the names of their methods and channels.
    private func ways(_ names: [(String, String)]) throws -> [SCA.AvailableVerification] {
        try names.map { method, channel in
            try JSONDecoder().decode(
                SCA.AvailableVerification.self,
                from: Data(#"{"verification": {"method": "\#(method)", "channel": "\#(channel)"}}"#.utf8))
        }
    }

    private func scripted(isUnattended: Bool = false) throws -> ConsentDialogue {
        ConsentDialogue(
            answers: .standardInput, terminal: Terminal(format: .text), factor: nil, isUnattended: isUnattended,
            amount: try Money(minorUnits: 9000, currency: Currency("EUR")), payee: "Dune Bakery", account: nil)
    }

    @Test("A script that names no way gets the first that standard input can answer, never a page or another device")
    func scriptedWay() throws {
        let offered = try ways([
            ("PASSKEY", "DEVICE"), ("PASSKEY", "REDIRECT"), ("PUSH_NOTIFICATION", "PUSH_NOTIFICATION"),
            ("OTP", "EMAIL"), ("PASSWORD", "REDIRECT"),
        ])
        #expect(try scripted().choose(offered) == .email)
        #expect(try scripted(isUnattended: true).choose(offered) == .devicePasskey)
    }

    @Test("A script that can answer no way fails at once, and learns that nothing was paid and which ways there are")
    func unanswerable() throws {
        let offered = try ways([("PASSKEY", "REDIRECT"), ("PASSWORD", "REDIRECT")])
        let failure = try #require(throws: Failure.self) { try scripted().choose(offered) }
        #expect(failure.code == "no_answer")
        #expect(failure.saysUnpaid)
        #expect(failure.advice.hasSuffix("passkey, password"), "\(failure.advice)")
    }
}
