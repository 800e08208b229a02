/// The settings given as flags, taken out of a command line before the subcommand's own options are read.
///
/// The subcommands' options are swift-argument-parser's; the settings' flags come from their one declaration, so they
/// are taken out first: `--port 80` and `--port=80`, anywhere before a lone `--`.
struct SettingFlags: Sendable {
    /// The values by the setting's name.
    private(set) var values: [String: String] = [:]
    /// The command line without them.
    private(set) var rest: [String] = []

    /// Takes the flags out of a command line.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the program's name.
    ///   - settings: The settings that may be given as flags here.
    /// - Throws: `UsageFault` where a flag lacks its value or is given twice: of two values one would be ignored in
    ///   silence.
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
                throw UsageFault("\(parts[0]) is given twice")
            }
        }
    }

    /// No flags at all.
    init() {}
}

/// A command line that cannot be understood; the program exits with 64, as swift-argument-parser does.
struct UsageFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
