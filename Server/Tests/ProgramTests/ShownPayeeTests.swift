import Testing
import WalletAuthWire

@testable import wallet

@Suite("The payee on a terminal")
struct ShownPayeeTests {
    @Test("attack: the name of the payee does not speak in the place of the account")
    func name() throws {
        let payee = try Payee(name: "Café (DE02120300000000202051)", account: "DE89370400440532013000")
        #expect(payee.words == ["to account \"DE89370400440532013000\"", "of \"Café (DE02120300000000202051)\""])
        #expect("a\" · to \u{202E}b".quoted.unicodeScalars.allSatisfy { $0 != "\u{202E}" })
        #expect("a\" · b".quoted == #""a\" · b""#)
    }
}
