import AuthCore
import Testing

@testable import AuthHTTP

@Suite("The words of the page on which a person agrees")
struct ConsentTextTests {
    @Test("Every language says everything of what is agreed to, in words of its own", arguments: Language.allCases)
    func complete(language: Language) {
        func sentences(_ text: ConsentText) -> [String: String] {
            Dictionary(
                uniqueKeysWithValues: Mirror(reflecting: text).children.map { ($0.label ?? "", "\($0.value)") })
        }
        let english = sentences(.english)
        for (label, sentence) in sentences(language.consentText) {
            #expect(!sentence.isEmpty)
            let names = Set(sentence.matches(of: /\{[a-z]+\}/).map(\.output))
            #expect(names == Set((english[label] ?? "").matches(of: /\{[a-z]+\}/).map(\.output)), "\(label)")
            #expect(language == .english || sentence != english[label], "\(label)")
        }
    }
}
