import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("What a client asks of its app")
struct ClientAttestationTests {
    private static let digest = String(repeating: "AB:", count: 31) + "AB"
    private static let create = [
        "client", "create", "app", "--name", "App", "--public", "--first-party", "--redirect-uri",
        "com.example.app:/callback",
    ]

    @Test("The policy and the Android apps are set, shown, and changed")
    func changes() async throws {
        let server = try await TestServer.start()
        try await server.administer(
            AdminRequest(
                Self.create + ["--attest", "recorded", "--android-app", "com.example.wallet=\(Self.digest)"]))
        let stored = "com.example.wallet=" + String(repeating: "AB", count: 32)
        let shown = try await server.administer(["client", "show", "app"])
        #expect(try shown.string("attestation") == "recorded")
        #expect(try shown.strings("androidApps") == [stored])
        try await server.administer([
            "client", "update", "app", "--attest", "required", "--add-apple-app-id", "ABCDE12345.com.example.wallet",
            "--remove-android-app", "com.example.wallet=\(Self.digest)",
        ])
        let changed = try await server.administer(["client", "show", "app"])
        #expect(try changed.string("attestation") == "required")
        #expect(changed["androidApps"] == nil)
    }

    @Test("The claim in access tokens is set with a policy, is changed, and goes before the policy does")
    func claim() async throws {
        let server = try await TestServer.start()
        let apps = ["--apple-app-id", "ABCDE12345.com.example.wallet"]
        let without = await server.flows.administration.execute(
            AdminRequest(Self.create + apps + ["--attestation-claim"]))
        #expect(without.refusal?.code == "contradiction", "\(without.lines)")
        try await server.administer(AdminRequest(Self.create + apps + ["--attest", "recorded", "--attestation-claim"]))
        #expect(try await server.administer(["client", "show", "app"])["attestationClaim"] == .bool(true))
        let off = await server.flows.administration.execute(["client", "update", "app", "--attest", "off"])
        #expect(off.refusal?.code == "contradiction", "\(off.lines)")
        try await server.administer(["client", "update", "app", "--attest", "off", "--no-attestation-claim"])
        #expect(try await server.administer(["client", "show", "app"])["attestationClaim"] == .bool(false))
        let backend = ["client", "create", "backend", "--name", "Backend", "--confidential", "--attestation-claim"]
        try await server.administer(AdminRequest(backend))
    }

    @Test(
        "If one of the brand's own apps requires an attestation and another does not, commands and doctor warn of both")
    func undercut() async throws {
        let server = try await TestServer.start()
        let administration = server.flows.administration
        func warnings() async throws -> [String: [ClientWarning]] {
            let reports = try await ClientWarning.reports(of: server.context.database)
            return Dictionary(uniqueKeysWithValues: reports.map { ($0.clientID, $0.warnings ?? []) })
        }
        func create(_ id: String, _ options: String...) async throws -> AdministrationAnswer {
            let words = ["client", "create", id, "--name", id, "--redirect-uri", "com.example.app:/callback"]
            let answer = await administration.execute(AdminRequest(words + options))
            #expect(answer.status == .done, "\(answer.lines)")
            return answer
        }
        let policy = ["--attest", "required", "--apple-app-id", "ABCDE12345.com.example.wallet"]
        #expect(try await administration.execute(AdminRequest(Self.create + policy)).document()["warnings"] == nil)
        try await server.administer(["brand", "create", "red", "--name", "Red"])
        _ = try await create("other-brand", "--public", "--first-party", "--brand", "red")
        _ = try await create("relying", "--public")
        _ = try await create("backend", "--confidential", "--first-party")
        #expect(try await warnings().values.allSatisfy(\.isEmpty))

        let made = try await create(
            "lax", "--public", "--first-party", "--apple-app-id", "ABCDE12345.com.example.lax")
        #expect(try made.document().strings("warnings") == ["unattested_devices"])
        #expect(made.lines.contains { $0.contains("walletauth client update lax --attest required") }, "\(made.lines)")
        #expect(
            try await warnings().filter { !$0.value.isEmpty } == [
                "app": [.undercutAttestation], "lax": [.unattestedDevices],
            ])
        let shown = await administration.execute(["client", "show", "app"])
        #expect(shown.lines.contains { $0.contains("enrolls devices without an attestation") }, "\(shown.lines)")
        let changed = try await server.administer(["client", "update", "app", "--name", "App 2"])
        #expect(try changed.strings("warnings") == ["undercut_attestation"])

        try await server.administer([
            "client", "update", "lax", "--attest", "required",
        ])
        #expect(try await warnings().values.allSatisfy(\.isEmpty))
    }

    @Test("A client without an app is given a remedy that it can follow, when that becomes true and not at each update")
    func unattestable() async throws {
        let server = try await TestServer.start()
        let administration = server.flows.administration
        try await server.administer(
            AdminRequest(Self.create + ["--attest", "required", "--apple-app-id", "ABCDE12345.com.example.wallet"]))
        let made = await administration.execute([
            "client", "create", "console", "--name", "Console", "--public", "--first-party", "--redirect-uri",
            "com.example.console:/callback", "--scope", "openid admin",
        ])
        #expect(try made.document().strings("warnings") == ["unattestable_devices"])
        let line = try #require(made.lines.first { $0.hasPrefix("Warning:") })
        #expect(line.contains("walletauth client update console --attest required, with --add-apple-app-id"), "\(line)")

        let named = await administration.execute(["client", "update", "console", "--name", "Operators"])
        #expect(!named.lines.contains { $0.hasPrefix("Warning:") }, "\(named.lines)")
        let shown = await administration.execute(["client", "show", "console"])
        #expect(shown.lines.contains { $0.hasPrefix("Warning:") }, "\(shown.lines)")
        let report = try await ClientWarning.reports(of: server.context.database).first { $0.clientID == "console" }
        #expect(report?.warnings == [.unattestableDevices])

        let app = "com.example.console=\(Self.digest)"
        let changed = await administration.execute(["client", "update", "console", "--add-android-app", app])
        #expect(
            changed.lines.contains { $0.contains("walletauth client update console --attest required.") },
            "\(changed.lines)")
        let followed = await administration.execute(["client", "update", "console", "--attest", "required"])
        #expect(followed.status == .done, "\(followed.lines)")
        #expect(try followed.document()["warnings"] == nil)
    }

    @Test(
        "A policy without an app, for another party's app, of another name, and an app that is none are refused",
        arguments: [
            ["--attest", "required"], ["--attest", "maybe", "--apple-app-id", "ABCDE12345.com.example.wallet"],
            ["--android-app", "com.example.wallet"],
        ])
    func refused(options: [String]) async throws {
        let server = try await TestServer.start()
        let answer = await server.flows.administration.execute(AdminRequest(Self.create + options))
        #expect(answer.status == .refused, "\(answer.lines)")
        let third = Self.create.filter { $0 != "--first-party" }
        let foreign = await server.flows.administration.execute(
            AdminRequest(third + ["--android-app", "com.example.wallet=\(Self.digest)"]))
        #expect(foreign.status == .refused, "\(foreign.lines)")
    }
}
