import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite("Rotating a client's secret", .covers("walletauth client rotate-secret"))
struct ClientSecretRotationTests {
    /// A server with a backend, and the token endpoint's answer to a secret.
    private struct Backend {
        let server: TestServer
        let client: TestClient

        init() async throws {
            server = try await TestServer.start()
            client = try await server.confidentialClient()
        }

        func isAccepted(_ authentication: ClientAuthentication) async throws -> Bool {
            let refusal = try await server.flows.tokens.grants.token(
                TokenRequest(client: authentication, grant: .clientCredentials), proof: .none, origin: TestServer.origin
            ).refusal
            #expect(refusal == nil || refusal == .invalidClient(.secret))
            return refusal == nil
        }

        @discardableResult
        func rotate(_ options: String...) async throws -> (answer: JSONObject, secret: ClientAuthentication) {
            let answer = try await server.administer(AdminRequest(["client", "rotate-secret", "backend"] + options))
            let secret = try ClientSecret(try #require(answer["clientSecret"]?.string))
            return (answer, .basic(client.id, secret))
        }

        func refusal(_ words: String...) async throws -> AdministrationRefusal {
            let answer = await server.flows.administration.execute(AdminRequest(words))
            return try #require(answer.refusal)
        }

        func shownEnd() async throws -> String? {
            try await server.administer(["client", "show", "backend"])["formerSecretEndsAt"]?.string
        }
    }

    @Test("Both secrets work during the overlap, and only the new one after it; `client show` says when it ends")
    func overlap() async throws {
        let backend = try await Backend()
        let former = backend.client.authentication
        #expect(try await backend.shownEnd() == nil)
        let (answer, current) = try await backend.rotate()
        let end = (backend.server.clock.now() + .hours(24)).text
        #expect(answer["formerSecretEndsAt"]?.string == end)
        #expect(try await backend.shownEnd() == end)
        backend.server.clock.advance(by: .hours(24) - .milliseconds(1))
        #expect(try await backend.isAccepted(former))
        #expect(try await backend.isAccepted(current))
        backend.server.clock.advance(by: .milliseconds(1))
        #expect(try await !backend.isAccepted(former))
        #expect(try await backend.isAccepted(current))
        #expect(try await backend.shownEnd() == nil)
    }

    @Test("With --overlap now the former secret ends at once, and another duration is taken as typed")
    func durations() async throws {
        let backend = try await Backend()
        let first = backend.client.authentication
        let second = try await backend.rotate("--overlap", "now")
        #expect(second.answer["formerSecretEndsAt"] == nil)
        #expect(try await !backend.isAccepted(first))
        #expect(try await backend.isAccepted(second.secret))
        try await backend.rotate("--overlap", "30m")
        backend.server.clock.advance(by: .minutes(30))
        #expect(try await !backend.isAccepted(second.secret))
        for wrong in ["24", "0s", "31d", "tomorrow", "-1h"] {
            let refusal = try await backend.refusal("client", "rotate-secret", "backend", "--overlap=\(wrong)")
            #expect(refusal.code == "malformed" && refusal.message.contains("30m, 24h or 7d"), "\(wrong)")
        }
    }

