import Core
import Operations
import Store
import Testing

@testable import Apple
@testable import Kernel
@testable import SignIn

@Suite struct Registries {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("One user name is one account of a brand, however many ask at the same time", arguments: EngineUnderTest.all)
    func names(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let outcomes = try await concurrently(32) { number in
            try await database.write {
                try Accounts.create(
                    Sample.newAccount(Sample.id(number)), named: "grace",
                    digests: Sample.digests(of: Sample.id(number)),
                    on: $0)
            }
        }
        #expect(outcomes.filter { $0 == .created }.count == 1)
        #expect(outcomes.filter { $0 == .nameTaken }.count == 31)
        var stranger = Sample.newAccount(Sample.id(99))
        stranger.brandID = "nobody"
        let unknown = try await database.write { [stranger] in
            try Accounts.create(stranger, named: "grace", digests: Sample.digests(of: stranger.id), on: $0)
        }
        #expect(unknown == .unknownBrand)
    }

    @Test(
        "A password is changed only at the version it was judged by, and rehashed only while it is current",
        arguments: EngineUnderTest.all)
    func passwords(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let account = Sample.account
        let (stale, upgraded, changed, late, expired, record) = try await database.write { connection in
            (
                try Accounts.changePassword(of: account, to: [7], expecting: 2, now: .start, on: connection),
                try Accounts.upgradePassword(of: account, from: [1, 2, 3], to: [5], on: connection),
                try Accounts.changePassword(of: account, to: [6], expecting: 1, now: .start, on: connection),
                try Accounts.upgradePassword(of: account, from: [5], to: [1], on: connection),
                try Accounts.expirePassword(of: account, on: connection),
                try Accounts.find(named: "ada", brand: "default", on: connection)
            )
        }
        #expect(stale == nil)
        #expect(upgraded)
        #expect(changed == 2)
        #expect(!late)
        #expect(expired)
        #expect(record?.password == [6])
        #expect(record?.passwordState == .expired)
        #expect(record?.securityVersion == 2)
    }

    @Test(
        "A password that others know expires only at the version it was compared under, and a new one counts as unchecked",
        arguments: EngineUnderTest.all)
    func knownPasswords(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let account = Sample.account
        let (checked, late, changed, stale, expired, again, record) = try await database.write { connection in
            try Accounts.recordPasswordCheck(of: account, expecting: 1, now: .start, on: connection)
            let checked = try Accounts.find(account, on: connection)?.passwordCheckedAt
            try Accounts.recordPasswordCheck(of: account, expecting: 2, now: .start + .days(1), on: connection)
            let late = try Accounts.find(account, on: connection)?.passwordCheckedAt
            _ = try Accounts.changePassword(of: account, to: [6], expecting: 1, now: .start, on: connection)
            return (
                checked, late, try Accounts.find(account, on: connection),
                try Accounts.expirePassword(of: account, expecting: 1, on: connection),
                try Accounts.expirePassword(of: account, expecting: 2, on: connection),
                try Accounts.expirePassword(of: account, expecting: 3, on: connection),
                try Accounts.find(account, on: connection)
            )
        }
        #expect(checked == .start)
        #expect(late == .start)
        #expect(changed?.passwordCheckedAt == nil)
        #expect(changed?.passwordState == .current)
        #expect(!stale)
        #expect(expired)
        #expect(!again)
        #expect(record?.passwordState == .expired)
        #expect(record?.securityVersion == 3)
    }

    @Test("Erasing an account leaves its row and nothing personal", arguments: EngineUnderTest.all)
    func erasure(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let (erased, again, record, byName, names, living) = try await database.write { connection in
            try Outbox.post(
                OutboxRecord(
                    id: Sample.id(1), accountID: Sample.account, kind: "mail", sealed: [1], createdAt: .start,
                    dueAt: .start, expiresAt: .start + .days(1)), on: connection)
            return (
                try Accounts.erase(Sample.account, with: Sample.dependents, on: connection),
                try Accounts.erase(Sample.account, with: Sample.dependents, on: connection),
                try Accounts.find(Sample.account, on: connection),
                try Accounts.find(named: "ada", brand: "default", on: connection),
                try Accounts.names(of: Sample.account, on: connection),
                try Sessions.living(Sample.session, now: .start, on: connection)
            )
        }
        #expect(erased)
        #expect(!again)
        #expect(record?.state == .erased)
        #expect(record?.email == nil)
        #expect(record?.password == nil)
        #expect(byName == nil)
        #expect(names.isEmpty)
        #expect(living == nil)
        let messages = try await database.read { try Outbox.recent(limit: 9, on: $0) }
        #expect(messages.isEmpty)
    }

    @Test("An e-mail address is verified as the very one that was shown", arguments: EngineUnderTest.all)
    func email(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let verified = try await database.write { connection in
            try [[9], [4, 5, 6], [4, 5, 6]].map {
                try Accounts.verifyEmail(of: Sample.account, sealed: $0, on: connection)
            }
        }
        #expect(verified == [false, true, false])
    }

