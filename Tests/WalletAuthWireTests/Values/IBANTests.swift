import Testing
import WalletAuthWire

@Suite("International bank account numbers")
struct IBANTests {
    @Test(
        "The registry's own examples are taken, also as they are printed",
        arguments: [
            ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
            ("GB29NWBK60161331926819", "GB29NWBK60161331926819"),
            ("nl91 abna 0417 1643 00", "NL91ABNA0417164300"), ("BG80BNBG96611020345678", "BG80BNBG96611020345678"),
            ("NO9386011117947", "NO9386011117947"),
            ("MT84MALT011000012345MTLCAST001S", "MT84MALT011000012345MTLCAST001S"),
            ("DE02120300000000202051", "DE02120300000000202051"),
            ("DE02\u{A0}1203\u{202F}0000\u{2009}0000 2020 51", "DE02120300000000202051"),
        ])
    func right(text: String, number: String) throws {
        #expect(try IBAN(text).rawValue == number)
        #expect(IBAN.isMeant(by: text))
    }

    @Test(
        "A wrong character, two that changed places, another length and an unknown country are different faults",
        arguments: [
            ("DE89370400440532013001", "check digits"), ("DE89370400440532013000"[...].replacingTwo, "check digits"),
            ("DE8937040044053201300", "has 21 characters, and those of DE have 22"),
            ("XX89370400440532013000", "begins with XX"),
            ("DE8A370400440532013000", "check digits, and letters"), ("DE89-3704", "letters and digits"),
            ("", "country"), ("\u{131}S140159260076545510730339", "country"),
        ])
    func wrong(text: String, told: String) {
        let fault = #expect(throws: MalformedValue.self) { try IBAN(text) }
        #expect(fault?.reason.contains(told) == true, "\(fault?.reason ?? "")")
    }

    @Test("A wallet's own account is not meant to be one")
    func others() {
        for text in ["W123456789012345", "", "D", "12345678"] { #expect(!IBAN.isMeant(by: text)) }
    }
}

extension Substring {
    /// Two neighbours changed places.
    fileprivate var replacingTwo: String {
        var letters = Array(self)
        letters.swapAt(6, 7)
        return String(letters)
    }
}
