import Testing
import WalletAuthWire

@Suite("New names that are shown to people", .threat("Text that deceives")) struct ShownTextTests {
    private static let illegible = [
        "Anna’s phone\u{2028}Support: call 0900", "a\u{2029}b", "\u{2800}", "\u{3000}\u{200D}", "\u{301}a",
        "a\u{301}\u{302}\u{303}", "a\u{20DD}",
    ]

    private func renaming(_ name: String) throws -> DeviceRenaming {
        var object = JSONObject()
        object["name"] = .string(name)
        return try DeviceRenaming(object)
    }

    @Test("A new name with a line break, with nothing visible, or that draws over its neighbors is refused")
    func refused() {
        for name in Self.illegible {
            #expect(ShownText.fault(in: name) != nil)
            #expect(throws: MalformedValue.self) { try renaming(name) }
        }
    }

    @Test("Accents, other scripts and emoji are no fault", arguments: ["Jürgens Handy", "Телефон", "का फ़ोन", "👩‍🔬’s 📱"])
    func accepted(name: String) throws {
        #expect(ShownText.fault(in: name) == nil)
        #expect(try renaming(name).name.rawValue == name)
    }

    @Test("A name from before a rule stays readable")
    func earlier() throws {
        let name = try DeviceName("Anna’s phone\u{2028}at home")
        #expect(name.rawValue.unicodeScalars.contains("\u{2028}"))
    }
}
