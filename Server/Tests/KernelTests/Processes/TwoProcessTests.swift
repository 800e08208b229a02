import Core
import Crypto
import FlowSupport
import Outbound
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Apple
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens
@testable import Transactions

/// What one process remembers is right although another one changes the rows. The clock does not advance, so nothing expires.
@Suite("Two processes on one database", .covers("one PostgreSQL database"))
struct TwoProcessTests {
    @Test("A client that one process deletes is unknown to the other as soon as it gets the notice")
    func client() async throws {
        try await TwoProcesses.run { servers in
            let app = try await servers.first.publicClient()
            let (clients, now) = (servers.second.context.clients, servers.clock.now())
            let known = try await clients.find(app.id, now: now)
            #expect(known?.name == "App")
            try await servers.first.administer(["client", "delete", app.id.rawValue])
            let isGone = try await becomesTrue { try await clients.find(app.id, now: now) == nil }
            #expect(isGone)
        }
    }

    @Test(
        "A provider that one process removes, with its private key, is forgotten by the other as it gets the notice")
    func removedProvider() async throws {
        try await TwoProcesses.run(vendors: { [AppleVendor()] }) { servers in
            let (first, second) = (servers.first.context, servers.second.context)
            let settings = AppleSettings(
                base: AppleSettings.appleBase, clientIDs: ["com.example.app"], keyID: "KEY0000001", servicesID: nil,
                teamID: "TEAM000001")
            let record = try first.providerVault.record(
                kind: AppleVendor.kind, id: ProviderID("apple"), brand: BrandID("default"),
                settings: settings.encoded(), secret: Array(P256.Signing.PrivateKey().pemRepresentation.utf8),
                now: servers.clock.now())
            let isAdded = try await first.database.write { try IdentityProviders.add(record, on: $0) }
            #expect(isAdded)
            let vendor = try #require(second.vendors[AppleVendor.kind] as? AppleVendor)
            // It forgets everything once as it begins to follow the other.
            let isDecoded = try await becomesTrue {
                _ = try await second.providerVault.find(ProviderID("apple"), brand: BrandID("default"))
                return vendor.decodedCount == 1
            }
            #expect(isDecoded)
            try await servers.first.administer(["provider", "remove", "apple"])
            let isForgotten = try await becomesTrue { vendor.decodedCount == 0 }
            #expect(isForgotten)
        }
    }

    @Test("A former system that one process adds or removes is known to the other as soon as it gets the notice")
    func formerSystem() async throws {
        try await TwoProcesses.run { servers in
            let (systems, now) = (servers.second.context.formerSystems, servers.clock.now())
            let brand = try BrandID("default")
            #expect(try await systems.repository(of: brand, now: now) == nil)
            try await servers.first.administer([
                "provider", "add", "repository", "old", "--endpoint", "https://old.example.com/verify",
                "--adopt-passwords", "--until", "2027-01-20",
            ])
            let isKnown = try await becomesTrue { try await systems.repository(of: brand, now: now) != nil }
            #expect(isKnown)
            try await servers.first.administer(["provider", "remove", "old"])
            let isGone = try await becomesTrue { try await systems.repository(of: brand, now: now) == nil }
            #expect(isGone)
        }
    }

    @Test("attack: a proof used at one process is refused by the other: native sign-in, client credentials, userinfo")
    func proofs() async throws {
        try await TwoProcesses.run { servers in
            let (first, second) = (servers.first, servers.second)
            let account = try await first.account()
            let app = TestApp(client: try await first.publicClient())
            let elsewhere = TestApp(client: app.client.at(second), key: app.key)

            let proof = try app.proof()
            _ = try await app.signIn(proof: proof).code()
            guard case .invalid(.invalidDPoPProof) = try await elsewhere.signIn(proof: proof) else {
                Issue.record("a proof of a sign-in was used twice")
                return
            }

            let backend = try await first.confidentialClient()
            let key = TestKey()
            let presented = try key.present(to: first)
            let request = TokenRequest(
                client: backend.authentication, grant: .clientCredentials, scope: nil, resources: [])
            _ = try await first.flows.tokens.grants.token(request, proof: presented, origin: TestServer.origin).tokens()
            let replayed = try await second.flows.tokens.grants.token(
                request, proof: presented, origin: TestServer.origin)
            guard case .invalidDPoPProof? = replayed.refusal else {
                Issue.record("a proof of client credentials was used twice")
                return
            }

            let device = TestDevice(app: app, tokens: try await app.client.signIn(account, proof: app.key))
            let call = try device.presented(.get, Endpoints.userInfo.path)
            let token = try #require(call.authorization)
            guard
                case .success = try await first.flows.tokens.userInfo.claims(
                    token, proof: call.proof),
                case .failure(.invalidDPoPProof) = try await second.flows.tokens.userInfo.claims(
                    token, proof: call.proof)
            else {
                Issue.record("a proof of userinfo was refused at once, or used twice")
                return
            }
        }
    }

