import Core
import Kernel
import Testing

@testable import AppleStandIn
@testable import Consent
@testable import Operations
@testable import SignIn
@testable import Transactions
@testable import Web

@Suite("The catalogs of texts")
struct TextCatalogTests {
    /// `scripts/check-lists` checks that none is missing.
    private static let keys: [any TextKey.Type] = [
        AccountPINText.self, AccountText.self, ActivityDetailText.self, ActivityPaymentText.self, ActivityText.self,
        AppleStandInText.self, BackchannelText.self,
        ClientConsentText.self, ConsentText.self, DeviceGrantText.self,
        MessageWording.self,
        MonthName.self, NamedOperationType.self, OwnAccountPageText.self, PageText.self, PasskeyText.self,
        ProviderText.self,
        RegistrationText.self, ConsoleText.self, ConsoleEventText.self, ConsoleMemberText.self,
        SandboxText.self, ScanSignInText.self, SecretQuestion.self, TransactionText.self,
    ]

    /// The keys that the program asks for, by section.
    private static var asked: [String: Set<String>] {
        func names<Key: TextKey>(of _: Key.Type) -> Set<String> { Set(Key.allCases.map(\.rawValue)) }
        let parts = Set(MessageText.Part.allCases.map(\.rawValue))
        return Dictionary(
            uniqueKeysWithValues: keys.map { ($0.section, names(of: $0)) }
                + MessageCatalog.flowKinds.map { (MessageText.section(of: $0.rawValue), parts) })
    }

    private static func placeholders(of text: String) -> Set<Substring> {
        Set(text.matches(of: /\{[a-z_]+\}/).map(\.output))
    }

    @Test("Each language has exactly the keys that the program asks for", arguments: Language.allCases)
    func keys(language: Language) throws {
        let catalog = try TextCatalog(parsing: TextCatalog.file(of: language))
        let found = catalog.sections.mapValues { Set($0.keys) }
        for section in Set(found.keys).union(Self.asked.keys) {
            let (has, needs) = (found[section, default: []], Self.asked[section, default: []])
            #expect(needs.subtracting(has).isEmpty, "\(section) lacks texts")
            #expect(has.subtracting(needs).isEmpty, "\(section) has texts that nothing asks for")
        }
    }

    @Test("A text has the placeholders of the English one, and no space at its ends", arguments: Language.allCases)
    func placeholders(language: Language) {
        let english = TextCatalog.of(.english)
        for (section, texts) in TextCatalog.of(language).sections {
            for (key, text) in texts {
                #expect(!text.isEmpty && text.first?.isWhitespace == false && text.last?.isWhitespace == false)
                let expected = Self.placeholders(of: english.sections[section]?[key] ?? "")
                #expect(Self.placeholders(of: text) == expected, "\(section).\(key)")
                let rest = text.replacing(/\{[a-z_]+\}/, with: "")
                #expect(!rest.contains("{") && !rest.contains("}"), "\(section).\(key)")
            }
        }
    }

    @Test("A language says what is agreed to in words of its own, and nearly everything else")
    func ownWords() {
        let english = TextCatalog.of(.english).sections
        for language in Language.allCases where language != .english {
            let sections = TextCatalog.of(language).sections
            let same = sections.flatMap { section, texts in
                texts.filter { $0.value == english[section]?[$0.key] }.map { "\(section).\($0.key)" }
            }
            #expect(same.count < 30, "\(language): \(same)")
            #expect(
                !same.contains { $0.hasPrefix("consent.") || $0.hasPrefix("clientConsent.") }, "\(language): \(same)")
        }
    }

    @Test("A text without a key in the catalog shows the key")
    func missing() {
        enum Unwritten: String, TextKey {
            static let section = "pages"

            case neverWritten
        }
        #expect(Language.german.texts()[Unwritten.neverWritten] == "neverWritten")
    }

    @Test(
        "A file with anything but texts in sections is refused",
        arguments: ["", "[]", #"{"pages":{"a":1}}"#, #"{"pages":{"a":"x","a":"y"}}"#, #"{"pages":["a"]}"#])
    func malformed(file: String) {
        #expect(throws: (any Error).self) { try TextCatalog(parsing: Array(file.utf8)) }
    }
}
