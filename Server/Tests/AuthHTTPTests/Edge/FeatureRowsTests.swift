import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP

@Suite("Rows of the features that the program lists")
struct FeatureRowsTests {
    /// The tables that keep a row with the account's ID after its erasure. `ErasureTests` says why.
    private static let kept: Set = ["devices", "login_nonces", "security_events", "sessions", "wallet_operations"]

    /// Rows of Sign in with Apple and of the loyalty API.
    private static let samples = [
        """
        INSERT INTO identity_providers (brand_id, id, kind, settings, created_at)
        VALUES ('default', 'p', 'openid', '{}', 0)
        """,
        """
        INSERT INTO federated_identities (brand_id, digest, account_id, provider_id, subject, linked_at)
        VALUES ('default', zeroblob(32), $1, 'p', zeroblob(1), 0)
        """,
        """
        INSERT INTO apple_grants (brand_id, digest, linked_brand, linked_digest, provider_id, sealed, verified_at, check_at,
            revoke_at, attempts, address_reachable, address_changed_at)
        VALUES ('default', zeroblob(32), 'default', zeroblob(32), 'p', zeroblob(1), 0, 9000000000000, 0, 0, 0, 0)
        """,
        """
        INSERT INTO provider_integrations (merchant_id, integration_id, brand_id, provider_id, card_template)
        VALUES (10101010, 'apple', 'default', 'p', 0)
        """,
        """
        INSERT INTO loyalty_accounts (account_id, number, merchant_id, integration_id, enrolled_at)
        VALUES ($1, 123456789, 10101010, 'apple', 0)
        """,
        """
        INSERT INTO loyalty_enrollments (digest, account_id, sealed, expires_at)
        VALUES (zeroblob(32), $1, zeroblob(1), 9000000000000)
        """,
    ]

    /// Runs a test with a till, Maria's account and the samples.
    private func withTill(
        _ body: @escaping @Sendable (TransactionHTTPTests.Till, UniqueID, any Database) async throws -> Void
    ) async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let till = try await TransactionHTTPTests.Till.open(server, client)
                let account = try #require(UniqueID(uuid: till.shop.account))
                let database = server.server.context.database
                try await database.write { connection in
                    for sample in Self.samples {
                        try connection.execute(sample, sample.contains("$1") ? [.id(account)] : [])
                    }
                }
                try await body(till, account, database)
            }
        }
    }

    private static func tables(with account: UniqueID, in database: any Database) async throws -> Set<String> {
        try await database.read { connection in
            let id = SQLValue.id(account)
            let tables = try Schema.restoreEffects.map(\.table).filter { table in
                try connection.query("SELECT * FROM \(table)", []).contains { row in
                    row.columns.firstIndex(of: "account_id").map { row.values[$0] == id } ?? false
                }
            }
            return Set(tables)
        }
    }

    @Test("An erased account leaves no unsigned transaction, enrollment or number, and only the rows that say why")
    func erasure() async throws {
        try await withTill { till, account, database in
            let created = try await till.create()
            try #require(created.status == .created, "\(created.text)")
            let before = try await Self.tables(with: account, in: database)
            #expect(before.isSuperset(of: ["transactions", "loyalty_accounts", "loyalty_enrollments"]))
            try await till.phone.server.execute(AdminRequest(["account", "erase", PhoneOverHTTP.username]))
            let after = try await Self.tables(with: account, in: database)
            #expect(after.subtracting(Self.kept) == [])
        }
    }

    @Test("The removal of a device cancels the transaction that is open on it, with the reason")
    func removedDevice() async throws {
        try await withTill { till, _, _ in
            let created = try await till.create().json
            let id = try #require(created["transactionId"]?.string)
            let claimed = try await till.claim(created)
            try #require(claimed.status == .ok, "\(claimed.text)")
            try await till.phone.server.execute(AdminRequest(["device", "remove", till.phone.id.rawValue]))
            let report = try TransactionReport(try await till.shop.call(.get, "/v1/transactions/\(id)").json)
            #expect(report.status == .cancelled)
            #expect(report.cancellation == .deviceRemoved)
        }
    }

    @Test("Another address forgets what Apple said of the former one, and another number is found by the loyalty API")
    func contact() async throws {
        try await withTill { till, account, database in
            let server = till.phone.server
            try await server.execute(
                AdminRequest(["account", "set-email", PhoneOverHTTP.username, "--email", "maria@example.org"]))
            try await server.execute(
                AdminRequest(["account", "set-phone", PhoneOverHTTP.username, "--phone", "+359888123456"]))
            let (told, numbers) = try await database.read { connection in
                (
                    try connection.query(
                        "SELECT digest FROM apple_grants WHERE address_reachable IS NOT NULL", []
                    ).count,
                    try connection.query(
                        "SELECT number FROM loyalty_accounts WHERE account_id = $1 AND phone_digest IS NOT NULL",
                        [.id(account)]
                    ).count
                )
            }
            #expect(told == 0)
            #expect(numbers == 1)
        }
    }
}
