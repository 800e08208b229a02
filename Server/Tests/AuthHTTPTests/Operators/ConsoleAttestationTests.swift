import Core
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Attestation in the operators' console", .covers("operators' console"))
struct ConsoleAttestationTests {
    private static let text = Language.english.consoleText

    @Test("Support reads on a person's page that the app could not prove that it is genuine, and why")
    func refused() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            try await console.server.execute([
                "client", "create", "wallet", "--name", "Wallet", "--public", "--first-party", "--redirect-uri",
                "com.example.wallet:/callback", "--apple-app-id", "ABCDE12345.com.example.wallet", "--attest",
                "required",
            ])
            let context = console.server.server.context
            let account = try #require(UniqueID(uuid: maria))
            let entry = try context.auditLog.entry(
                DeviceEvent.attestationRefused, account: account, client: "wallet", now: context.clock.now(),
                details: JSONObject(strings: ["reason": AttestationFault.wrongApp.rawValue]))
            _ = try await context.database.write { try entry.write(on: $0) }
            let page = try await console.signIn("/admin/account?id=\(maria)")
            let effect = Self.text[.effectEnrollment, ["user": "maria"]]
            let verdict = Self.text[.verdict, ["effect": effect, "cause": Self.text[.causeAppNotAccepted]]]
            #expect(page.has(verdict), "\(page.text)")
            #expect(page.has(Language.english.consoleEventText[.deviceAttestationRefused]), "\(page.text)")
        }
    }
}
