import Configuration
import Yams

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is configured, as text: flags before the environment before the YAML file.
struct ConfiguredText {
    private let reader: ConfigReader
    /// The path of the YAML file that was read.
    let filePath: String?
    /// The environment variables that look like settings of this program and are none.
    let unknownVariables: [String]

    /// Reads the sources.
    ///
    /// - Parameters:
    ///   - flags: The settings given as flags.
    ///   - environment: The process's environment variables.
    ///   - faults: Takes a file that cannot be read and keys in it that are no settings.
    init(flags: SettingFlags, environment: [String: String], faults: inout [Fault]) async {
        let variables = environment.filter { $0.key.hasPrefix("WALLETAUTH_") && !$0.value.isEmpty }
        let known = Set(Settings.all.filter { $0.sources.contains(.environment) }.map(\.environmentVariable))
        unknownVariables = variables.keys.filter { !known.contains($0) }.sorted()

        let flagProvider = InMemoryProvider(
            name: "flags",
            values: Dictionary(
                uniqueKeysWithValues: flags.values.map { name, value in
                    (AbsoluteConfigKey(ConfigKey(name)), ConfigValue(.string(value), isSecret: false))
                }))
        let environmentProvider = EnvironmentVariablesProvider(
            environmentVariables: Dictionary(
                uniqueKeysWithValues: variables.filter { known.contains($0.key) }
                    .map { (String($0.key.dropFirst("WALLETAUTH_".count)), $0.value) }),
            secretsSpecifier: .specific(["MASTER_KEY"]))

        let early = ConfigReader(providers: [flagProvider, environmentProvider])
        let path = early.string(forKey: ConfigKey(Settings.config.name))
        filePath = path
        guard let path, let file = await Self.file(path, faults: &faults) else {
            reader = early
            return
        }
        reader = ConfigReader(providers: [flagProvider, environmentProvider, file])
    }

    /// The text configured for a setting; a list's elements joined by commas.
    func text(of setting: some DeclaredSetting) -> String? {
        let key = ConfigKey(setting.name)
        // A YAML sequence is no string and a YAML scalar no sequence: each lookup answers nil for the other.
        let isSecret = setting.sources == .environment
        return reader.string(forKey: key, isSecret: isSecret)
            ?? reader.stringArray(forKey: key, isSecret: isSecret)?.joined(separator: ",")
    }

    /// The value of a setting.
    ///
    /// - Returns: Nil where nothing is configured, or where what is configured does not fit; that adds a fault.
    func value<Value>(of setting: Setting<Value>, faults: inout [Fault]) -> Value? {
        guard let text = text(of: setting) else { return nil }
        do {
            return try setting.parse(text)
        } catch {
            let shown = setting.sources == .environment ? "" : " \"\(text.prefix(80).escapedForOneLine)\""
            faults.append(
                Fault(
                    problem: "\(setting.name)\(shown) does not fit",
                    remedy: "Give \(setting.flagOrVariable) as \(error.expected)"))
            return nil
        }
    }

    private static func file(_ path: String, faults: inout [Fault]) async -> FileProvider<YAMLSnapshot>? {
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            guard let root = try Yams.compose(yaml: String(decoding: data, as: UTF8.self)) else { return nil }
            faults += unknownKeys(in: root, path: path)
            let location = ConfigReader(provider: InMemoryProvider(values: ["filePath": .init(stringLiteral: path)]))
            return try await FileProvider<YAMLSnapshot>(config: location)
        } catch {
            faults.append(
                Fault(
                    problem: "the configuration file \(path) cannot be used: \("\(error)".escapedForOneLine)",
                    remedy: "Mend the file, or leave out --config"))
            return nil
        }
    }

    /// A key that is no setting is a mistake in typing, and what it was meant to switch on would be off in silence.
    private static func unknownKeys(in root: Node, path: String) -> [Fault] {
        let known = Set(Settings.all.filter { $0.sources.contains(.file) }.map(\.name))
        var faults: [Fault] = []
        func visit(_ node: Node, under prefix: [String]) {
            guard case .mapping(let mapping) = node else {
                let name = prefix.joined(separator: ".")
                guard known.contains(name) else {
                    let line = node.mark.map { " line \($0.line)" } ?? ""
                    faults.append(
                        Fault(
                            problem: "\(path)\(line): there is no setting \"\(name.escapedForOneLine)\" for the file",
                            remedy: "See `walletauth configuration` for the settings and their spelling"))
                    return
                }
                return
            }
            for (key, value) in mapping {
                visit(value, under: prefix + [key.string ?? "?"])
            }
        }
        visit(root, under: [])
        return faults
    }
}

extension DeclaredSetting {
    /// How a message names the setting: by its flag, or by its variable where it has no flag.
    var flagOrVariable: String {
        sources.contains(.flag) ? flag : environmentVariable
    }
}

extension StringProtocol {
    /// The text on one line, without control characters: what comes from outside must not forge a log line.
    var escapedForOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) ? " " : $0 }))
    }
}
