import Testing

@testable import wallet

@Suite("What is typed after `wallet`")
struct WalletArgumentTests {
    @Test("An identity whose name begins with a dash is taken away like any other")
    func identity() throws {
        let name = "-" + String(repeating: "e", count: 42)
        for typed in [["identity", "remove", name], ["identity", "remove", name, "--json"]] {
            let meant = WalletProgram.meant(typed)
            let command = try #require(try WalletProgram.parseAsRoot(meant) as? Identity.Remove)
            #expect(command.id == name)
        }
        let plain = ["identity", "remove", "AAAA", "--json"]
        #expect(WalletProgram.meant(plain) == plain)
    }
}
