import Apple
import Consent
import Core
import Crypto
import Loyalty
import Store
import Testing
import Transactions

@testable import Kernel

extension Timestamp {
    /// The present of every test: 2026-01-01T00:00:00Z.
    static let start = Timestamp(seconds: 1_767_225_600)
}

/// Rows to work with.
enum Sample {
    /// The rows of the features above the floors.
    static let dependents: [any DependentRows] = [ConsentRows(), TransactionRows(), AppleRows(), LoyaltyRows()]

    static func id(_ number: Int) -> UniqueID {
        var bytes = [UInt8](repeating: 0xA0, count: 16)
        for index in 0..<4 { bytes[15 - index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        return UniqueID(bytes: bytes) ?? Sample.account
    }

    static func digest(_ number: Int) -> [UInt8] { id(number).bytes + id(number).bytes }

    static let account = UniqueID(uuid: "018f0000-0000-7000-8000-000000000001") ?? id(1)
    static let client = "wallet-app"
    static let auditKey = DataKey(
        id: KeyID(1), label: "audit", key: SymmetricKey(data: [UInt8](repeating: 5, count: 32)))
    static let session = id(1000)

    static func newSession(_ id: UniqueID = session, securityVersion: Int64 = 1) -> NewSession {
        NewSession(
            id: id, accountID: account, clientID: client, grantedTo: nil, dpopThumbprint: digest(7),
            requiresProof: true, secret: [UInt8](repeating: 9, count: 16), macKeyID: 1,
            scope: "openid profile payments offline_access",
            audience: "https://api.example.com", acr: "urn:wallet:sca", amr: "pwd otp", authTime: .start,
            countsUntil: .start + .minutes(5), securityVersion: securityVersion,
            merchantID: nil, createdAt: .start, expiresAt: .start + .days(30), absoluteExpiresAt: .start + .days(90))
    }

    static func newAccount(_ id: UniqueID, password: [UInt8]? = [1, 2, 3]) -> AccountRecord {
        AccountRecord(
            id: id, brandID: "default", password: password, passwordState: password == nil ? .none : .current,
            passwordChangedAt: password == nil ? nil : .start, email: [4, 5, 6], emailState: .unverified,
            createdAt: .start)
    }

    /// What an account is found by: nothing, unless it is given.
    static func digests(
        of account: UniqueID, _ digests: [(kind: AccountDigests.Kind, digest: [UInt8])] = []
    ) -> AccountDigests {
        AccountDigests(account: account, digests: digests)
    }

    static func newClient(_ id: String) -> ClientRecord {
        ClientRecord(
            id: id, brandID: nil, name: "A wallet", kind: .public, authenticationMethod: .none, secretHash: nil,
            jwks: nil, redirectURIs: "[\"com.example.wallet:/callback\"]", scopes: "openid", settings: "{}",
            createdAt: .start, updatedAt: .start)
    }

    static func furnish(_ connection: any SQLConnection) throws {
        _ = try Brands.create(
            BrandRecord(id: "default", name: "Default", settings: "{}", createdAt: .start), on: connection)
        _ = try Accounts.create(newAccount(account), named: "ada", digests: digests(of: account), on: connection)
        _ = try Clients.create(newClient(client), on: connection)
        _ = try Sessions.open(newSession(), on: connection)
    }
}

/// Runs one thing many times at once, and collects what came of each.
func concurrently<Value: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for index in 0..<count { group.addTask { try await work(index) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
