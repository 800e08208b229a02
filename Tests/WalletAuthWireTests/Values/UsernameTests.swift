import Foundation
import Testing
import WalletAuthWire

@Suite("Usernames") struct UsernameTests {
    @Test(
        "Spellings that mean the same name become one (PRECIS UsernameCaseMapped)",
        arguments: [
            ("Alice", "alice"), ("ALICE@Example.COM", "alice@example.com"), ("\u{FF21}lice", "alice"),
            ("e\u{301}va", "\u{E9}va"),
            ("ÉVA", "éva"), ("\u{212B}ngström", "ångström"), ("Straße", "straße"), ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
            ("σίσυφος", "σίσυφοσ"),
            ("Юлия", "юлия"),
            ("田中さくら", "田中さくら"), ("김tom", "김tom"), ("משה", "משה"), ("a.b-c_d+e", "a.b-c_d+e"),
        ])
    func mapping(typed: String, stored: String) throws {
        let name = try Username(typed)
        #expect(Array(name.rawValue.utf8) == Array(stored.utf8))
        #expect(try Username(name.rawValue) == name)
    }

    @Test(
        "A name is kept as typed for people, in NFC, and compares by its mapped form",
        arguments: [
            ("Alice", "Alice"), ("\u{FF21}lice ", "\u{FF21}lice"), ("E\u{301}va", "\u{C9}va"), ("σίσυφος", "σίσυφος"),
        ])
    func typed(typed: String, shown: String) throws {
        let name = try Username(typed)
        #expect(Array(name.typed.utf8) == Array(shown.utf8))
        #expect(try name == Username(name.rawValue))
        #expect(Set([name, try Username(name.rawValue)]).count == 1)
        let stored = try JSONDecoder().decode([Username].self, from: JSONEncoder().encode([name]))
        #expect(stored == [name] && stored.map(\.typed) == [name.typed])
    }

    @Test(
        "White space around a name is dropped, whichever it is",
        arguments: [
            " alice", "alice ", "\talice", "alice\r\n", "\u{A0}alice\u{A0}", "\u{3000}alice\u{2009}", "alice\u{2028}",
        ])
    func surroundings(typed: String) throws {
        #expect(try Username(typed) == Username("alice"))
    }

    @Test(
        "Only white space is dropped: nothing that hides at the ends of a name, and no mark on a space",
        arguments: ["alice\u{200B}", "\u{FEFF}alice", "\u{2060}alice", " \u{301}alice", "\u{A0}", "\t \n"])
    func ends(typed: String) { refuse(typed) }

    @Test(
        "Confusable names that mix scripts or kinds of digits are refused", .threat("Password guessing"),
        arguments: ["p\u{430}ypal", "\u{430}lice", "al\u{3B9}ce", "\u{13A0}lice", "alice١", "alice1١", "ａlic\u{435}"])
    func mixtures(text: String) { refuse(text) }

    @Test(
        "Invisible and direction-changing characters are refused",
        arguments: [
            "ali\u{200B}ce", "ali\u{200D}ce", "ali\u{AD}ce", "\u{202E}alice", "alice\u{202C}", "\u{2066}alice",
            "\u{FEFF}alice", "ali\u{34F}ce",
            "alice\u{FE0F}", "ali\u{E0061}ce", "a\u{5D0}", "\u{5D0}a",
        ])
    func invisible(text: String) { refuse(text) }

    @Test(
        "Compatibility characters, symbols, spaces and controls are refused",
        arguments: [
            "", " ", "al ice", "alice\u{0}", "al\u{7F}ice", "al\nice", "al\tice", "al\u{A0}ice", "\u{2460}", "ﬁona",
            "ſam",
            "\u{1D41A}lice", "alice²", "alice😀", "€uro",
            "\u{301}alice", "ali\u{3000}ce", "a\u{2024}b", "\u{FFFD}",
        ])
    func compatibility(text: String) { refuse(text) }

    @Test("A name of more than 254 bytes is refused, also when only mapping makes it that long")
    func length() throws {
        refuse(String(repeating: "a", count: 255))
        _ = try Username(" " + String(repeating: "a", count: 254) + "\t")
        refuse(String(repeating: "\u{130}", count: 126))
    }

    private func refuse(_ text: String) { #expect(throws: MalformedValue.self) { try Username(text) } }
}
