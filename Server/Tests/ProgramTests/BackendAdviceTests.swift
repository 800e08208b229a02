import Foundation
import Testing
import WalletAuth
import WalletAuthWire

@testable import wallet

@Suite(
    "What `wallet` advises about a backend",
    .covers("the terminal wallet pays a transfer twice"))
struct BackendAdviceTests {
    @Test("After a refused DPoP proof, `wallet call` sends no one to sign in again")
    func proof() {
        let refused = Call.advice(401, challenges: #"DPoP algs="ES256", error="invalid_dpop_proof""#)
        #expect(refused.contains("DPoP proof") && !refused.contains("sign in"), "\(refused)")
        #expect(Call.advice(401, challenges: #"DPoP error="invalid_token""#).contains("sign in again"))
    }

    @Test(
        "A transfer whose response may be a gateway's comes with the key for repeating it; a refusal by the backend does not"
    )
    func transfer() throws {
        let backend = try #require(URL(string: "https://wallet.example.com"))
        func line(_ status: Int, _ code: String? = nil, challenges: String = "") -> String {
            let problem = code.map { Problem(JSONObject(strings: ["code": $0, "title": "No."])) }
            return Failure(backend: backend, session: nil, status: status, problem: problem, challenges: challenges)
                .ofTransfer(key: "k-1").line
        }
        let repeated =
            "it is not known whether the transfer was paid; repeat it with --idempotency-key k-1 while you stay signed "
            + "in: you pay only once; or see: wallet balance"
        for status in [302, 404, 408, 429, 500, 502, 503, 504] {
            #expect(line(status).hasSuffix(repeated), "\(line(status))")
        }
        #expect(line(503, "temporarily_unavailable") == "wallet: no; \(repeated)", "what is open was not refused")
        let malformed = Failure(malformed: MalformedValue(field: "transferId", reason: "is missing"), from: backend)
        #expect(malformed.ofTransfer(key: "k-1").line.hasSuffix(repeated))
        let refused = [
            line(409, "operation_changed"), line(422, "insufficient_funds"), line(401),
            line(403, challenges: "DPoP error=\"insufficient_scope\""),
        ]
        let own = Failure(code: "way_not_offered", message: "m", advice: "use one of: email").ofTransfer(key: "k-1")
        #expect(own.line == "wallet: m; use one of: email")
        for said in refused { #expect(!said.contains("not known"), "\(said)") }
    }

    @Test("A paid transfer has the id that `walletauth audit tail --operation` takes, with consent or without")
    func paid() throws {
        for (sca, exemption) in [("VERIFIED", nil), ("EXEMPT", "LOW_VALUE")] as [(String, String?)] {
            var answer = JSONObject(strings: ["transferId": "t-1", "walletOperationId": "op-1", "sca": sca])
            answer["to"] = .object(JSONObject(strings: ["name": "Dune Bakery", "account": "DE02"]))
            answer["amount"] = .object(JSONObject(strings: ["value": "25000", "currency": "EUR"]))
            answer.set("exemption", exemption)
            let lines = try TransferReport(answer).lines
            #expect(lines.contains("  operation  op-1"), "\(lines)")
        }
    }

    @Test("A server that goes down during a transfer: what is known of it, and how to find out the rest")
    func serverDown() throws {
        for outcome in [.offline, .temporarilyUnavailable(retryAfter: nil)] as [WalletError.Outcome] {
            let error = WalletError(.temporarilyUnavailable, outcome, during: .perform, reason: "connection refused")
            for stage in [.sent, .approved] as [TransferProgress.Stage] {
                let open = try #require(Failure(payment: error, key: "k-1", stage))
                #expect(open.message == "it is not known whether the transfer was paid: connection refused")
                #expect(open.advice.contains("--idempotency-key k-1") && open.advice.hasSuffix("see: wallet balance"))
            }
            let unapproved = try #require(Failure(payment: error, key: "k-1", .unapproved))
            #expect(unapproved.message == "the transfer was not approved, so it was not paid: connection refused")
            #expect(unapproved.advice.contains("--idempotency-key k-1"))
        }
    }

    @Test("A payment that the person refused was not paid, and nothing advises to repeat it")
    func refusedPayment() throws {
        let backend = try #require(URL(string: "https://wallet.example.com"))
        let refused = WalletError(
            .cancelledByPerson, .cancelledByPerson, during: .perform, isRefusedByPerson: true, reason: "r")
        let here = try #require(Failure(payment: refused, key: "k-1"))
        #expect(here.line.hasPrefix("wallet: you refused this payment; nothing was paid"), "\(here.line)")
        let problem = Problem(JSONObject(strings: ["code": "operation_cancelled", "title": "No."]))
        let repeated = Failure(backend: backend, session: nil, status: 409, problem: problem, challenges: "")
            .ofTransfer(key: "k-1")
        #expect(repeated.line.contains("you refused this payment, or it was withdrawn; nothing was paid"))
        for failure in [here, repeated] {
            #expect(failure.saysUnpaid)
            #expect(!failure.line.contains("idempotency-key"), "\(failure.line)")
        }
    }

    @Test("A token that a backend refuses is no matter of walletauth's registration where another server issued it")
    func refusedToken() throws {
        let backend = try #require(URL(string: "https://wallet.example.com"))
        let said = Failure(backend: backend, session: nil, status: 401, problem: nil, challenges: "").line
        #expect(said.contains("does not accept your token"), "\(said)")
        #expect(said.contains("check --backend") && !said.contains("--resource"), "\(said)")
    }

    @Test("After a refused bound token a new sign-in comes first, and the client's registration second")
    func refusedBoundToken() throws {
        let backend = try #require(URL(string: "https://wallet.example.com"))
        let said = Failure.adviceOnRefusedToken(isBound: true, by: backend)
        #expect(said.hasPrefix("sign in again with: wallet sign-in --again; if that does not help, "), "\(said)")
        #expect(said.hasSuffix("--resource https://wallet.example.com"), "\(said)")
    }

    @Test("What a backend's place answers with an error has no advice to repeat the command that was just run")
    func foreignErrors() throws {
        let backend = try #require(URL(string: "https://wallet.example.com"))
        for status in [403, 404, 500] {
            let said = Failure(backend: backend, session: nil, status: status, problem: nil, challenges: "").line
            #expect(!said.contains("wallet balance"), "\(said)")
        }
    }

    @Test("The servers that may have a token are remembered for its issuer alone, by scheme, host and port")
    func recipients() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "recipients-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func target(_ text: String) throws -> URL { try #require(URL(string: text)) }
        let own = TokenRecipients(issuer: "https://auth.example.com/tenant", folder: folder)
        #expect(try own.include(target("https://AUTH.example.com:443/me")))
        #expect(try !own.include(target("https://api.example.com/me")))
        try own.add(target("https://api.example.com/me"))
        #expect(try own.include(target("https://api.example.com/other")))
        #expect(try target("http://[::1]:8080/me").origin == "http://[::1]:8080")
        for foreign in [
            "http://api.example.com/me", "https://api.example.com:8443/me", "https://api.example.com.evil.example/",
            "https://auth.example.com@evil.example/",
        ] {
            #expect(try !own.include(target(foreign)), "\(foreign)")
        }
        #expect(
            try !TokenRecipients(issuer: "https://other.example", folder: folder)
                .include(target("https://api.example.com/me")))
    }

    @Test("Exemptions and kinds of operations are shown in words")
    func words() {
        for name in [
            "LOW_VALUE", "TRUSTED_BENEFICIARY", "RECURRING", "OWN_ACCOUNT", "ACCOUNT_INFORMATION", "RISK_ANALYSIS",
        ] {
            let said = OperationDescription.exemption(name)
            #expect(!said.contains("_") && said != said.uppercased(), "\(said)")
        }
        #expect(OperationDescription.exemption("LOW_VALUE") == "a small amount")
        #expect(OperationDescription.kind("TRANSFER") == "Transfer")
        #expect(OperationDescription.kind("TRUST_PAYEE") == "Trust payee")
        #expect(OperationDescription.kind("gift-card.v2") == "gift-card.v2")
    }
}
