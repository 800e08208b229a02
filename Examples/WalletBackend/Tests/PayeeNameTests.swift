import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@testable import WalletBackend

@Suite("Payees whose names look alike")
struct PayeeNameTests {
    private static let first = "DE02120300000000202051"
    private static let second = "DE89370400440532013000"

    /// Two payees that were kept before look-alikes were refused: the second in capitals, which SQLite tells from small letters.
    private func withTwo(
        _ body: @escaping @Sendable (World, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await World.with { world, client in
            _ = try await world.ada.call(client, .get, "/balance")
            try await world.ledger.pool.write { database in
                for (name, account) in [("Bäckerei", Self.first), ("BÄCKEREI", Self.second)] {
                    try database.execute(
                        sql: "INSERT INTO payee (owner, name, account, addedAt) VALUES (?, ?, ?, 0)",
                        arguments: [world.ada.account.rawValue, name, account])
                }
            }
            try await body(world, client)
        }
    }

    @Test(
        "attack: a name that looks like a payee's is not added with another account", .threat("Text that deceives"),
        arguments: ["bäckerei huber", "Ba\u{308}ckerei Huber", "Bäckerei\u{A0}Huber", "Bäckerei Hu\u{200D}ber"])
    func lookalike(name: String) async throws {
        try await World.with { world, client in
            let ada = world.ada
            _ = try await ada.call(client, .get, "/balance")
            let payee = try Payee(name: "Bäckerei Huber", account: Self.first)
            #expect(try await world.ledger.add(payee, for: ada.account, at: Date()) == .added)
            let other = try Payee(name: name, account: Self.second)
            let refused = try await world.ledger.add(other, for: ada.account, at: Date())
            #expect(refused == .nameTaken(account: Self.first))
            let same = try Payee(name: name, account: Self.first)
            #expect(try await world.ledger.add(same, for: ada.account, at: Date()) == .known)
        }
    }

    @Test(
        "Two payees that look alike are paid by their account; by name alone nothing is paid, and the accounts are listed"
    )
    func paid() async throws {
        try await withTwo { world, client in
            let ada = world.ada
            let refused = try await ada.transfer(client, 1_00, to: "Bäckerei", key: "an-ambiguous-payee")
            #expect(refused.status == 409)
            #expect(refused.code == "payee_ambiguous")
            for account in [Self.first, Self.second] {
                #expect(refused.json["detail"]?.string?.contains(account) == true)
            }
            #expect(try await ada.balance(client) == "100000")
            let paid = try await ada.call(
                client, .post, "/transfers",
                #"{"to":"bäckerei","account":"de89 3704 0044 0532 0130 00","amount":{"value":"100","currency":"EUR"}}"#,
                key: "the-second-of-two-payees")
            #expect(paid.status == 201, "\(String(decoding: paid.body, as: UTF8.self))")
            #expect(paid.json["to"]?.object?["account"]?.string == Self.second)
            let unknown = try await ada.call(
                client, .post, "/transfers",
                #"{"to":"Bäckerei","account":"GB29NWBK60161331926819","amount":{"value":"100","currency":"EUR"}}"#,
                key: "an-account-of-nobody")
            #expect(unknown.code == "payee_not_found")
        }
    }

    @Test(
        "Two payees that look alike are removed by their account; by name alone none is, and the accounts are listed")
    func removed() async throws {
        try await withTwo { world, client in
            let ada = world.ada
            let path = "/payees/B%C3%A4ckerei"
            let refused = try await ada.call(client, .delete, path)
            #expect(refused.code == "payee_ambiguous")
            #expect(refused.json["detail"]?.string?.contains(Self.second) == true)
            let removed = try await ada.call(client, .delete, path + "?account=\(Self.first)")
            #expect(removed.status == 204)
            let left = try await world.ledger.payees(of: ada.account)
            #expect(left.map(\.account) == [Self.second])
            let last = try await ada.call(client, .delete, path)
            #expect(last.status == 204)
        }
    }
}
