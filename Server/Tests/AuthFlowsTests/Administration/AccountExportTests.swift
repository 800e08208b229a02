import AuthAdministration
import AuthCore
import AuthFlows
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthFoundation

@Suite("What an account's export covers")
struct AccountExportTests {
    /// The members of the export that contain the rows of each table.
    private static let members = [
        "account_names": "usernames", "account_pins": "pin", "client_consents": "clientConsents", "devices": "devices",
        "federated_identities": "identities", "merchant_employees": "merchants", "passkeys": "passkeys",
        "security_events": "events", "sessions": "sessions", "trusted_payees": "trustedPayees",
        "wallet_operations": "walletOperations",
    ]

    /// The tables that the export leaves out, and why.
    private static let omitted = [
        "account_information_consents": "the consents are among the operations",
        "browser_sessions": "they end within hours; the sign-ins are among the events",
        "device_tokens": "digests of secrets; what the person decided is among the events",
        "login_nonces": "digests that are good for a minute",
        "loyalty_accounts": "`LoyaltyFlows` exports them",
        "loyalty_enrollments": "they end within a day; the result is the loyalty account",
        "open_factors": "a sign-in that is under way",
        "outbox": "messages that the person gets anyway",
        "recoveries": "a recovery that is under way",
        "recovery_codes": "digests of secrets",
        "sca_history": "sums of the operations",
        "secret_questions": "questions and answers are one secret",
        "totp_cooling_periods": "they end within a day",
        "totp_secrets": "secrets",
        "transactions": "`TransactionFlows` exports them",
        "unreachable_accounts": "only that the account has no sign-in method left",
    ]

    @Test("An export has all of a person's entries, however many there are")
    func everyEntry() async throws {
        let server = try await TestServer.start()
        let person = try await server.account()
        let account = try #require(UniqueID(bytes: person.bytes))
        try await server.context.database.write { connection in
            _ = try connection.execute(
                """
                INSERT INTO security_events (id, account_id, kind, occurred_at, details)
                WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 11000)
                SELECT CAST(printf('%016d', n) AS BLOB), $1, 'sample', 0, '{}' FROM numbers
                """, [.id(account)])
        }
        let answer = await server.flows.administration.execute(.account(.export(.id(person.rawValue))))
        let events = try answer.document()["events"]?.array ?? []
        #expect(events.count { $0.object?["event"]?.string == "sample" } == 11_000)
    }

    @Test("Each table with rows of an account is in its export, or in the list of those that are left out")
    func tables() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        let person = try await server.account()
        let account = try #require(UniqueID(bytes: person.bytes))
        let tables = try await server.context.database.write { connection -> Set<String> in
            try RestoreEffectTests.insertSamples(of: account, on: connection)
            return try ErasureTests.tables(with: account, on: connection)
        }
        #expect(tables == Set(Self.members.keys).union(Self.omitted.keys))
        let document = try await server.administer(.account(.export(.id(person.rawValue))))
        for (table, member) in Self.members {
            #expect(
                document[member]?.array?.isEmpty == false || document[member]?.object != nil, "\(table): \(member)")
        }
    }
}
