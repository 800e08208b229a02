/// The settings given as flags, extracted before the subcommand's own options are parsed.
///
/// swift-argument-parser handles the subcommand's options. The flags of the settings come from their declarations, so
/// this type extracts them first: `--port 80` and `--port=80`, anywhere before a lone `--`.
struct SettingFlags: Sendable {
    /// The values by setting name.
    private(set) var values: [String: String] = [:]
    /// The remaining command line.
    var rest: [String] = []

    /// Extracts the flags from a command line.
    ///
    /// - Parameters:
    ///   - arguments: the command line without the program's name.
    ///   - settings: the settings allowed as flags here.
    /// - Throws: `UsageFault` if a flag lacks its value or is given twice: one of two values would be silently ignored.
    init(taking settings: [any DeclaredSetting], from arguments: [String]) throws(UsageFault) {
        let names = Dictionary(
            settings.filter { $0.sources.contains(.flag) }.map { ($0.flag, $0.name) },
            uniquingKeysWith: { first, _ in first })
        var remaining = arguments[...]
        while let argument = remaining.popFirst() {
            if argument == "--" {
                rest.append(argument)
                rest.append(contentsOf: remaining)
                return
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = names[String(parts[0])] else {
                rest.append(argument)
                continue
            }
            let value: String
            if parts.count == 2 {
                value = String(parts[1])
            } else if let next = remaining.popFirst() {
                value = next
            } else {
                throw UsageFault("\(argument) needs a value")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw UsageFault("\(parts[0]) is specified twice")
            }
        }
    }

    init() {}

    /// What people may mean who type an argument after a command that takes every setting.
    static let insteadOfArgument = "--config FILE names the configuration"
}

/// An invalid command line. The program exits with 64, as swift-argument-parser does.
struct UsageFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
