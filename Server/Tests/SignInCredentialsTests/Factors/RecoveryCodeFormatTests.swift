import Testing

@testable import SignIn
@testable import Store

@Suite("Recovery codes as people type them")
struct RecoveryCodeFormatTests {
    @Test(
        "A code is read from paper: in either case, with any spaces and dashes, and with digits for the letters they look like",
        arguments: [
            "OIBO-IBOI-BOIB-OIBO", "oibo iboi boib oibo", "oiboiboiboiboibo", "OIBO\u{A0}IBOI\u{A0}BOIB\u{A0}OIBO",
            "OIBO\u{2013}IBOI\u{2013}BOIB\u{2013}OIBO", "0180-1801-8018-0180", " OIBO-IBOI-BOIB-OIBO\t",
            "\u{FF2F}IBO-IBOI-BOIB-OIBO",
        ])
    func typed(text: String) throws {
        let account = try #require(UniqueID(bytes: [UInt8](repeating: 3, count: 16)))
        let bytes = try #require(Base32.decode("OIBOIBOIBOIBOIBO"))
        let expected = RecoveryCodeFormat.digest(of: bytes, account: account)
        #expect(RecoveryCodeFormat.digest(of: text, account: account) == expected)
    }

    @Test("What is no code has no digest", arguments: ["", "OIBO", "OIBO-IBOI-BOIB-OIB9", "OIBO-IBOI-BOIB-OIBO-OIBO"])
    func noCode(text: String) throws {
        let account = try #require(UniqueID(bytes: [UInt8](repeating: 3, count: 16)))
        #expect(RecoveryCodeFormat.digest(of: text, account: account) == nil)
    }
}
