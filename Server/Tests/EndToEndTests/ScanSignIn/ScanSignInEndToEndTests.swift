import Foundation
import Testing

/// The sign-in page's code in Chromium, read off the screen by zbarimg, and the terminal wallet as the phone.
@Suite("Signing in by scanning against the running server", .onceForAllEngines)
struct ScanSignInEndToEndTests {
    private static let pin = TillWorld.pin

    @Test(
        "In Chromium the page shows a code in five languages, renews it, and signs in once the wallet program approves")
    func chromium() async throws {
        try await withServer { server in
            let (client, wallet) = try await phone(at: server)
            let output = try await server.peer(
                "chromium_scan.py",
                [await server.issuer.absoluteString, client.id, server.folder.path, Programs.wallet.path, Self.pin],
                environment: wallet.environment)
            let seen = try JSONSerialization.jsonObject(with: output) as? [String: Any]
            #expect(seen?["codes"] as? [String] == Array(repeating: "WALLET-LOGIN", count: 5))
            #expect(Set(seen?["headings"] as? [String] ?? []).count == 5)
            #expect(seen?["same"] as? Bool == true)
            let asked = seen?["asked"] as? [String: Any]
            #expect(asked?["system"] as? String == "Linux")
            #expect(asked?["sameNetwork"] as? Bool == true)
            #expect(seen?["offered"] as? Bool == true)
            #expect(seen?["code"] as? Bool == true)
        }
    }

    @Test("The terminal wallet refuses what is no sign-in page's code, and says where a shop's goes")
    func otherCodes() async throws {
        try await withServer { server in
            let (_, wallet) = try await phone(at: server)
            let shops = await server.url("/t/0190b3f2-0000-7000-8000-00000000002a").absoluteString
            let refused = try await wallet.run("sign-in-elsewhere", shops + "#AAAAAAAAAAAAAAAAAAAAAA")
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("wallet transactions approve"), "\(refused.errors)")
            let other = try await wallet.run(
                "sign-in-elsewhere", "WALLET-LOGIN/1/aHR0cHM6Ly9vdGhlci5leGFtcGxl/0190b3f2/AAAAAAAAAAAAAAAAAAAAAA")
            #expect(other.errors.contains("another server"), "\(other.errors)")
        }
    }

    /// A server that takes scans, and a terminal wallet that is enrolled for long enough.
    private func phone(at server: RunningServer) async throws -> (RegisteredClient, TerminalWallet) {
        try await server.require(["brand", "update", "default", "--scan-sign-in", "on"])
        let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
        let person = try await server.makeReachableAccount("grace")
        let wallet = await TerminalWallet(server, client)
        server.ledger.enter(Self.pin)
        #expect(try await wallet.signInByCode(person) == .exited(0))
        try await wallet.succeeds("device", "enroll", "Terminal")
        try await wallet.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")
        try await server.write("UPDATE devices SET cooling_until = 0")
        return (client, wallet)
    }
}
