import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

@Suite("What the types of operations are called")
struct OperationTypeNameTests {
    @Test(
        "Common types have words in each language, and a backend's own word stays as it is",
        arguments: Language.allCases)
    func names(language: Language) throws {
        let known = [
            "TRANSFER", "PAYMENT", "TRUST_PAYEE", "DISTRUST_PAYEE", "BEGIN_SERIES", "END_SERIES", "SHOW_BALANCE",
            "SHOW_TRANSACTIONS", "SHOW_CARD", "SHOW_PIN",
        ]
        let names = try known.map { try WalletOperationType($0).name(in: language) }
        #expect(Set(names).count == known.count)
        for (type, name) in zip(known, names) {
            #expect(name != type && !name.contains("_"), "\(name)")
            #expect(try language == .english || name != WalletOperationType(type).name(in: .english), "\(name)")
        }
        #expect(try WalletOperationType("DONATE_POINTS").name(in: language) == "DONATE_POINTS")
        #expect(try WalletOperationType("transfer").name(in: language) == "transfer")
    }

    @Test("A mail about an amount without a payee says the type in words, in the account's language")
    func mail() async throws {
        let setting = try await TestConsentPage.open()
        let server = setting.shop.server
        let id = try #require(UniqueID(bytes: setting.shop.account.bytes))
        let operation = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 9000, currency: .euro))
        for (locale, words) in [
            ("en", "€90.00 (Transfer)"), ("de", "90,00 € (Überweisung)"), ("bg", "90,00 € ("),
        ] {
            // The newest message is the one of this language.
            server.clock.advance(by: .seconds(1))
            let entry = try server.context.auditLog.entry(
                OperationEvent.refused, account: id, now: server.clock.now(),
                message: ConsentMessage.refused(operation),
                email: "ada@example.com")
            try await server.context.database.write { connection in
                try connection.execute("UPDATE accounts SET locale = $2 WHERE id = $1", [.id(id), .text(locale)])
                try entry.write(on: connection)
            }
            let reader = try #require(server.flows.messages)
            let message = try #require(try await reader.recent(limit: 10).first { $0.kind == "payment_refused" })
            #expect(message.text.contains(words), "\(message.text)")
        }
    }
}
