import ArgumentParser
import Testing

@testable import wallet

@Suite("What is typed after `wallet`")
struct WalletArgumentTests {
    @Test("An identity whose name begins with a dash is taken away like any other")
    func identity() {
        let name = "-" + String(repeating: "e", count: 42)
        #expect(WalletProgram.meant(["identity", "remove", name]) == ["identity", "remove", "--", name])
        let asked = WalletProgram.meant(["identity", "remove", name, "--json"])
        #expect(asked == ["identity", "remove", "--json", "--", name])
        let plain = ["identity", "remove", "AAAA", "--json"]
        #expect(WalletProgram.meant(plain) == plain)
        // As long as an identity, and an option all the same.
        let folder = "--folder=/" + String(repeating: "f", count: 33)
        let elsewhere = ["identity", "remove", folder, "AAAA"]
        #expect(WalletProgram.meant(elsewhere) == elsewhere)
        let both = WalletProgram.meant(["identity", "remove", folder, name])
        #expect(both == ["identity", "remove", folder, "--", name])
    }

    @Test("attack: another user of the machine reads the code of an authenticator app among the arguments of what runs")
    func codeAmongArguments() throws {
        let confirm = ["mfa", "authenticator", "--confirm"]
        #expect(throws: (any Error).self) { try WalletProgram.parseAsRoot(confirm + ["123456"]) }
        #expect(try WalletProgram.parseAsRoot(confirm + ["--stdin"]) is MFA.Authenticator)
        #expect(throws: (any Error).self) { try WalletProgram.parseAsRoot(["mfa", "authenticator", "--stdin"]) }
    }
}
