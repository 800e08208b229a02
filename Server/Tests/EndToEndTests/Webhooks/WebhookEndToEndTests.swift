import Foundation
import TestSupport
import Testing
import WalletAuth
import WalletAuthVerifier
import WalletAuthWire

/// Events leave the running program, to receivers that verify them with code by others and with the library for backends.
@Suite("Webhooks to backends", .covers("webhooks"))
struct WebhookEndToEndTests {
    /// A receiver, and the server's webhook to it.
    private struct Hook {
        let receiver: PeerProcess
        let id: String
        let secret: String
        let file: URL

        /// Verifies a post with the library for backends, as of its own time.
        func event(_ post: [String: String]) throws -> WebhookEvent {
            let verifier = WebhookVerifier([try WebhookSecret(secret)])
            let headers = ["webhook-id": "id", "webhook-timestamp": "timestamp", "webhook-signature": "signature"]
            return try verifier.verify(Array((post["body"] ?? "").utf8)) { name in headers[name].flatMap { post[$0] } }
        }
    }

    private struct Added: Decodable {
        var id: String
        var secret: String
    }

    private struct Listed: Decodable {
        var webhooks: [Webhook]

        struct Webhook: Decodable {
            var state: String
        }
    }

    private func hook(
        _ server: RunningServer, _ owner: [String], _ environment: [String: String] = [:], in folder: URL
    ) async throws -> Hook {
        let file = folder.appending(path: "webhook-secret")
        let receiver = try await PeerProcess.start(
            "webhook_receiver.py", environment.merging(["RECEIVER_SECRET": file.path]) { $1 }, in: folder)
        let output = try await server.require(["webhook", "add", receiver.address + "/hooks", "--json"] + owner)
        let added = try JSONDecoder().decode(Added.self, from: Data(output.utf8))
        server.ledger.enter(added.secret)
        try Data((added.secret + "\n").utf8).write(to: file)
        return Hook(receiver: receiver, id: added.id, secret: added.secret, file: file)
    }