    @Test(
        "An e-mail address and a phone number are replaced only as they were seen, and never after the erasure",
        arguments: EngineUnderTest.all)
    func contacts(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let id = Sample.account
        let none = Sample.digests(of: id)
        let (stale, changed, again, removed) = try await database.write { connection in
            (
                try Accounts.setEmail(of: id, from: [9], to: [7], state: .verified, digests: none, on: connection),
                try Accounts.setEmail(
                    of: id, from: [4, 5, 6], to: [7], state: .verified, digests: none, on: connection),
                try Accounts.setEmail(
                    of: id, from: [4, 5, 6], to: [8], state: .verified, digests: none, on: connection),
                try Accounts.setEmail(of: id, from: [7], to: nil, state: .none, digests: none, on: connection)
            )
        }
        #expect([stale, changed, again, removed] == [false, true, false, true])
        let seen = try #require(try await database.read { try Accounts.find(id, on: $0) })
        #expect(seen.email == nil)
        let (set, late, found) = try await database.write { connection in
            (
                try Accounts.setPhone(from: seen, to: [1], profile: [2], digests: none, on: connection),
                try Accounts.setPhone(from: seen, to: [3], profile: [4], digests: none, on: connection),
                try #require(try Accounts.find(id, on: connection))
            )
        }
        #expect(set && !late)
        #expect(found.phone == [1] && found.profile == [2])
        var former = found
        former.phone = nil
        let (unseen, profile, erased) = try await database.write { [former] connection in
            let unseen = try Accounts.setProfile(from: former, to: [5], locale: nil, on: connection)
            let profile = try Accounts.setProfile(from: found, to: [5], locale: "de", on: connection)
            _ = try Accounts.erase(id, with: Sample.dependents, on: connection)
            return (
                unseen, profile,
                [
                    try Accounts.setEmail(of: id, from: nil, to: [7], state: .verified, digests: none, on: connection),
                    try Accounts.setPhone(
                        from: try #require(try Accounts.find(id, on: connection)), to: [1], profile: nil,
                        digests: none, on: connection),
                ]
            )
        }
        #expect(!unseen)
        #expect(profile)
        #expect(erased == [false, false])
    }

    @Test(
        "A new address counts as one that providers may assert, and ends what Apple said about the old one",
        arguments: EngineUnderTest.all)
    func providersAddress(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let identity = FederatedIdentityRecord(
            brandID: "default", digest: Sample.digest(1), accountID: Sample.account, providerID: "apple", subject: [1],
            linkedAt: .start, assertsAddress: false)
        let signIn = AppleGrants.SignIn(
            brandID: "default", digest: identity.digest, providerID: "apple", sealed: nil, verifiedAt: .start,
            checkAt: .start, revokeAt: nil)
        let (marked, grant, found) = try await database.write { connection in
            _ = try FederatedIdentities.link(identity, on: connection)
            try AppleGrants.record(signIn, on: connection)
            let marked = try AppleGrants.mark(
                addressReachable: false, of: identity.digest, brand: "default", at: .start, on: connection)
            try FederatedIdentities.presumeAddressAsserted(of: Sample.account, on: connection)
            try AppleGrants.forgetReachability(of: Sample.account, on: connection)
            return (
                marked, try AppleGrants.find(identity.digest, brand: "default", on: connection),
                try FederatedIdentities.find(identity.digest, brand: "default", on: connection)
            )
        }
        #expect(marked)
        #expect(grant != nil && grant?.isAddressReachable == nil)
        #expect(found?.assertsAddress == true)
    }

    @Test(
        "A client is changed only as it was seen, and its id never belongs to another after it",
        arguments: EngineUnderTest.all)
    func clients(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        var changed = Sample.newClient(Sample.client)
        changed.name = "Renamed"
        changed.updatedAt = .start + .seconds(1)
        let (first, second, found) = try await database.write { [changed] connection in
            (
                try Clients.update(changed, seen: .start, on: connection),
                try Clients.update(changed, seen: .start, on: connection),
                try Clients.find(Sample.client, on: connection)
            )
        }
        #expect(first)
        #expect(!second)
        #expect(found == changed)
        let (deleted, gone, listed, taken) = try await database.write { connection in
            (
                try Clients.delete(Sample.client, now: .start, on: connection),
                try Clients.find(Sample.client, on: connection),
                try Clients.list(limit: 9, on: connection),
                try Clients.create(Sample.newClient(Sample.client), on: connection)
            )
        }
        #expect(deleted)
        #expect(gone == nil)
        #expect(listed.isEmpty)
        #expect(!taken)
    }

