import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthFoundation

@Suite("What an erased account leaves")
struct ErasureTests {
    /// The tables that keep rows of an erased account, and why. The rows of every other table are deleted in `Accounts.erase`.
    private static let kept = [
        "devices": "a key stays used; names and addresses are deleted",
        "login_nonces": "a digest that is good for a minute",
        "security_events": "the audit log stays without its details",
        "sessions": "they end with the security version, and are swept",
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
            let isErased = try Accounts.erase(account, on: connection)
            return (isErased, try Self.tables(with: account, on: connection))
        }
        #expect(isErased)
        #expect(left.symmetricDifference(Self.kept.keys) == [])
    }
}
