import Testing
import WalletAuthWire

@Suite("Currencies of ISO 4217", .threat("Text that deceives")) struct CurrencyTests {
    @Test(
        "The active codes have the minor units of the list",
        arguments: [
            ("EUR", 2), ("USD", 2), ("JPY", 0), ("KRW", 0), ("XAF", 0), ("UYI", 0), ("BHD", 3), ("KWD", 3), ("TND", 3),
            ("CLF", 4), ("UYW", 4), ("XCD", 2), ("XCG", 2), ("SLE", 2), ("ZWG", 2), ("MRU", 2),
        ])
    func minorUnits(code: String, digits: Int) throws {
        let currency = try Currency(code)
        #expect(currency.minorUnitDigits == digits)
        #expect(currency.isActive)
    }

    @Test(
        "attack: a code that is not a currency has no minor unit to show an amount in",
        arguments: [
            "ZZZ", "XXX", "XTS", "XAU", "XAG", "XPT", "XPD", "XBA", "XBB", "XBC", "XBD", "XDR", "XSU", "XUA", "BTC",
            "AAA",
            // Withdrawn: Bulgaria and Croatia have the euro, the others were replaced.
            "BGN", "HRK", "ANG", "CUC", "SLL", "ZWL", "DEM", "VEF",
        ])
    func none(code: String) throws {
        let refused = #expect(throws: MalformedValue.self) { try Currency(code) }
        #expect(refused?.reason.contains("ISO 4217") == true)
        // A record may be older than the list.
        #expect(try Currency(recorded: code).rawValue == code)
    }

    @Test(
        "What is not three upper-case letters is no recorded currency either",
        arguments: ["", "EU", "eur", "EURO", "ЕUR"])
    func malformed(code: String) {
        #expect(throws: MalformedValue.self) { try Currency(recorded: code) }
        #expect(throws: MalformedValue.self) { try Currency(code) }
    }
}
