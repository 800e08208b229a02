import Testing
import WalletAuthWire

@Suite("What a misspelled name was meant to be")
struct SpellingTests {
    private static let settings = ["issuer", "database", "port", "host", "log.format", "log.level", "masterKey.file"]

    @Test(
        "A letter too few, too many, wrong, swapped or of the other case: the name that was meant is found",
        arguments: [
            ("isuer", "issuer"), ("issuerr", "issuer"), ("issuar", "issuer"), ("prot", "port"), ("databse", "database"),
            ("log.formatt", "log.format"), ("lgo.lvel", "log.level"), ("masterkey.file", "masterKey.file"),
        ])
    func found(_ typed: String, _ meant: String) {
        #expect(Spelling.correction(of: typed, among: Self.settings) == meant)
    }

    @Test("Another word gets no suggestion", arguments: ["", "foo", "p", "pear", "logging", "databases.all"])
    func other(_ typed: String) {
        #expect(Spelling.correction(of: typed, among: Self.settings) == nil)
    }

    @Test("A long name is compared with none", .timeLimit(.minutes(1)))
    func long() {
        let (typed, known) = (String(repeating: "a", count: 200_000), String(repeating: "b", count: 50_000))
        #expect(Spelling.correction(of: typed, among: Self.settings + [known]) == nil)
    }

    @Test("Edits are counted, a swap of neighbors as one, and case as none")
    func edits() {
        #expect(Spelling.edits(from: "opneid", to: "openid") == 1)
        #expect(Spelling.edits(from: "OpenID", to: "openid") == 0)
        #expect(Spelling.edits(from: "", to: "abc") == 3)
    }

    @Test("Of names that are equally close the first by the alphabet is suggested, whatever their order")
    func ties() {
        #expect(Spelling.correction(of: "tast", among: ["test", "task"]) == "task")
        #expect(Spelling.correction(of: "tast", among: ["task", "test"]) == "task")
    }
}
