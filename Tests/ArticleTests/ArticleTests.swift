import Foundation
import Testing
import WalletAuth

/// Keeps the samples of the documentation honest: what a reader may copy is code that this target compiles.
@Suite(.covers("user messages by key (kUserErrorLoginWithPinDomain …)"))
struct ArticleTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The files whose samples are checked: the articles, the public doc comments, and the pages next to the code.
    private static let documents: [String] =
        ["README.md", "docs/ios.md", "docs/migrating.md"]
        + files(below: "Sources", withExtensions: ["md", "swift"]).filter {
            !$0.hasPrefix("Sources/WalletAuthWire/") || $0.hasSuffix(".md")
        }

    @Test("Every Swift sample that a reader may copy occurs in code that compiles", arguments: documents)
    func compiles(_ document: String) throws {
        let compiled = try Self.files(below: "Tests/ArticleTests/Samples", withExtensions: ["swift"])
            .map { Self.essence(of: try Self.text(of: $0)) }
        for sample in Self.samples(in: try Self.text(of: document)) {
            let essence = Self.essence(of: sample)
            #expect(
                compiled.contains { $0.contains(essence) },
                "\(document) has a sample that is compiled nowhere:\n\(sample)")
        }
    }

    @Test("The samples of every article are looked at")
    func finds() throws {
        for article in ["GettingStarted", "SigningInInTheApp", "BringingYourOwnSignIn", "UsingPasskeys", "Testing"] {
            let path = "Sources/WalletAuth/WalletAuth.docc/\(article).md"
            #expect(Self.documents.contains(path))
            #expect(try !Self.samples(in: Self.text(of: path)).isEmpty, "\(article)")
        }
    }

    @Test("The first lines that a reader copies are a whole program: they bring what they use, on Linux too")
    func wholeProgram() throws {
        for page in ["README.md", "Sources/WalletAuth/WalletAuth.docc/GettingStarted.md"] {
            try checkWholeProgram(page)
        }
    }

    private func checkWholeProgram(_ page: String) throws {
        let sample = try #require(try Self.samples(in: Self.text(of: page)).first)
        #expect(sample.contains("URLRequest("))
        for needed in ["import Foundation\n", "import WalletAuth\n", "import FoundationNetworking"] {
            #expect(sample.contains(needed), "\(page): \(needed)")
        }
    }

    @Test("The article on payments has an answer for each way to approve")
    func waysToApprove() throws {
        let answers = try Self.text(of: "Sources/WalletAuth/WalletAuth.docc/ApprovingPayments.md")
            .split(separator: "\n").filter { $0.hasPrefix("| ") }
        let ways = try Self.text(of: "Sources/WalletAuth/SCA/SCA.swift")
            .matches(of: #/static let (\w+) = Verification/#).map { String($0.output.1) }
        try #require(ways.count > 8)
        for way in ways { #expect(answers.contains { $0.contains("`.\(way)`") }, "\(way)") }
    }

    @Test("The table of errors has a row for each code of the SDK")
    func errorTable() throws {
        let article = try Self.text(of: "Sources/WalletAuth/WalletAuth.docc/HandlingErrors.md")
        let codes = try Self.text(of: "Sources/WalletAuth/Errors/WalletErrorCodes.swift")
            .matches(of: #/static let (\w+): Self/#).map { String($0.output.1) }
        try #require(codes.count > 20)
        for code in codes {
            #expect(article.contains("``WalletError/Code/\(code)``"), "\(code) is not in the table")
        }
    }

    @Test("No refusal in the table of errors falls back to the general sentence, in any language")
    func sentences() throws {
        let article = try Self.text(of: "Sources/WalletAuth/WalletAuth.docc/HandlingErrors.md")
        let codes = Dictionary(
            uniqueKeysWithValues: try Self.text(of: "Sources/WalletAuth/Errors/WalletErrorCodes.swift")
                .matches(of: #/static let (\w+): Self = "(\w+)"/#).map { (String($0.output.1), String($0.output.2)) })
        let messages = UserErrorMessages.builtIn
        func sentence(_ code: String, _ language: String) -> String? {
            messages.text(
                for: WalletError(.init(rawValue: code), .refused, during: .perform, reason: "not shown"),
                languages: [language])
        }
        var seen: Set<String> = []
        for row in article.split(separator: "\n") where row.hasPrefix("| ``WalletError/Code/") {
            let columns = row.split(separator: "|")
            guard columns.count > 1, columns[1].contains("`refused`") else { continue }
            for symbol in columns[0].matches(of: #/Code\/(\w+)``/#).map({ String($0.output.1) }) {
                let code = try #require(codes[symbol], "\(symbol)")
                seen.insert(code)
                for language in UserErrorMessages.builtInLanguages {
                    let said = sentence(code, language)
                    #expect(said != sentence("a_code_that_nobody_knows", language), "\(code) in \(language)")
                    #expect(language == "en" || said != sentence(code, "en"), "\(code) in \(language) is English")
                }
            }
        }
        #expect(seen.count > 80)
    }

    // MARK: Reading

    private static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func files(below folder: String, withExtensions extensions: Set<String>) -> [String] {
        let found = FileManager.default.enumerator(atPath: root.appending(path: folder).path(percentEncoded: false))
        return (found?.compactMap { $0 as? String } ?? [])
            .filter { extensions.contains(URL(filePath: $0).pathExtension) }
            .map { "\(folder)/\($0)" }
            .sorted()
    }

    /// The blocks between "```swift" and "```", in an article or in doc comments.
    private static func samples(in text: String) -> [String] {
        var samples: [String] = []
        var open: (lines: [Substring], isInComment: Bool)?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.trimming(while: \.isWhitespace)
            let isInComment = open?.isInComment ?? content.hasPrefix("///")
            let mark = isInComment ? content.dropFirst(3).trimming(while: \.isWhitespace) : content
            switch (mark, open) {
            case ("```swift", nil): open = ([], isInComment)
            case ("```", let sample?):
                samples.append(sample.lines.joined(separator: "\n"))
                open = nil
            case (_, nil): break
            case (_, .some): open?.lines.append(mark)
            }
        }
        return samples
    }

    /// What two pieces of code have in common that differ in layout and comments only. The `@main` and the imports of a
    /// whole program are left out: a test bundle can have no other entry point, and has its imports at the top.
    private static func essence(of code: String) -> String {
        code.split(separator: "\n")
            .map { $0.trimming(while: \.isWhitespace) }
            .filter { $0 != "@main" && !$0.hasPrefix("import ") && !$0.hasPrefix("#if canImport") && $0 != "#endif" }
            .map { line in line.hasPrefix("//") ? "" : line.firstRange(of: " //").map { line[..<$0.lowerBound] } ?? line
            }
            .joined()
            .filter { !$0.isWhitespace }
    }
}

extension Substring {
    fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> Substring {
        let start = drop(while: isTrimmed)
        guard let end = start.lastIndex(where: { !isTrimmed($0) }) else {
            return start[start.startIndex..<start.startIndex]
        }
        return start[...end]
    }
}
