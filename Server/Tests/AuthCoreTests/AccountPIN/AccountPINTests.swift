import Kernel
import SignIn
import Testing
import WalletAuthWire

@Suite("The rules of an account's PIN", .covers("a code or an account PIN is refused for spaces"))
struct AccountPINTests {
    @Test(
        "Six to twelve digits, with the spaces that people put between them, are a PIN",
        arguments: ["804613", "80 46 13", "804613972558"])
    func taken(typed: String) throws {
        #expect(try AccountPIN(typed).digits.reveal() == typed.filter { $0 != " " })
        #expect(try !AccountPIN(typed).isCommon)
    }

    @Test(
        "Digits of any script are the same PIN, and spaces, dashes and invisible characters do not count",
        arguments: [
            "٨٠٤٦١٣", "۸۰۴۶۱۳", "८०४६१३", "\u{FF18}\u{FF10}\u{FF14}\u{FF16}\u{FF11}\u{FF13}", "804\u{2013}613",
            "\u{200E}804\u{A0}613\u{200B}", "8٠4٦1٣",
        ])
    func scripts(typed: String) throws {
        #expect(try AccountPIN(typed) == AccountPIN("804613"))
        #expect(try AccountPIN(typed, repeated: "804613") == AccountPIN("804613"))
    }

    @Test(
        "Whatever is no PIN is refused with its reason",
        arguments: [
            ("", AccountPINFault.malformed), ("      ", .malformed), ("80461a", .malformed), ("80461①", .malformed),
            ("٨٠٤٦١", .tooShort), ("80461\u{0}3", .malformed), ("80461", .tooShort), ("8046139725581", .tooLong),
            (String(repeating: "8", count: 5000), .tooLong),
        ])
    func refused(typed: String, fault: AccountPINFault) {
        #expect(throws: fault) { try AccountPIN(typed) }
    }

    @Test(
        "A new PIN that is typed twice is one, however the two are spaced",
        arguments: [("804613", "804613"), ("804613", "80 46 13"), ("80 46 13", "8046 13")])
    func repeated(typed: String, again: String) throws {
        #expect(try AccountPIN(typed, repeated: again) == AccountPIN("804613"))
    }

    @Test(
        "Two that differ are mistyped before anything else is said of them; the same fault twice is that fault",
        arguments: [
            ("804613", "804631", AccountPINFault.mistyped), ("804613", "", .mistyped), ("804613", "8046130", .mistyped),
            ("80461", "804613", .mistyped), ("80461a", "804613", .mistyped), ("80461", "80461", .tooShort),
            ("80461a", "80461a", .malformed), ("8046139725581", "8046139725581", .tooLong),
        ])
    func mistyped(typed: String, again: String, fault: AccountPINFault) {
        #expect(throws: fault) { try AccountPIN(typed, repeated: again) }
    }

    @Test(
        "Rows, repetitions and what people choose most are common",
        arguments: ["123456", "654321", "111111", "121212", "123123", "112233", "456123", "147258", "159753"])
    func common(typed: String) throws {
        #expect(try AccountPIN(typed).isCommon)
    }

    @Test("Neither printing nor mirroring a PIN shows it")
    func redacted() throws {
        var dumped = ""
        dump(try AccountPIN("804613"), to: &dumped)
        #expect(!"\(try AccountPIN("804613")) \(dumped)".contains("804613"))
    }

    @Test(
        "The account's PIN is knowledge, as the password is: both together are one category, and a device's PIN is another thing"
    )
    func category() {
        #expect(AuthenticationStrength.acr(of: ["pwd", "pin"]) == AuthenticationStrength.singleFactor)
        #expect(AuthenticationStrength.acr(of: ["pin", "otp"]) == AuthenticationStrength.twoFactors)
        #expect(AuthenticationStrength.includeAccountPIN(["pin", "otp"]))
        #expect(!AuthenticationStrength.includeAccountPIN(["pin", "swk"]))
        #expect(!AuthenticationStrength.includeAccountPIN(["pin", "hwk"]))
        #expect(!AuthenticationStrength.includeAccountPIN(["pwd", "otp"]))
    }
}
