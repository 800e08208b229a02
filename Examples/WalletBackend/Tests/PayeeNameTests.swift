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

    @Test("A payee is paid and removed only if an account that is named with it is its own")
    func namedAccount() async throws {
        try await World.with { world, client in
            let ada = world.ada
            #expect(try await ada.balance(client) == "100000")
            let payee = try Payee(name: "Bäckerei", account: Self.second)
            #expect(try await world.ledger.add(payee, for: ada.account, at: Date()) == .added)
            func pay(_ account: String, key: String) async throws -> Phone.Answer {
                try await ada.call(
                    client, .post, "/transfers",
                    #"{"to":"bäckerei","account":"\#(account)","amount":{"value":"100","currency":"EUR"}}"#, key: key)
            }
            #expect(try await pay(Self.first, key: "an-account-of-nobody").code == "payee_not_found")
            #expect(try await ada.balance(client) == "100000")
            let paid = try await pay("de89 3704 0044 0532 0130 00", key: "the-account-of-the-payee")
            #expect(paid.status == 201, "\(String(decoding: paid.body, as: UTF8.self))")
            #expect(paid.json["to"]?.object?["account"]?.string == Self.second)
            let path = "/payees/B%C3%A4ckerei?account="
            #expect(try await ada.call(client, .delete, path + Self.first).code == "payee_not_found")
            #expect(try await ada.call(client, .delete, path + Self.second).status == 204)
            #expect(try await world.ledger.payees(of: ada.account).isEmpty)
        }
    }
}
