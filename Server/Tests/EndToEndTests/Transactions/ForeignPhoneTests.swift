import Foundation
import Testing
import WalletAuthVerifier
import WalletAuthWire

/// A phone and a reader of proofs that share no code with the SDK, the server or each other.
@Suite(
    "A phone written from the pages alone", .onceForAllEngines,
    .covers("GET /v1/transactions/{id}/evidence", "a phone written from the pages alone"))
struct ForeignPhoneTests {
    @Test("It enrolls, sets a PIN, reads the code off the server's picture and signs: the shop sees SIGNED")
    func signs() async throws {
        try await ForeignPhone.use { phone in
            let created = try await phone.create(.pin)
            let picture = phone.folder.appending(path: "code.png")
            try Data(try await phone.shop.qrCode(of: created.transactionID, format: .png)).write(to: picture)

            let claimed = try await phone.run("claim", picture.path)
            #expect(claimed.status == "CLAIMED", "\(claimed)")
            #expect(claimed.transactionId == created.transactionID.rawValue)
            #expect(claimed.allowedSecondFactors == ["PIN"])
            #expect(claimed.shown == ForeignPhone.Shown.coffee)
            let confirmed = try await phone.run("confirm")
            #expect(confirmed.status == "CONFIRMED", "\(confirmed)")
            for way in [["--pin", TillWorld.pin], ["--again"]] {
                let signed = try await phone.run(["sign"] + way)
                #expect(signed.status == "SIGNED", "\(signed)")
            }

            let report = try await phone.shop.outcome(of: created.transactionID)
            #expect(report.status == .signed)
            #expect(report.secondFactor == .pin)
            #expect(report.account?.rawValue == phone.account)
        }
    }

    @Test("An independent script accepts the proof of what it signed, and refuses it with any character changed")
    func proves() async throws {
        try await ForeignPhone.use { phone in
            let request = try TillWorld.coffee(.pin)
            let created = try await phone.create(.pin)
            for command in [["claim", created.link.reveal()], ["confirm"], ["sign", "--pin", TillWorld.pin]] {
                let answer = try await phone.run(command)
                try #require(answer.refusal == nil, "\(answer)")
            }
            let printed = try await phone.server.require(["audit", "key"])
            let keys = try JWKSet(JSONValue.object(parsing: Array(printed.utf8)))
            let proof = try await phone.shop.signedEvidence(
                of: created.transactionID, for: request, verifiedBy: keys)
            let document = Array(proof.document.rawValue.utf8)
            var changed = document
            changed[changed.count / 2] = changed[changed.count / 2] == 0x41 ? 0x42 : 0x41
            try Data(printed.utf8).write(to: phone.folder.appending(path: "keys.json"))
            try Data(document).write(to: phone.folder.appending(path: "proof.jws"))
            try Data(changed).write(to: phone.folder.appending(path: "changed.jws"))

            let held = try await phone.verdict(on: "proof.jws")
            #expect(held.holds, "\(held)")
            #expect(held.status == "SIGNED")
            #expect(held.secondFactor == "PIN")
            #expect(held.transactionId == created.transactionID.rawValue)
            #expect(held.accountId == phone.account)
            let refused = try await phone.verdict(on: "changed.jws")
            #expect(!refused.holds)
            #expect(refused.reason != nil)

            // Each character of this proof changed, and proofs by a server that contradicts itself.
            let tried = try await phone.script(
                "transaction_proof_test.py", ["proof.jws", "--keys", "keys.json"], limit: Duration.patience * 8)
            #expect(tried.succeeded, "\(tried.output.suffix(3_000)) \(tried.errors.suffix(3_000))")
        }
    }

    @Test("A payload that was changed on the way is refused, and a wrong PIN tells the tries that are left")
    func refused() async throws {
        try await ForeignPhone.use { phone in
            let created = try await phone.create(.pin)
            _ = try await phone.run("claim", created.link.reveal())
            let changed = try #require(try await phone.run("confirm", "--changed").refusal)
            #expect(changed == ForeignPhone.Refusal(code: "payload_mismatch", by: "server", http: 409))
            let open = try await phone.shop.find(created.transactionID)
            #expect(open.status == .claimed)

            _ = try await phone.run("confirm")
            let wrong = try #require(try await phone.run("sign", "--pin", TillWorld.wrong).refusal)
            #expect(wrong.code == "invalid_credentials")
            #expect(wrong.http == 401)
            #expect(wrong.remainingAttempts == 4)
            // The right PIN over another hash proves nothing, and says nothing of the PIN.
            let other = try #require(try await phone.run("sign", "--pin", TillWorld.pin, "--changed").refusal)
            #expect(other == ForeignPhone.Refusal(code: "invalid_credentials", by: "server", http: 401))
            let confirmed = try await phone.shop.find(created.transactionID)
            #expect(confirmed.status == .confirmed)
            let signed = try await phone.run("sign", "--pin", TillWorld.pin)
            #expect(signed.status == "SIGNED", "\(signed)")
        }
    }