    @Test("A refresh sends no notice, and neither does a look at the outbox", .timeLimit(.minutes(5)))
    func quietRefresh() async throws {
        try await TwoProcesses.run(isTold: false) { servers in
            let app = try await servers.first.bearerClient()
            let tokens = try await app.signIn(servers.first.account())
            let group = try #require(servers.second.context.database.group)
            var notices = group.notices().makeAsyncIterator()
            let ids = [try servers.first.context.random.uniqueID(), try servers.first.context.random.uniqueID()]
            // Notices of before may still be on their way.
            servers.first.context.changes.changed(ids[0])
            while let notice = await notices.next(), notice != .row(ids[0]) {}
            _ = try await app.refresh(try #require(tokens.refreshToken)).tokens()
            servers.first.context.outbox.signal.checkNow()
            servers.first.context.changes.changed(ids[1])
            let next = await notices.next()
            #expect(next == .row(ids[1]))
        }
    }

    @Test("A data key that one process makes is known to the other at once, and seals when both have it")
    func dataKeys() async throws {
        try await TwoProcesses.run { servers in
            let (first, second) = (servers.first.context, servers.second.context)
            try await servers.first.administer(["keys", "rotate", "sign-in"])
            let now = servers.clock.now()
            let isKnown = try await becomesTrue { second.keyRing.key(.signIn, KeyID(2), at: now) != nil }
            #expect(isKnown)
            #expect(try first.keyRing.active(.signIn).id == KeyID(1))
            let early = try first.sealing.seal([1], for: .signIn, context: "test")
            servers.clock.advance(by: KeyRing.settling)
            for ring in [first.keyRing, second.keyRing] { try await ring.reload(now: servers.clock.now()) }
            let late = try second.sealing.seal([2], for: .signIn, context: "test")
            #expect(try second.keyRing.active(.signIn).id == KeyID(2))
            #expect(second.sealing.open(early, for: .signIn, context: "test") == [1])
            #expect(first.sealing.open(late, for: .signIn, context: "test") == [2])
            // The first key sealed for longer than with one process, and opens for as much longer.
            servers.clock.advance(by: .minutes(15))
            #expect(second.sealing.open(early, for: .signIn, context: "test") == [1])
        }
    }

    @Test("Signing keys that one process activates sign and verify at the other")
    func signingKeys() async throws {
        try await TwoProcesses.run { servers in
            let leads = await servers.first.context.database.leads()
            let (leader, other) = leads ? (servers.first, servers.second) : (servers.second, servers.first)
            let former = try other.context.keyRing.signer(.es256).id
            try await other.administer(["keys", "rotate"])
            servers.clock.advance(by: leader.context.settings.signingKeys.publicationLead)
            // Only the leader advances keys.
            try await other.flows.maintenance.run()
            #expect(try other.context.keyRing.signer(.es256).id == former)
            try await leader.flows.maintenance.run()
            let present = try leader.context.keyRing.signer(.es256).id
            #expect(present != former)
            let isKnown = try await becomesTrue { try other.context.keyRing.signer(.es256).id == present }
            #expect(isKnown)
            let account = try await leader.account()
            let app = try await leader.bearerClient()
            for (issuer, verifier) in [(leader, other), (other, leader)] {
                let tokens = try await app.at(issuer).signIn(account)
                #expect(try await verifier.claims(of: tokens).subject == account.rawValue)
                _ = try await app.at(verifier).refresh(try #require(tokens.refreshToken)).tokens()
            }
        }
    }

    @Test("A signing key that one process revokes is refused by the other, which signs with the new one")
    func revokedSigningKey() async throws {
        try await TwoProcesses.run { servers in
            let (first, second) = (servers.first.context.keyRing, servers.second.context.keyRing)
            let leaked = try second.signer(.es256).id
            try await servers.first.administer(["keys", "revoke", "--", leaked])
            #expect(first.signingKey(leaked) == nil)
            let isRefused = try await becomesTrue { second.signingKey(leaked) == nil }
            #expect(isRefused)
            #expect(try second.signer(.es256).id == first.signer(.es256).id)
        }
    }

    @Test(
        "A long poll at one process is answered by a change at the other", .timeLimit(.minutes(10)),
        arguments: [true, false])
    func longPoll(isTold: Bool) async throws {
        try await TwoProcesses.run(isTold: isTold) { servers in
            let till = try await TestTill.open(on: servers.first)
            let other = try till.at(servers.second)
            let created = try await till.created()
            let call = try await other.call()
            let waiting = Task {
                try await other.flows.ofBackends.find(created.transactionID, wait: .seconds(30), call: call).get()
            }
            try await other.flows.ledger.changes.whenWaited(for: created.transactionID)
            _ = try await till.claim(created.link).get()
            #expect(try await waiting.value.status == .claimed)
            #expect(other.flows.ledger.changes.isIdle)
        }
    }

    @Test("Messages posted at one process are delivered once, though both deliver")
    func messages() async throws {
        try await TwoProcesses.run { servers in
            _ = try await servers.first.reachableAccount()
            for number in 0..<20 {
                try await servers.first.administer(
                    AdminRequest(["account", "set-password", "ada"], input: "another phrase \(number)"))
            }
            let transport = ScriptedTransport()
            try await withThrowingTaskGroup { group in
                for server in [servers.first, servers.second] {
                    let delivery = server.context.delivery(
                        by: MessageTransports(email: transport, timeout: .seconds(10)))
                    group.addTask { while try await delivery.deliverDue(.email) > 0 {} }
                }
                try await group.waitForAll()
            }
            #expect(transport.messages.count == 20)
            #expect(Set(transport.messages.map(\.id)).count == 20)
        }
    }

    @Test(
        "A message of a process that delivers nothing, such as a command's, leaves from another one",
        .timeLimit(.minutes(5)))
    func messageOfACommand() async throws {
        try await TwoProcesses.run { servers in
            _ = try await servers.first.reachableAccount()
            let transport = ScriptedTransport()
            let delivery = servers.second.context.delivery(
                by: MessageTransports(email: transport, timeout: .seconds(10)))
            let running = Task { await delivery.run() }
            try await servers.first.administer(
                AdminRequest(["account", "set-password", "ada"], input: "another phrase 8"))
            for await _ in transport.deliveries { break }
            delivery.stop()
            await running.value
            #expect(transport.messages.map(\.kind) == ["password_changed"])
        }
    }

    @Test("Two processes that start at once on an empty database both come up, with the same keys")
    func bothStart() async throws {
        let made = try await PostgreSQLServer.shared().createDatabase()
        let clock = ManualClock()
        async let one = TestServer.process(on: made.string, clock: clock)
        async let two = TestServer.process(on: made.string, clock: clock)
        let (first, second) = try await (one, two)
        for algorithm in SigningAlgorithm.allCases {
            #expect(try first.context.keyRing.signer(algorithm).id == second.context.keyRing.signer(algorithm).id)
        }
        let sealed = try first.context.sealing.seal([1], for: .personal, context: "test")
        #expect(second.context.sealing.open(sealed, for: .personal, context: "test") == [1])
        let began = try await first.context.database.read {
            try $0.query("SELECT id FROM security_events WHERE kind = 'audit.began'", []).count
        }
        #expect(began == 1)
        #expect(try await second.verifyAudit().findings.isEmpty)
        for server in [first, second] { await server.close() }
    }

    @Test("A try that runs at one process survives the start of another, and counts as lost once its process has ended")
    func pendingTry() async throws {
        let (string, clock) = (try await TwoProcesses.database(), ManualClock())
        let first = try await TestServer.process(on: string, clock: clock)
        let subject = [UInt8](repeating: 1, count: 32)
        let policy = AttemptPolicy(free: 3, afterwards: .locked, forgottenAfter: .hours(24))
        let now = clock.now()
        _ = try await first.context.database.write {
            try Attempts.reserve(subject, under: policy, now: now, on: $0)
        }
        let second = try await TestServer.process(on: string, clock: clock)
        #expect(try await counts(of: subject, at: second) == [1, 0])
        await first.close()
        await second.close()
        // The database may need a moment to notice that both are gone.
        let isLost = try await becomesTrue {
            let alone = try await TestServer.process(on: string, clock: clock)
            let counts = try await counts(of: subject, at: alone)
            await alone.close()
            return counts == [0, 1]
        }
        #expect(isLost)
    }

    /// The running and the lost tries at a secret.
    private func counts(of subject: [UInt8], at server: TestServer) async throws -> [Int64] {
        try await server.context.database.read { connection in
            let row = try connection.row("SELECT pending, lost FROM attempts WHERE subject = $1", [.blob(subject)])
            return [try row?.integer("pending") ?? -1, try row?.integer("lost") ?? -1]
        }
    }

    @Test("One process leads, and does the scheduled work; when it ends, the other leads")
    func leadership() async throws {
        let (string, clock) = (try await TwoProcesses.database(), ManualClock())
        let archives = [CheckpointArchive(), CheckpointArchive()]
        let first = try await TestServer.process(on: string, clock: clock, archive: archives[0])
        let second = try await TestServer.process(on: string, clock: clock, archive: archives[1])
        #expect(await first.context.database.leads())
        #expect(await !second.context.database.leads())
        _ = try await second.account()
        for server in [second, first] { try await server.flows.maintenance.run() }
        try await second.context.audit.checkpointTheRest()
        #expect(archives.map(\.kept.count) == [1, 0])
        await first.close()
        let leads = try await becomesTrue { await second.context.database.leads() }
        #expect(leads)
        _ = try await second.account("eve")
        try await second.context.audit.checkpointTheRest()
        #expect(archives.map(\.kept.count) == [1, 1])
        await second.close()
    }

    @Test("Each leader's file of checkpoints verifies by itself, whichever process rotated the audit key")
    func archives() async throws {
        let (string, clock) = (try await TwoProcesses.database(), ManualClock())
        let folder = try TemporaryFolder()
        let archives = ["first", "second"].map { CheckpointArchive(file: folder.path($0)) }
        let first = try await TestServer.process(on: string, clock: clock, archive: archives[0])
        let oldest = try first.context.audit.checkpointKeys(now: clock.now())
        #expect(oldest.count == 1)
        _ = try await first.context.audit.checkpoint(now: clock.now())

        let second = try await TestServer.process(on: string, clock: clock, archive: archives[1])
        await first.close()
        _ = try await second.context.audit.checkpoint(now: clock.now())
        try await second.administer(["keys", "rotate", "audit"])
        clock.advance(by: KeyRing.settling)
        try await second.context.keyRing.reload(now: clock.now())
        _ = try await second.account()
        _ = try await second.context.audit.checkpoint(now: clock.now())

        let again = try await TestServer.process(on: string, clock: clock, archive: archives[0])
        // The newest checkpoint is in the other file, which is no fault.
        let verification = try await again.verifyAudit()
        #expect(verification.findings.isEmpty)
        #expect(verification.newestElsewhere?.archive == folder.path("second"))
        await second.close()
        _ = try await again.account("eve")
        _ = try await again.context.audit.checkpoint(now: clock.now())
        _ = try await again.context.audit.checkpoint(now: clock.now())
        #expect(try await again.verifyAudit().newestElsewhere == nil)
        await again.close()

        for archive in archives {
            var file = AuditCheckpointFile(trusting: oldest)
            let lines = archive.kept.map { file.read(Array($0.utf8)) }
            #expect(!lines.contains(.invalid))
            #expect(lines.count { $0 == .endorsement } == 1)
        }
    }

    @Test("attack: of a hundred PINs guessed at once at both processes five are evaluated")
    func hundredGuesses() async throws {
        try await TwoProcesses.run { servers in
            let pin = try await TestPIN.set(on: servers.first)
            let app = TestApp(client: pin.device.app.client.at(servers.second), key: pin.device.app.key)
            let pins = [
                pin, try pin.on(TestDevice(app: app, tokens: pin.device.tokens, deviceKey: pin.device.deviceKey)),
            ]
            let exchange = try pin.exchange("000001")
            let given = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let pin = pins[number % 2]
                        // Of so many writes of one row some are refused, which gives nothing out either.
                        guard let outcome = try? await pin.evaluate(pin.use(exchange)) else { return false }
                        return outcome.refusal == nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect((1...PINLimits.tries).contains(given))
        }
    }
}