    @Test("A shop's backend hears of each step of its transaction, in order, and both libraries verify what it hears")
    func transaction() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TillWorld.use { world in
            let hook = try await hook(
                world.server, ["--client", "shop", "--kind", "transactions"], in: folder.url)
            defer { hook.receiver.stop() }
            let created = try await world.create(try TillWorld.coffee(.pin))
            let story = try await Signer().follow(try world.wallet.flows.start(with: created.link.reveal()))
            let posts = try await hook.receiver.messages(4)
            #expect(posts.map { $0["verified"] } == Array(repeating: "True", count: 4))
            #expect(
                posts.map { $0["type"] } == [
                    "transaction.created", "transaction.claimed", "transaction.confirmed", "transaction.signed",
                ])
            let events = try posts.map { try hook.event($0) }
            #expect(Set(events.map(\.id)).count == 4)
            #expect(events.map(\.transactionID) == Array(repeating: created.transactionID, count: 4))
            #expect(events.map(\.transactionStatus) == [.created, .claimed, .confirmed, .signed])
            // Anybody could have scanned the code.
            #expect(events.map(\.account) == [nil, nil, nil, story.signed?.account])
            #expect(posts.allSatisfy { $0["body"]?.contains("Café") == false })
        }
    }

    @Test("A secret that was replaced still verifies for a day, and the new one at once")
    func rotation() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await withServer { server in
            let hook = try await hook(server, ["--brand", "default"], in: folder.url)
            defer { hook.receiver.stop() }
            let output = try await server.require(["webhook", "rotate-secret", hook.id, "--json"])
            let secret = try JSONDecoder().decode(Added.self, from: Data(output.utf8)).secret
            server.ledger.enter(secret)
            _ = try await server.makeAccount("ada")
            _ = try await hook.receiver.messages(1)
            try Data((secret + "\n").utf8).write(to: hook.file)
            _ = try await server.makeAccount("bob")
            let posts = try await hook.receiver.messages(2)
            #expect(posts.map { $0["verified"] } == ["True", "True"])
            #expect(posts.map { $0["type"] } == ["account.created", "account.created"])
        }
    }

    @Test("The example for Node verifies events without packages, and acts on a repeated one once", .onceForAllEngines)
    func node() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await withServer { server in
            let node = try #require(BackendExampleTests.Language.program("node"), "install nodejs")
            let program = Programs.repository.appending(path: "Examples/Backends/webhook.mjs")
            let port = try FreePorts.next()
            let unset = try await ChildProcess.run(node, [program.path, "\(port)"], folder: folder.url)
            #expect(unset.ending == .exited(1) && unset.errors.hasPrefix("set WEBHOOK_SECRET"), "\(unset.errors)")
            let url = "http://127.0.0.1:\(port)/hooks"
            let output = try await server.require(["webhook", "add", url, "--json", "--brand", "default"])
            let added = try JSONDecoder().decode(Added.self, from: Data(output.utf8))
            server.ledger.enter(added.secret)
            let receiver = try await PeerProcess.start(
                node, [program.path, "\(port)"], ["WEBHOOK_SECRET": added.secret], in: folder.url)
            defer { receiver.stop() }
            _ = try await server.makeAccount("ada")
            _ = try await receiver.messages(1)
            _ = try await server.require(["webhook", "replay", added.id, "--since", "1h"])
            _ = try await server.makeAccount("bob")
            let events = try await receiver.messages(2)
            #expect(events.map { $0["type"] } == ["account.created", "account.created"])
            #expect(Set(events.map { $0["id"] }).count == 2)
            #expect(Set(events.map { $0["sub"] }).count == 2)
        }
    }

    @Test("A server that is killed between post and record posts again under the same ids: none is lost, by count")
    func killed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await withServer { server in
            let hook = try await hook(server, ["--brand", "default"], ["RECEIVER_HOLD": "3"], in: folder.url)
            defer { hook.receiver.stop() }
            for number in 0..<3 { _ = try await server.makeAccount("ada\(number)") }
            let held = try await hook.receiver.messages(3)
            await server.crash()
            // As a minute later: the killed server's hold on the events is over.
            try await server.write("UPDATE webhook_deliveries SET due_at = 0 WHERE delivered_at IS NULL")
            try await server.start()
            _ = try await server.makeAccount("bob")
            let posts = try await hook.receiver.messages(7)
            #expect(Set(posts.suffix(4).map { $0["id"] }).count == 4)
            #expect(Set(held.map { $0["id"] }).isSubset(of: Set(posts.suffix(4).map { $0["id"] })))
            #expect(posts.allSatisfy { $0["verified"] == "True" })
        }
    }

    @Test("An operator tries a receiver, sees that it is down, and doctor says which ones fail")
    func trouble() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await withServer { server in
            let hook = try await hook(server, ["--brand", "default"], in: folder.url)
            defer { hook.receiver.stop() }
            let tried = try await server.require(["webhook", "test", hook.id])
            #expect(tried.contains("has accepted the event"))
            #expect(try await hook.receiver.messages(1).first?["type"] == "webhook.test")
            // A receiver that was down, and accepts this one.
            try await server.write("UPDATE webhook_endpoints SET failing_since = 1700000000000, failure = 'status 500'")
            try await server.require(["webhook", "test", hook.id])
            let back = try await server.require(["webhook", "list", "--json"])
            #expect(try JSONDecoder().decode(Listed.self, from: Data(back.utf8)).webhooks.map(\.state) == ["active"])
            await hook.receiver.kill()
            let refused = try await server.administer(["webhook", "test", hook.id, "--json"])
            #expect(!refused.succeeded)
            #expect((refused.output + refused.errors).contains("webhook_unreachable"))
            _ = try await server.makeAccount("ada")
            try await eventually("the failure to be shown") {
                let output = try await server.require(["webhook", "list", "--json"])
                let list = try JSONDecoder().decode(Listed.self, from: Data(output.utf8))
                return list.webhooks.map(\.state) == ["webhook_unreachable"]
            }
            // The two that were accepted, and the one that was not.
            let tests = try await server.require(["audit", "tail", "--kind", "webhook.tested"])
            #expect(tests.split(separator: "\n").filter { $0.contains("webhook.tested") }.count == 3)
            let doctor = try await server.administer(["doctor"])
            #expect(doctor.output.contains("\(hook.id)"))
            #expect(doctor.output.contains("accepts no events"))
            #expect(!doctor.output.contains("because too many waited"))
            // As after 100,000 more.
            try await server.write("UPDATE webhook_endpoints SET dropped = 3, dropped_at = 1800000000000")
            let later = try await server.administer(["doctor"])
            #expect(later.output.contains("has lost 3 events"))
            #expect(later.output.contains("because too many waited"))
            let metrics = try await WebClient(ledger: server.ledger).get(server.url("/metrics")).text
            #expect(metrics.contains("webhooks_failed_total"))
        }
    }
}
