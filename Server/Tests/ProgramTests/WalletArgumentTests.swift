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
    }
}