    @Test("It signs behind its look at the holder, rejects with a reason, and stores a draft of its own once")
    func otherWays() async throws {
        try await ForeignPhone.use { phone in
            let first = try await phone.create(.biometric)
            for command in [["claim", first.link.reveal()], ["confirm"], ["sign", "--biometric"]] {
                let answer = try await phone.run(command)
                try #require(answer.refusal == nil, "\(answer)")
            }
            let signed = try await phone.shop.outcome(of: first.transactionID)
            #expect(signed.secondFactor == .biometric)

            let second = try await phone.create(.any)
            _ = try await phone.run("claim", second.link.reveal())
            let rejected = try await phone.run("reject", "--reason", "UNEXPECTED")
            #expect(rejected.status == "REJECTED", "\(rejected)")
            let report = try await phone.shop.outcome(of: second.transactionID)
            #expect(report.reason == .unexpected)

            let draft = try await phone.run("draft", "--state", "checkout", "--data", "terms, version 7")
            #expect(draft.status == "CONFIRMED", "\(draft)")
            let before = try await phone.shop.list()
            #expect(before.transactions.allSatisfy { $0.origin == .server })
            for way in [["--pin", TillWorld.pin], ["--again"]] {
                let stored = try await phone.run(["store"] + way)
                #expect(stored.status == "SIGNED", "\(stored)")
                #expect(stored.transactionId == draft.transactionId)
            }
            let own = try await phone.shop.list().transactions.filter { $0.origin == .client }
            #expect(own.count == 1)
            #expect(own.first?.transactionID.rawValue == draft.transactionId)
            #expect(own.first?.clientState == Array("checkout".utf8))
            #expect(own.first?.clientAdditionalData == Array("terms, version 7".utf8))
        }
    }
}

/// `transaction_phone.py` at a server of its own, past its cooling period, and a shop whose codes it scans.
private struct ForeignPhone: Sendable {
    let server: RunningServer
    let shop: WalletTransactions
    /// Whose phone it is, once it is enrolled.
    var account: String?

    var folder: URL { server.folder }

    /// Runs a test's body with a phone that has a PIN and a key behind the look at its holder.
    static func use(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (ForeignPhone) async throws -> Void
    ) async throws {
        try await withServer(sourceLocation: sourceLocation) { server in
            for pin in [TillWorld.pin, TillWorld.wrong] { server.ledger.enter(pin) }
            let client = try await server.makePublicClient()
            let person = try await server.makeReachableAccount("grace")
            var phone = ForeignPhone(server: server, shop: try await server.openTill())
            let issuer = await server.issuer.absoluteString
            let enrolled = try await phone.run(
                [
                    "enroll", "--issuer", issuer, "--client", client.id, "--username", person.username,
                    "--pin", TillWorld.pin, "--biometric",
                ], input: person.password + "\n")
            try #require(enrolled.refusal == nil, "\(enrolled)")
            phone.account = enrolled.accountId
            // A day passes.
            try await server.write("UPDATE devices SET cooling_until = 0")
            try await body(phone)
        }
    }

    /// Creates a transaction without an account: any device of the brand may scan the code.
    func create(_ factor: RequiredSecondFactor) async throws -> TransactionCreated {
        let created = try await shop.create(
            TillWorld.coffee(factor), idempotencyKey: IdempotencyKey(UUID().uuidString.lowercased()))
        server.ledger.enter(created.link.secret.reveal())
        return created
    }

    func run(_ arguments: String...) async throws -> Answer { try await run(arguments) }

    /// Runs a command of the phone. One that is refused is an answer; one that stopped without any fails.
    func run(_ arguments: [String], input: String = "") async throws -> Answer {
        let state = folder.appending(path: "phone.json").path
        let result = try await script("transaction_phone.py", [state] + arguments, input: input)
        return try #require(
            try? JSONDecoder().decode(Answer.self, from: Data(result.output.utf8)),
            "\(arguments.prefix(1)) stopped: \(result.errors.suffix(3_000))")
    }

    /// What `transaction_proof.py` says of a proof in the server's folder.
    func verdict(on file: String) async throws -> Verdict {
        let result = try await script("transaction_proof.py", [file, "--keys", "keys.json"])
        let verdict = try JSONDecoder().decode(Verdict.self, from: Data(result.output.utf8))
        let expected: Int32 = verdict.holds ? (verdict.status == "SIGNED" ? 0 : 3) : 1
        #expect(result.ending == .exited(expected), "\(verdict)")
        return verdict
    }

    func script(
        _ name: String, _ arguments: [String], input: String = "", limit: Duration = .patience
    ) async throws -> CommandResult {
        try await ChildProcess.run(
            Programs.python, [Programs.peers.appending(path: name).path] + arguments, folder: folder, input: input,
            limit: limit)
    }

    /// What the phone prints.
    struct Answer: Decodable, Sendable {
        var accountId: String?
        var transactionId: String?
        var status: String?
        var allowedSecondFactors: [String]?
        var shown: Shown?
        var refusal: Refusal?
    }

    /// What the person reads on its screen.
    struct Shown: Decodable, Equatable, Sendable {
        struct Payee: Decodable, Equatable, Sendable {
            let name: String
            let account: String
        }
        var type: String?
        var amount: String?
        var payee: Payee?
        var lines: [[String]]?

        static let coffee = Shown(
            type: "PURCHASE", amount: "12.50 EUR",
            payee: Payee(name: "Café Zürich", account: "DE02120300000000202051"), lines: [["Order", "No. 42"]])
    }

    struct Refusal: Decodable, Equatable, Sendable {
        let code: String
        let by: String
        var http: Int?
        var remainingAttempts: Int?
    }

    struct Verdict: Decodable, Sendable {
        let holds: Bool
        var reason: String?
        var status: String?
        var transactionId: String?
        var accountId: String?
        var secondFactor: String?
    }
}
