import Testing

@testable import WalletAuthPIN

@Suite("What a PIN must be like")
struct PINRulesTests {
    private func fault(_ text: String, minimum: Int = 4) -> PINFault? {
        do throws(PINFault) {
            try PINRules(minimumLength: minimum).check(try PIN(text))
            return nil
        } catch { return error }
    }

    @Test("4 to 12 ASCII digits, and nothing that looks like them")
    func form() {
        #expect(throws: PINFault.tooShort(minimum: 4)) { try PIN("493") }
        #expect(throws: PINFault.tooShort(minimum: 4)) { try PIN("") }
        #expect(throws: PINFault.tooLong(maximum: 12)) { try PIN("0493817265501") }
        for text in ["49a8", "4938 ", "-4938", "４９３８", "٤٩٣٨", "4938\u{0}", "4938\u{301}"] {
            #expect(throws: PINFault.malformed) { try PIN(text) }
        }
        #expect(throws: Never.self) { try PIN("4938") }
        #expect(throws: Never.self) { try PIN("049381726550") }
        #expect(throws: Never.self) { try PIN("xx4938xx".dropFirst(2).dropLast(2)) }
    }

    @Test("A new PIN has 6 digits or more unless the app asks for another length")
    func length() {
        #expect(PINRules().minimumLength == 6)
        #expect(fault("49381", minimum: 6) == .tooShort(minimum: 6))
        #expect(fault("493817", minimum: 6) == nil)
        #expect(PINRules(minimumLength: 1).minimumLength == 4)
        #expect(PINRules(minimumLength: 99).minimumLength == 12)
    }

    @Test(
        "The PINs that are tried first are refused",
        arguments: [
            "0000", "1111", "1212", "1122", "7777", "1234", "4321", "0123", "7890", "8901", "2468", "9753", "4545",
            "1990", "2024", "1004", "2580", "5683", "000000", "121212", "123456", "654321", "890123", "135791",
            "147036",
            "123123", "123321", "456123", "112233", "998877", "147258", "159753", "314159", "111222", "12341234",
            "11223344", "12344321", "123456789012", "121314",
        ])
    func common(pin: String) {
        #expect(fault(pin) == .tooCommon)
    }

    @Test(
        "Others are taken", arguments: ["4938", "7302", "1929", "2040", "493817", "802461", "190563", "049381726550"])
    func taken(pin: String) {
        #expect(fault(pin) == nil)
    }

    @Test("Few are refused, so that the rules do not tell what the others are")
    func share() {
        func refused(_ digits: Int, _ range: Range<Int>) -> Int {
            range.count { number in
                let text = String(number)
                return fault(String(repeating: "0", count: digits - text.count) + text) != nil
            }
        }
        let four = refused(4, 0..<10_000)
        #expect(four == 854)
        let six = refused(6, 490_000..<500_000)
        #expect(six < 100)
    }
}
