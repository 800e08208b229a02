import FlowSupport
import Operations
import Store
import Testing
import WalletAuthWire

@testable import Kernel

@Suite("What an erased account leaves")
struct ErasureTests {
    /// The tables that keep rows of an erased account, and why. The rows of every other table are deleted in `Accounts.erase`.
    private static let kept = [
        "devices": "a key stays used; names and addresses are deleted",
        "login_nonces": "a digest that is good for a minute",
        "security_events": "the audit log stays without its details",
        "sessions": "they end with the security version, without their networks, and are swept",
        "wallet_operations": "the evidence of a consent outlasts the account",
    ]

    /// The tables that have a row with this account in a column `account_id`.
    static func tables(with account: UniqueID, on connection: any SQLConnection) throws -> Set<String> {
        let id = SQLValue.id(account)
        let tables = try Schema.restoreEffects.map(\.table).filter { table in
            try connection.query("SELECT * FROM \(table)", []).contains { row in
                row.columns.firstIndex(of: "account_id").map { row.values[$0] == id } ?? false
            }
        }
        return Set(tables)
    }

    @Test("An erased account leaves a row only in the tables that say why")
    func rows() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        let person = try await server.account()
        let account = try #require(UniqueID(bytes: person.bytes))
        let (isErased, left) = try await server.context.database.write { connection -> (Bool, Set<String>) in
            try RestoreEffectTests.insertSamples(of: account, on: connection)
            let isErased = try Accounts.erase(account, with: server.context.dependents, on: connection)
            return (isErased, try Self.tables(with: account, on: connection))
        }
        #expect(isErased)
        #expect(left.symmetricDifference(Self.kept.keys) == [])
    }

    @Test("The row of an erased account keeps only what says nothing about the person")
    func columns() async throws {
        let server = try await TestServer.start()
        let person = try await server.account()
        let account = try #require(UniqueID(bytes: person.bytes))
        let (empty, left) = try await server.context.database.write { connection -> ([String], [String]) in
            // Each column has a value before.
            try connection.execute(
                """
                UPDATE accounts SET email = zeroblob(1), email_state = 'verified', phone = zeroblob(1),
                    profile = zeroblob(1), locale = 'de', last_login_at = 0, deactivated_by = 'operator',
                    cooling_until = 0, password_checked_at = 0, devices_distrusted_at = 0, closed_over = 'failures'
                WHERE id = $1
                """, [.id(account)])
            func names(areNull: Bool) throws -> [String] {
                let row = try #require(try connection.row("SELECT * FROM accounts WHERE id = $1", [.id(account)]))
                return zip(row.columns, row.values).filter { ($0.1 == .null) == areNull }.map { $0.0 }
            }
            let empty = try names(areNull: true)
            _ = try Accounts.erase(account, with: server.context.dependents, on: connection)
            return (empty, try names(areNull: false))
        }
        // Only a merged account has it, which is erased.
        #expect(empty == ["merged_into"])
        let kept: Set = [
            "id", "brand_id", "state", "security_version", "password_state", "email_state", "created_at",
            "devices_distrusted_at", "attempts_version",
        ]
        #expect(kept.symmetricDifference(left) == [])
    }
}
