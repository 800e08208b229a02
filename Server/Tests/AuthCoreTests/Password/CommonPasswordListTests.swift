import Testing

@testable import SignIn

@Suite("The bundled list of common passwords")
struct CommonPasswordListTests {
    private var entries: [String] {
        String(decoding: CommonPasswordList.file, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("Each of its entries is found, the first and the last among them")
    func everyEntry() {
        let entries = entries
        #expect(entries.count > 10_000)
        let missing = entries.filter { !CommonPasswordList.contains($0) }
        #expect(missing == [])
    }

    @Test("It is in order, in lower case, and holds none that is too short to be chosen")
    func order() {
        let entries = entries
        #expect(zip(entries, entries.dropFirst()).allSatisfy { Array($0.utf8).lexicographicallyPrecedes($1.utf8) })
        #expect(entries.allSatisfy { $0 == $0.lowercased() && $0.utf8.count >= PasswordRules.length.lowerBound })
    }

    @Test(
        "What is not an entry is not found: a piece of one, two of them, or what lies before, behind and between",
        arguments: [
            "", " ", "!", "~~~~~~~~~~", "baseball1234567x", "baseball baseball1", "basebal", "\u{ff}\u{ff}", "a\nb",
        ])
    func others(password: String) {
        #expect(!CommonPasswordList.contains(password))
    }
}
