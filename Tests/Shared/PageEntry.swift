import Testing

/// An entry of docs/threat-model.md, docs/coverage.md, docs/psd2.md or docs/conformance.md that a test proves. `scripts/pages` writes the
/// names of the tests into these pages.
struct PageEntry: SuiteTrait, TestTrait {
    let words: [String]
}

extension Trait where Self == PageEntry {
    /// Attacks that the test carries out: a heading of the threat model, or words of one row of its tables.
    static func threat(_ words: String...) -> Self { PageEntry(words: words) }

    /// What the test proves to work: words of one row of the coverage page.
    static func covers(_ words: String...) -> Self { PageEntry(words: words) }

    /// An article of the RTS on strong customer authentication: words of one row of the page on PSD2.
    static func article(_ words: String...) -> Self { PageEntry(words: words) }

    /// Modules of the OpenID Foundation's conformance suite whose expectations the test holds the server to.
    static func conformance(_ modules: String...) -> Self { PageEntry(words: modules) }
}
