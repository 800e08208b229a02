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
