import Foundation
import GRDB
import HTTPTypes
import Testing
import WalletAuthVerifier
import WalletAuthWire

@testable import WalletBackend

@Suite("Transfers", .threat("a consent of another person", "the amount changed after the consent"))
struct TransferTests {
    @Test("A small one is paid at once, and the proof that it was exempt is kept with it")
    func exempt() async throws {
        try await World.with { world, client in
            try await world.ada.addBakery(client)
            let paid = try await world.ada.transfer(client, 12_50, key: "breakfast-2026-11-22")
            #expect(paid.status == 201)
            #expect(paid.json["sca"]?.string == "EXEMPT")
            #expect(paid.json["exemption"]?.string == "LOW_VALUE")
            #expect(try await world.ada.balance(client) == "98750")
            let id = try #require(paid.json["transferId"]?.string)
            #expect(try await world.ledger.proof(ofTransfer: id) != nil)
        }
    }

    @Test("A large one is asked about first, paid once agreed to, and paid no second time by whatever is repeated")
    func consented() async throws {
        try await World.with { world, client in
            let ada = world.ada
            try await ada.addBakery(client)
            let asked = try await ada.transfer(client, 250_00, key: "birthday-cake-2026")
            #expect(asked.status == 403)
            #expect(asked.code == "sca_required")
            #expect(try await ada.balance(client) == "100000")
            let details = try asked.details
            let early = try await ada.transfer(client, 250_00, key: "birthday-cake-2026", details)
            #expect(early.code == "sca_not_verified")

            world.server.agree(to: details)
            let paid = try await ada.transfer(client, 250_00, key: "birthday-cake-2026", details)
            #expect(paid.status == 201)
            #expect(paid.json["sca"]?.string == "VERIFIED")
            let repeated = try await ada.transfer(client, 250_00, key: "birthday-cake-2026", details)
            #expect(repeated.status == 201)
            #expect(repeated.body == paid.body)
            let replayed = try await ada.transfer(client, 250_00, key: "another-name-for-it", details)
            #expect(replayed.status == 409)
            #expect(replayed.code == "sca_already_used")
            #expect(try await ada.balance(client) == "75000")
        }
    }

