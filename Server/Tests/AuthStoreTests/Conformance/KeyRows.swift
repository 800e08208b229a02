import Core
import Store
import Testing

@testable import Kernel

/// The rows of signing keys and data keys, on every engine.
@Suite struct KeyRows {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(
        "A signing key is published, signs, retires and goes; one of an algorithm signs at a time",
        arguments: EngineUnderTest.all)
    func signingKeys(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        @Sendable func key(_ kid: String) -> SigningKeyRecord {
            SigningKeyRecord(
                kid: kid, algorithm: "ES256", state: .next, sealedPrivate: [1], publicJWK: "{}", publishedAt: .start)
        }
        let (added, activated, states) = try await database.write { connection in
            var added = [try SigningKeys.add(key("a"), on: connection), try SigningKeys.add(key("b"), on: connection)]
            var activated = [try SigningKeys.activate("a", now: .start, on: connection)]
            added.append(try SigningKeys.add(key("b"), on: connection))
            activated.append(try SigningKeys.activate("b", now: .start + .hours(1), on: connection))
            activated.append(try SigningKeys.activate("a", now: .start + .hours(1), on: connection))
            return (added, activated, try SigningKeys.published(on: connection).map(\.state))
        }
        #expect(added == [true, false, true])
        #expect(activated == [true, true, false])
        #expect(states == [.retired, .active])
        let left = try await database.write { connection in
            try SigningKeys.remove(retiredBefore: .start + .hours(2), now: .start + .hours(3), on: connection)
            return try SigningKeys.published(on: connection).map(\.kid)
        }
        #expect(left == ["b"])
    }

    @Test(
        "A signing key is revoked in any state, once, and leaves room for another", arguments: EngineUnderTest.all)
    func revokedSigningKeys(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        @Sendable func key(_ kid: String, _ state: SigningKeyState) -> SigningKeyRecord {
            SigningKeyRecord(
                kid: kid, algorithm: "ES256", state: state, sealedPrivate: [1], publicJWK: "{}", publishedAt: .start,
                activatedAt: state == .next ? nil : .start, retiredAt: state == .retired ? .start : nil)
        }
        let states: [SigningKeyState] = [.next, .active, .retired]
        let (added, revoked) = try await database.write { connection in
            let added = try states.map { try SigningKeys.add(key($0.rawValue, $0), on: connection) }
            let revoked = try (states + states).map {
                try SigningKeys.revoke($0.rawValue, now: .start + .hours(1), on: connection)
            }
            return (added, revoked)
        }
        #expect(added == [true, true, true])
        #expect(revoked == [true, true, true, false, false, false])
        let (published, remaining) = try await database.write { connection in
            _ = try SigningKeys.add(key("new", .active), on: connection)
            let rows = try connection.query(
                "SELECT kid FROM signing_keys WHERE sealed_private IS NOT NULL OR removed_at IS NULL", [])
            return (try SigningKeys.published(on: connection).map(\.kid), try rows.map { try $0.text("kid") })
        }
        #expect(published == ["new"])
        #expect(remaining == ["new"])
    }

    @Test(
        "Of two processes that rotate a data key at once one wins, and the old key still opens",
        arguments: EngineUnderTest.all)
    func dataKeys(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let added = try await concurrently(8) { number in
            try await database.write { connection in
                try DataKeys.add(
                    DataKeyRecord(purpose: "refresh", kid: 1, wrapped: [UInt8(number)], createdAt: .start),
                    on: connection)
            }
        }
        #expect(added.filter { $0 == .added }.count == 1)
        let keys = try await database.write { connection in
            _ = try DataKeys.add(
                DataKeyRecord(purpose: "refresh", kid: 2, wrapped: [2], createdAt: .start + .days(1)), on: connection)
            return try DataKeys.all(on: connection)
        }
        #expect(keys.map(\.kid) == [1, 2])
        #expect(keys.map(\.retiredAt) == [.start + .days(1), nil])
    }
}
