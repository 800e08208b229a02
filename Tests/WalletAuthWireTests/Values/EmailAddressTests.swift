import Foundation
import Testing

@testable import WalletAuthWire

@Suite("E-mail addresses") struct EmailAddressTests {
    @Test(
        "An address is kept as typed, and sent as SMTP takes it",
        arguments: [
            ("ada@example.com", "ada@example.com"), (" Ada.Lovelace+x@Example.COM\u{A0}", "Ada.Lovelace+x@Example.COM"),
            ("o'hara/{x}@mail-1.example.co.uk", "o'hara/{x}@mail-1.example.co.uk"),
            ("a..b@docomo.ne.jp", "\"a..b\"@docomo.ne.jp"), ("abc.@a2.ezweb.ne.jp", "\"abc.\"@a2.ezweb.ne.jp"),
            (".abc@au.com", "\".abc\"@au.com"), ("ada@bücher.example", "ada@xn--bcher-kva.example"),
            ("ada@BÜCHER.Example", "ada@xn--bcher-kva.example"), ("ada@faß.de", "ada@xn--fa-hia.de"),
            ("ada@日本語。ｊｐ", "ada@xn--wgv71a119e.jp"), ("ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"),
            ("ада@пример.бг", "ада@xn--e1afmkfd.xn--90ae"), ("ada@paral·lel.cat", "ada@xn--parallel-koa.cat"),
        ])
    func accepted(typed: String, sent: String) throws {
        let address = try EmailAddress(typed)
        #expect(address.rawValue == TypedText.trimmed(typed))
        #expect(address.addrSpec == sent)
        #expect(try EmailAddress(address.rawValue) == address)
    }

    @Test("Only letters outside ASCII before the @ need SMTPUTF8")
    func internationalMail() throws {
        #expect(try EmailAddress("ада@example.com").needsSMTPUTF8)
        #expect(try !EmailAddress("ada@пример.бг").needsSMTPUTF8)
    }

    @Test(
        "An address that no server could be asked to deliver to is refused",
        arguments: [
            "", " ", "ada", "ada@", "@example.com", "a@b@c.example", "ada@example..com", "ada@.example.com",
            "ada@example.com.", "ada@localhost", "ada@192.0.2.1", "ada@[192.0.2.1]", "ada@-example.com",
            "ada@example-.com", "ada@exa_mple.com", "ada@👍.example", "ada@℀.example", "ada@ex\u{200D}ample.com",
            "a..b@example.com", "a.@example.com", ".a@example.com", "a..b@docomo.ne.jp.example.com",
        ])
    func undeliverable(text: String) { #expect(throws: MalformedValue.self) { try EmailAddress(text) } }

    @Test(
        "Command and header injection: an address holds nothing that ends a line, an address or a quotation",
        arguments: [
            "ada@example.com\r\nBcc: eve@example.com", "a\nb@example.com", "ada>@example.com", "a b@example.com",
            "\"a b\"@example.com", "a\"..b@docomo.ne.jp", "a\\..b@docomo.ne.jp", "a,b@example.com", "a;b@example.com",
            "a(b)@example.com", "ada@\u{202E}example.com", "a\u{0}b@example.com", "a\u{2028}b@example.com",
        ])
    func injection(text: String) { #expect(throws: MalformedValue.self) { try EmailAddress(text) } }

    @Test(
        "attack: an invisible character makes an address that looks like another person's",
        .threat("Messages read or forged in transit"),
        arguments: [
            "ad\u{34F}a@example.com", "ada\u{FE0F}@example.com", "ada\u{3164}@example.com", "ada\u{200B}@example.com",
            "\u{115F}ada@example.com", "ada@exam\u{34F}ple.com", "ada@例\u{FE00}.example",
        ])
    func invisible(text: String) { #expect(throws: MalformedValue.self) { try EmailAddress(text) } }

    @Test("The limits of SMTP are those of the form that is sent: quotation marks and A-labels count")
    func length() throws {
        func text(_ count: Int) -> String { String(repeating: "a", count: count) }
        _ = try EmailAddress("\(text(64))@example.com")
        #expect(throws: MalformedValue.self) { try EmailAddress("\(text(65))@example.com") }
        _ = try EmailAddress("\(text(61)).@docomo.ne.jp")
        #expect(throws: MalformedValue.self) { try EmailAddress("\(text(62)).@docomo.ne.jp") }
        _ = try EmailAddress("ada@\(text(63)).example")
        #expect(throws: MalformedValue.self) { try EmailAddress("ada@\(text(64)).example") }
        #expect(throws: MalformedValue.self) { try EmailAddress("ada@\(text(60))é.example") }
        let domain = [text(63), text(63), text(63), text(51), "example"].joined(separator: ".")
        _ = try EmailAddress("a@" + domain)
        #expect(throws: MalformedValue.self) { try EmailAddress("abcd@" + domain) }
    }

    @Test(
        "Labels are encoded like the samples of RFC 3492 §7.1",
        arguments: [
            ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
            ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
            ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
            ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
            ("यहलोगहिन्दीक्योंनहींबोलसकतेहैं", "i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd"),
            ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
            (
                "세계의모든사람들이한국어를이해한다면얼마나좋을까",
                "989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c"
            ),
            ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
            ("PorquénopuedensimplementehablarenEspañol", "PorqunopuedensimplementehablarenEspaol-fmd56a"),
            ("TạisaohọkhôngthểchỉnóitiếngViệt", "TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g"),
            ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
            ("安室奈美恵-with-SUPER-MONKEYS", "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"),
            ("Hello-Another-Way-それぞれの場所", "Hello-Another-Way--fc4qua05auwb3674vfr0b"),
            ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"), ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"),
            ("パフィーdeルンバ", "de-jg4avhby1noc0d"), ("そのスピードで", "d9juau41awczczp"),
            ("-> $1.00 <-", "-> $1.00 <--"),
        ])
    func punycode(label: String, encoded: String) {
        #expect(Punycode.encode(label.precomposedStringWithCanonicalMapping) == encoded)
    }
}