    @Test(
        "A public client with a secret, and a confidential one without, are refused by the schema",
        arguments: EngineUnderTest.all)
    func clientKinds(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        var secretive = Sample.newClient("a")
        secretive.secretHash = Sample.digest(1)
        var careless = Sample.newClient("b")
        careless.kind = .confidential
        careless.authenticationMethod = .clientSecretBasic
        for client in [secretive, careless] {
            await #expect(throws: StoreError.self) {
                try await database.write { _ = try Clients.create(client, on: $0) }
            }
        }
    }

    @Test("A client keeps its former secret with its end, both or neither", arguments: EngineUnderTest.all)
    func formerSecrets(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        var backend = Sample.newClient("backend")
        backend.kind = .confidential
        backend.authenticationMethod = .clientSecretBasic
        backend.secretHash = Sample.digest(1)
        var rotated = backend
        rotated.secretHash = Sample.digest(2)
        rotated.formerSecret = FormerSecret(hash: Sample.digest(1), endsAt: .start + .hours(24))
        let found = try await database.write { [backend, rotated] connection in
            var found: [ClientRecord?] = []
            _ = try Clients.create(backend, on: connection)
            for record in [rotated, backend] {
                _ = try Clients.update(record, seen: .start, on: connection)
                found.append(try Clients.find("backend", on: connection))
            }
            return found
        }
        #expect(found == [rotated, backend])
        var secretless = Sample.newClient(Sample.client)
        secretless.formerSecret = rotated.formerSecret
        await #expect(throws: StoreError.self) {
            try await database.write { [secretless] in _ = try Clients.update(secretless, seen: .start, on: $0) }
        }
        await #expect(throws: StoreError.self) {
            try await database.write {
                _ = try $0.execute("UPDATE clients SET former_secret_ends_at = 1 WHERE id = $1", [.text("backend")])
            }
        }
    }

    @Test(
        "Only an employee signs in for a merchant, and only where the client is installed",
        arguments: EngineUnderTest.all)
    func merchants(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let admissions = try await database.write { connection -> [MerchantAdmission] in
            func admission() throws -> MerchantAdmission {
                try Merchants.admission(
                    of: Sample.account, client: Sample.client, merchant: "bakery", on: connection)
            }
            var found = [try admission()]
            _ = try Merchants.create(
                MerchantRecord(id: "bakery", name: "Bakery", createdAt: .start), on: connection)
            _ = try Merchants.add(employee: Sample.account, to: "bakery", now: .start, on: connection)
            found.append(try admission())
            _ = try Merchants.install(client: Sample.client, on: "bakery", now: .start, on: connection)
            found.append(try admission())
            _ = try Merchants.remove(employee: Sample.account, from: "bakery", on: connection)
            found.append(try admission())
            return found
        }
        #expect(admissions == [.appNotInstalled, .appNotInstalled, .admitted, .notAnEmployee])
    }

    @Test(
        "A person chooses among the merchants that employ them and have the client, by name",
        arguments: EngineUnderTest.all)
    func merchantChoices(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let (before, names, first, employed) = try await database.write { connection in
            let before = try Merchants.isEmployed(Sample.account, on: connection)
            for (id, name) in [("m1", "Zebra"), ("m2", "Bakery"), ("m3", "Not installed"), ("m4", "Not employed")] {
                _ = try Merchants.create(MerchantRecord(id: id, name: name, createdAt: .start), on: connection)
                if id != "m3" { _ = try Merchants.install(client: Sample.client, on: id, now: .start, on: connection) }
                if id != "m4" { _ = try Merchants.add(employee: Sample.account, to: id, now: .start, on: connection) }
            }
            func choices(_ limit: Int) throws -> [String] {
                try Merchants.choices(of: Sample.account, client: Sample.client, limit: limit, on: connection)
                    .map(\.name)
            }
            return (
                before, try choices(10), try choices(1), try Merchants.isEmployed(Sample.account, on: connection)
            )
        }
        #expect(!before)
        #expect(names == ["Bakery", "Zebra"])
        #expect(first == ["Bakery"])
        #expect(employed)
    }

    @Test("Security events of an account come newest first, page by page", arguments: EngineUnderTest.all)
    func securityEvents(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let pages = try await database.write { connection in
            for number in 0..<5 {
                try SecurityEvents.append(
                    SecurityEvent(
                        id: Sample.id(number), accountID: Sample.account, clientID: nil, kind: "login",
                        occurredAt: .start, details: "{}"),
                    salt: Sample.id(number).bytes, key: Sample.auditKey, on: connection)
            }
            let first = try SecurityEvents.list(of: Sample.account, limit: 3, on: connection)
            let second = try SecurityEvents.list(
                of: Sample.account, before: first.last?.id, limit: 3, on: connection)
            return [first, second].map { $0.map(\.id) }
        }
        #expect(pages == [[4, 3, 2].map(Sample.id), [1, 0].map(Sample.id)])
    }
}
