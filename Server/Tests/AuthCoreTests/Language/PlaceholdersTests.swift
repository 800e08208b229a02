import Testing

@testable import Core

@Suite("The placeholders of a text")
struct PlaceholdersTests {
    @Test("A value that looks like a placeholder is not filled in again")
    func values() {
        #expect(
            Placeholders.fill("to {client} at {host}", with: ["client": "{host}", "host": "example.com"])
                == "to {host} at example.com")
        #expect(Placeholders.fill("{unknown} {", with: [:]) == "{unknown} {")
    }
}
