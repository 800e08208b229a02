/// The help of a command as swift-argument-parser writes it, with what a command cannot do without in front of everything else.
package enum CommandHelp {
    /// The heading of the options that a command needs.
    private static let heading = "REQUIRED:"

    /// The help with required options first: in the usage line, and in a list of their own before all others. Any other text as it
    /// is.
    package static func requiredFirst(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: ") else { return text }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let index = lines.firstIndex(where: { $0.hasPrefix("USAGE: ") }) else { return text }
        let usage = Usage(lines[index])
        guard !usage.requiredOptions.isEmpty else { return text }
        lines[index] = usage.line
        let entries = usage.requiredOptions.flatMap { removeEntry($0, from: &lines) }
        // After the usage and its empty line.
        lines.insert(contentsOf: [heading] + entries + [""], at: index + 2)
        return lines.joined(separator: "\n")
    }

    /// Removes the entry of an option: its line, and the deeper ones below it. Its section goes with its last entry.
    private static func removeEntry(_ name: String, from lines: inout [String]) -> [String] {
        guard let start = lines.firstIndex(where: { isEntry($0) && names(of: $0).contains(name) }) else { return [] }
        let end = lines[(start + 1)...].firstIndex { !$0.hasPrefix("   ") } ?? lines.endIndex
        let entry = Array(lines[start..<end])
        lines.removeSubrange(start..<end)
        if lines[start - 1].hasSuffix(":"), start == lines.endIndex || lines[start].isEmpty {
            lines.removeSubrange((start - 1)...min(start, lines.endIndex - 1))
        }
        return entry
    }

    private static func isEntry(_ line: String) -> Bool { line.hasPrefix("  -") }

    /// `-X` and `--request` of `  -X, --request <method>   The method.`
    private static func names(of line: String) -> [String] {
        line.split(separator: " ").prefix { $0.hasPrefix("-") }.map {
            $0.hasSuffix(",") ? String($0.dropLast()) : String($0)
        }
    }
}

/// A usage line in its parts.
private struct Usage {
    /// `USAGE:` and the words of the command.
    private var command: [String] = []
    /// Each with its value: `--name <name>`.
    private var required: [String] = []
    /// What need not be given, and arguments, in the parser's order.
    private var others: [String] = []

    var requiredOptions: [String] { required.compactMap { $0.split(separator: " ").first.map(String.init) } }

    var line: String { (command + required + others).joined(separator: " ") }

    init(_ line: String) {
        var words = line.split(separator: " ").map(String.init)[...]
        command = Array(words.prefix { !"-<[".contains($0.prefix(1)) })
        words = words.dropFirst(command.count)
        while let first = words.popFirst() {
            var part = [first]
            func take(_ isNext: (String) -> Bool) {
                while let next = words.first, isNext(next) {
                    part.append(next)
                    words.removeFirst()
                }
            }
            if first.hasPrefix("[") {
                // As far as the bracket that closes it.
                func isOpen() -> Bool {
                    let text = part.joined()
                    return text.count { $0 == "[" } > text.count { $0 == "]" }
                }
                take { _ in isOpen() }
            } else {
                take { ($0.hasPrefix("<") && first.hasPrefix("-") && part.count == 1) || $0 == "..." }
            }
            if first.hasPrefix("-") {
                required.append(part.joined(separator: " "))
            } else {
                others.append(part.joined(separator: " "))
            }
        }
    }
}