    @Test("During an overlap there is no third secret, until the former one has ended or is ended")
    func thirdSecret() async throws {
        let backend = try await Backend()
        let first = backend.client.authentication
        let second = try await backend.rotate().secret
        let refusal = try await backend.refusal("client", "rotate-secret", "backend")
        #expect(refusal.code == "overlap")
        #expect(refusal.hint?.contains("walletauth client rotate-secret backend --end-former") == true)
        #expect(try await backend.isAccepted(first))
        #expect(try await backend.isAccepted(second))

        try await backend.server.administer(["client", "rotate-secret", "backend", "--end-former"])
        #expect(try await !backend.isAccepted(first))
        #expect(try await backend.isAccepted(second))
        let nothing = try await backend.refusal("client", "rotate-secret", "backend", "--end-former")
        #expect(nothing.code == "no_change")

        let third = try await backend.rotate().secret
        let fourth = try await backend.rotate("--overlap", "now").secret
        for old in [second, third] { #expect(try await !backend.isAccepted(old)) }
        #expect(try await backend.isAccepted(fourth))
    }

    @Test("While the clocks disagree no overlap begins, since its end would be wrong; a leaked secret ends at once")
    func clockInDoubt() async throws {
        let backend = try await Backend()
        let clock = backend.server.clock
        clock.leap(by: .days(40))
        #expect(try await backend.refusal("client", "rotate-secret", "backend").code == "clock")
        #expect(try await backend.shownEnd() == nil)
        let second = try await backend.rotate("--overlap", "now").secret
        clock.leap(by: .days(-40))
        #expect(try await backend.isAccepted(second))
        #expect(try await !backend.isAccepted(backend.client.authentication))
    }

    @Test("Any other change of the client keeps both secrets")
    func otherChanges() async throws {
        let backend = try await Backend()
        let current = try await backend.rotate().secret
        let end = try await backend.shownEnd()
        try await backend.server.administer(["client", "update", "backend", "--name", "Renamed"])
        #expect(try await backend.isAccepted(backend.client.authentication))
        #expect(try await backend.isAccepted(current))
        #expect(try await backend.shownEnd() == end)
    }

    @Test("The refusal to rotate at a client without a secret names its method")
    func withoutSecret() async throws {
        let backend = try await Backend()
        _ = try await backend.server.publicClient("app")
        let app = try await backend.refusal("client", "rotate-secret", "app")
        #expect(app.code == "contradiction" && app.message.hasSuffix("is none."), "\(app.message)")
        #expect(try await backend.refusal("client", "rotate-secret", "nobody").code == "not_found")
    }

    @Test("The audit log records each rotation with the end of the former secret, and neither secret nor hash")
    func audited() async throws {
        let backend = try await Backend()
        let (answer, current) = try await backend.rotate()
        try await backend.server.administer(["client", "rotate-secret", "backend", "--end-former"])
        let details = try await backend.server.context.database.read {
            try $0.query("SELECT details FROM security_events WHERE kind = 'client.secret_rotated'", [])
                .map { try $0.text("details") }
        }
        let end = try #require(answer["formerSecretEndsAt"]?.string)
        #expect(details.count == 2)
        #expect(details.contains { $0.contains(#""formerSecretEndsAt":"\#(end)""#) }, "\(details)")
        guard case .basic(_, let secret) = current else { return }
        #expect(details.allSatisfy { !$0.contains(secret.reveal()) && !$0.contains("ecretHash") }, "\(details)")
    }

    @Test("race: a rotation that was decided before another change is refused and changes nothing")
    func changedMeanwhile() async throws {
        let backend = try await Backend()
        let former = backend.client.authentication
        backend.server.clock.advance(by: .seconds(1))
        backend.server.beforeNextWrite {
            try await backend.server.administer(["client", "update", "backend", "--name", "Renamed"])
        }
        #expect(try await backend.refusal("client", "rotate-secret", "backend").code == "changed")
        #expect(try await backend.isAccepted(former))
        #expect(try await backend.shownEnd() == nil)
    }

    @Test("attack: a client with private_key_jwt has at most eight keys, so that few are tried against an assertion")
    func keys() async throws {
        let server = try await TestServer.start()
        func create(_ id: String, keys: Int) async -> AdministrationAnswer {
            let set = JSONValue.object(JWKSet((0..<keys).map { _ in TestKey().publicKey }).json).text
            return await server.flows.administration.execute(
                AdminRequest(
                    [
                        "client", "create", id, "--name", id, "--confidential", "--auth-method", "private_key_jwt",
                        "--jwks",
                        "keys.json",
                    ], input: set))
        }
        let refused = await create("nine", keys: 9)
        #expect(refused.refusal?.code == "too_many")
        let created = await create("eight", keys: 8)
        #expect(created.status == .done, "\(created.lines)")
    }
}
