import Foundation
import Testing

/// Under MemberImportVisibility, a file that imports only the SDK must have every type that the SDK's API names.
@Suite(.covers("one import is not enough under MemberImportVisibility"))
struct WireTypeTests {
    private static let sources = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    @Test(
        "Each type of the wire that public declarations name arrives with their module",
        arguments: [
            ["WalletAuth"], ["WalletAuthVerifier"], ["WalletAuthPIN", "WalletAuth"],
            ["WalletAuthTesting", "WalletAuth"], ["WalletAuthUI", "WalletAuth"], ["NextAuthCompat"],
        ])
    func arrives(modules: [String]) throws {
        let wire = Set(
            try Self.code(of: "WalletAuthWire")
                .matches(of: #/(?m)^public (?:struct|enum|protocol|typealias) (\w+)/#).map { String($0.output.1) })
        try #require(wire.count > 200)
        let exported = Set(
            try modules.flatMap { module in
                try Self.code(of: module)
                    .matches(of: #/@_exported public import \w+ WalletAuthWire\.(\w+)/#).map { String($0.output.1) }
            })
        let code = try Self.code(of: try #require(modules.first))
        let own = Set(
            code.matches(of: #/\b(?:struct|enum|class|actor|protocol|typealias|case) (\w+)/#)
                .map { String($0.output.1) })
        let declarations = Self.publicDeclarations(in: code)
        try #require(!declarations.isEmpty)
        for declaration in declarations {
            // A nested name, as in `SCA.Challenge`, and a label are not those of the wire.
            let named = declaration.matches(of: #/(?:^|[^.\w])([A-Z]\w+)/#).map { String($0.output.1) }
            for name in named where wire.contains(name) && !own.contains(name) {
                #expect(exported.contains(name), "\(modules[0]) names \(name) in: \(declaration)")
            }
        }
    }

    /// The lines that begin with `public`, each with those up to its last parenthesis, without bodies.
    private static func publicDeclarations(in code: String) -> [String] {
        var declarations: [String] = []
        var open = 0
        for line in code.split(separator: "\n") {
            let content = line.drop(while: \.isWhitespace).prefix { $0 != "{" }
            if open > 0 {
                declarations.append((declarations.popLast() ?? "") + " " + content)
            } else if content.hasPrefix("public "), !content.hasPrefix("public import ") {
                declarations.append(String(content))
            } else {
                continue
            }
            open += line.filter { $0 == "(" }.count - line.filter { $0 == ")" }.count
        }
        return declarations
    }

    /// The code of a module without its comments.
    private static func code(of module: String) throws -> String {
        let folder = sources.appending(path: module)
        let files = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))
        return try (files?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".swift") }
            .sorted()
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
            .joined(separator: "\n\n")
            .split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
            .joined(separator: "\n")
    }
}
