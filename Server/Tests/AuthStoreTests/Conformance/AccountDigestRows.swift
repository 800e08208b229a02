import Operations
import Store
import Testing

@testable import Kernel

@Suite struct AccountDigestRows {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(
        "Every write of an address or a name records what the account is found by, and one that is refused changes nothing of it",
        arguments: EngineUnderTest.all)
    func digests(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let id = Sample.id(7)
        @Sendable func made(_ numbers: Int...) -> AccountDigests {
            let kinds: [AccountDigests.Kind] = [.email, .phone, .name]
            return Sample.digests(of: id, zip(kinds, numbers).map { (kind: $0, digest: Sample.digest($1)) })
        }
        /// The digests that find the account.
        func found() async throws -> Set<String> {
            try await database.read { connection in
                var found: Set<String> = []
                for kind in [AccountDigests.Kind.email, .phone, .name] {
                    for number in 1...5 {
                        let accounts = try Accounts.find(having: kind, Sample.digest(number), on: connection)
                        if accounts.map(\.id) == [id] { found.insert("\(kind.rawValue) \(number)") }
                    }
                }
                return found
            }
        }
        _ = try await database.write {
            var account = Sample.newAccount(id)
            account.emailState = .verified
            return try Accounts.create(account, named: "grace", digests: made(1, 2, 3), on: $0)
        }
        #expect(try await found() == ["email 1", "phone 2", "name 3"])
        let refused = try await database.write {
            try Accounts.setEmail(of: id, from: [9], to: [7], state: .verified, digests: made(4, 2, 3), on: $0)
        }
        #expect(!refused)
        #expect(try await found() == ["email 1", "phone 2", "name 3"])
        let seen = try await database.write { connection in
            _ = try Accounts.setEmail(
                of: id, from: [4, 5, 6], to: [7], state: .verified, digests: made(4, 2, 3), on: connection)
            return try Accounts.find(id, on: connection)
        }
        #expect(try await found() == ["email 4", "phone 2", "name 3"])
        let account = try #require(seen)
        _ = try await database.write {
            try Accounts.setPhone(from: account, to: [1], profile: nil, digests: made(4, 5, 3), on: $0)
        }
        #expect(try await found() == ["email 4", "phone 5", "name 3"])
        try await database.write { try Accounts.removeEmail(of: id, sealed: [8], on: $0) }
        #expect(try await found() == ["email 4", "phone 5", "name 3"])
        try await database.write { try Accounts.removeEmail(of: id, sealed: [7], on: $0) }
        #expect(try await found() == ["phone 5", "name 3"])
        _ = try await database.write { try Accounts.erase(id, with: Sample.dependents, on: $0) }
        #expect(try await found() == [])
    }

    @Test(
        "Accounts that have not confirmed an address do not use up the limit of those found by it",
        arguments: EngineUnderTest.all)
    func unconfirmed(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let holder = Sample.id(200)
        let found = try await database.write { connection in
            for number in 100...159 {
                let id = Sample.id(number)
                let digests = Sample.digests(of: id, [(kind: .email, digest: Sample.digest(1))])
                _ = try Accounts.create(
                    Sample.newAccount(id), named: "guest\(number)", digests: digests, on: connection)
            }
            var account = Sample.newAccount(holder)
            account.emailState = .verified
            let digests = Sample.digests(of: holder, [(kind: .email, digest: Sample.digest(1))])
            _ = try Accounts.create(account, named: "grace", digests: digests, on: connection)
            return try Accounts.find(having: .email, Sample.digest(1), on: connection).map(\.id)
        }
        #expect(found == [holder])
    }
}