    @Test("Another amount or payee than was agreed to is refused, and nothing is paid", arguments: [true, false])
    func changed(isAmount: Bool) async throws {
        try await World.with { world, client in
            let ada = world.ada
            try await ada.addBakery(client)
            _ = try await ada.call(client, .post, "/payees", #"{"name":"Thief","account":"DE89370400440532013000"}"#)
            let details = try await ada.transfer(client, 250_00, key: "birthday-cake-2026").details
            world.server.agree(to: details)
            let changed = try await ada.transfer(
                client, isAmount ? 950_00 : 250_00, to: isAmount ? "Bakery" : "Thief", key: "what-a-thief-sends",
                details)
            #expect(changed.status == 409)
            #expect(changed.code == "operation_changed")
            let sameKey = try await ada.transfer(
                client, isAmount ? 950_00 : 250_00, to: isAmount ? "Bakery" : "Thief", key: "birthday-cake-2026",
                details)
            #expect(sameKey.status == 422)
            #expect(try await ada.balance(client) == "100000")
        }
    }

    @Test("Another person's consent pays nothing")
    func somebodyElses() async throws {
        try await World.with { world, client in
            let eve = try Phone(server: world.server)
            try await world.ada.addBakery(client)
            try await eve.addBakery(client)
            let details = try await world.ada.transfer(client, 250_00, key: "birthday-cake-2026").details
            world.server.agree(to: details)
            let stolen = try await eve.transfer(client, 250_00, key: "birthday-cake-2026", details)
            #expect(stolen.code == "operation_changed")
            #expect(try await eve.balance(client) == "100000")
        }
    }

    @Test("Requests with one consent at the same time, under names of their own: one is paid")
    func parallel() async throws {
        try await World.with { world, client in
            let ada = world.ada
            try await ada.addBakery(client)
            let details = try await ada.transfer(client, 250_00, key: "birthday-cake-2026").details
            world.server.agree(to: details)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try await ada.transfer(client, 250_00, key: "parallel-request-\(number)", details).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201] + Array(repeating: 409, count: 9))
            #expect(try await ada.balance(client) == "75000")
        }
    }

    @Test(
        "The server's response was lost: 503 and nothing paid; the same request again pays once",
        arguments: [12_50, 250_00])
    func lostAnswer(cents: Int) async throws {
        try await World.with { world, client in
            let ada = world.ada
            try await ada.addBakery(client)
            var details: SCADetails?
            if cents > 30_00 {
                let named = try await ada.transfer(client, cents, key: "birthday-cake-2026").details
                world.server.agree(to: named)
                details = named
            }
            world.server.loseAnswers(3)
            let lost = try await ada.transfer(client, cents, key: "birthday-cake-2026", details)
            #expect(lost.status == 503)
            #expect(try await ada.balance(client) == "100000")
            for _ in 0..<3 {
                let paid = try await ada.transfer(client, cents, key: "birthday-cake-2026", details)
                #expect(paid.status == 201, "\(String(decoding: paid.body, as: UTF8.self))")
            }
            #expect(try await ada.balance(client) == String(100_000 - cents))
        }
    }

    @Test("A transfer that was agreed to when the server failed is paid once the app sends its first request again")
    func agreedBefore() async throws {
        try await World.with { world, client in
            let ada = world.ada
            try await ada.addBakery(client)
            let asked = try await ada.transfer(client, 250_00, key: "birthday-cake-2026")
            world.server.agree(to: try asked.details)
            for _ in 0..<2 {
                let paid = try await ada.transfer(client, 250_00, key: "birthday-cake-2026")
                #expect(paid.status == 201)
                #expect(paid.json["sca"]?.string == "VERIFIED")
            }
            #expect(try await ada.balance(client) == "75000")
        }
    }

    @Test("What the wallet cannot pay is refused before anybody is asked to agree")
    func uncovered() async throws {
        try await World.with { world, client in
            try await world.ada.addBakery(client)
            let refused = try await world.ada.transfer(client, 1_000_01, key: "a-whole-bakery-please")
            #expect(refused.status == 409)
            #expect(refused.code == "insufficient_funds")
        }
    }

    @Test("Another currency is not called a lack of money: the refusal names the one that the wallet is kept in")
    func otherCurrency() async throws {
        try await World.with { world, client in
            try await world.ada.addBakery(client)
            for value in ["1", "100000000"] {
                let refused = try await world.ada.call(
                    client, .post, "/transfers",
                    #"{"to":"Bakery","amount":{"value":"\#(value)","currency":"USD"}}"#,
                    key: "dollars-for-the-bakery-\(value)")
                #expect(refused.status == 422)
                #expect(refused.code == "currency_not_held")
                #expect(refused.json["detail"]?.string?.contains("EUR") == true)
            }
            #expect(try await world.ada.balance(client) == "100000")
        }
    }

    @Test("A blank reference, or a payee with nothing to see, is refused with what to change, and leaves no row")
    func nothingToSee() async throws {
        try await World.with { world, client in
            let ada = world.ada
            try await ada.addBakery(client)
            for text in [" ", "\u{2800}", "\u{A0}\u{3000}"] {
                let refused = try await ada.call(
                    client, .post, "/transfers",
                    #"{"to":"Bakery","amount":{"value":"1","currency":"EUR"},"reference":"\#(text)"}"#,
                    key: "a-blank-reference")
                #expect(refused.status == 400)
                #expect(refused.json["detail"]?.string?.hasPrefix("details.reference ") == true)
                for members in [#""name":"\#(text)","account":"1""#, #""name":"Anna","account":"\#(text)""#] {
                    let payee = try await ada.call(client, .post, "/payees", "{\(members)}")
                    #expect(payee.status == 400)
                }
            }
            // From before the rule.
            _ = try await world.ledger.add(
                Payee(name: "\u{2800}", account: "DE89370400440532013000"), for: ada.account, at: Date())
            let old = try await ada.transfer(client, 1, to: "\u{2800}", key: "a-payee-of-before")
            #expect(old.status == 400)
            let rows = try await world.ledger.pool.read { database in
                try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM transfer")
            }
            #expect(rows == 0)
            let paid = try await ada.transfer(client, 12_50, key: "a-blank-reference")
            #expect(paid.status == 201)
        }
    }

    @Test(
        "A malformed request gets what is wrong with it, and changes nothing",
        arguments: [
            (#"{"to":"Bakery","amount":{"value":"12.50","currency":"EUR"}}"#, 400),
            (#"{"to":"Bakery","amount":{"value":"-1","currency":"EUR"}}"#, 400),
            (#"{"to":"Bakery","amount":{"value":"0","currency":"EUR"}}"#, 400),
            (#"{"to":"Bakery","amount":{"value":1250,"currency":"EUR"}}"#, 400),
            (#"{"to":"Bakery","amount":{"value":"1","currency":"EUR"},"amount":{"value":"2","currency":"EUR"}}"#, 400),
            (#"{"to":"Bakery","amount":{"value":"1","currency":"EUR"},"note":"x"}"#, 400),
            (#"{"to":"Bakery","amount":{"value":"1","currency":"USD"}}"#, 422),
            (#"{"to":"Nobody","amount":{"value":"1","currency":"EUR"}}"#, 404),
            ("", 400), ("[]", 400),
        ])
    func malformed(body: String, status: Int) async throws {
        try await World.with { world, client in
            try await world.ada.addBakery(client)
            let refused = try await world.ada.call(client, .post, "/transfers", body, key: "a-malformed-request")
            #expect(refused.status == status)
            #expect(refused.code?.isEmpty == false)
            let unnamed = try await world.ada.call(
                client, .post, "/transfers", #"{"to":"Bakery","amount":{"value":"1","currency":"EUR"}}"#)
            #expect(unnamed.code == "idempotency_key_required")
            #expect(try await world.ada.balance(client) == "100000")
        }
    }
}
