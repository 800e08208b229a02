import Testing
import WalletAuthWire

@Suite("Whether two operations are one")
struct WalletOperationEqualityTests {
    private static let composed = "Zo\u{EB}"
    private static let decomposed = "Zoe\u{308}"

    @Test("attack: payees and details that Unicode holds for the same are not, since they are agreed to by the byte")
    func spelling() throws {
        // What the language thinks of them.
        #expect(Self.composed == Self.decomposed)
        let payee = try Payee(name: Self.composed, account: "1")
        #expect(try payee != Payee(name: Self.decomposed, account: "1"))
        #expect(try payee == Payee(name: Self.composed, account: "1"))
        #expect(try Payee(name: "A", account: Self.composed) != Payee(name: "A", account: Self.decomposed))
        let type = try WalletOperationType("TRANSFER")
        let operation = try WalletOperation(type: type, payee: payee, details: ["note": Self.composed])
        #expect(try operation == WalletOperation(type: type, payee: payee, details: ["note": Self.composed]))
        #expect(try operation != WalletOperation(type: type, payee: payee, details: ["note": Self.decomposed]))
        #expect(try operation != WalletOperation(type: type, payee: payee))
        #expect(try operation != WalletOperation(type: type, payee: payee, details: ["memo": Self.composed]))
    }
}
