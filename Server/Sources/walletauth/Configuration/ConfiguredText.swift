import Configuration
import OneLineText

/// What is configured, as text: flags before the environment before the YAML file.
struct ConfiguredText {
    private let reader: ConfigReader
    private let flags: SettingFlags
    private let variables: [String: String]
    private let file: ConfigurationFile?
    /// The environment variables that look like settings of this program and are none.
    let unknownVariables: [String]

    /// Reads the sources.
    ///
    /// - Parameters:
    ///   - flags: The settings given as flags.
    ///   - environment: The process's environment variables.
    ///   - faults: Takes a file that cannot be read and keys in it that are no settings.
    init(flags: SettingFlags, environment: [String: String], faults: inout [Fault]) {
        let variables = environment.filter { $0.key.hasPrefix("WALLETAUTH_") && !$0.value.isEmpty }
        let known = Set(Settings.all.filter { $0.sources.contains(.environment) }.map(\.environmentVariable))
        unknownVariables = variables.keys.filter { !known.contains($0) }.sorted()
        self.flags = flags
        self.variables = variables.filter { known.contains($0.key) }

        let environmentProvider = EnvironmentVariablesProvider(
            environmentVariables: Dictionary(
                uniqueKeysWithValues: self.variables.map { (String($0.key.dropFirst("WALLETAUTH_".count)), $0.value) }),
            secretsSpecifier: .specific(
                Set(
                    Settings.all.filter { $0.sources == .environment }.map {
                        String($0.environmentVariable.dropFirst("WALLETAUTH_".count))
                    })))
        let early: [any ConfigProvider] = [Self.provider("flags", flags.values), environmentProvider]
        let path = ConfigReader(providers: early).string(forKey: ConfigKey(Settings.config.name))
        file = path.map(ConfigurationFile.init)
        faults += file?.faults ?? []
        reader = ConfigReader(
            providers: early + [Self.provider("file", file?.entries?.mapValues(\.text) ?? [:])])
    }

    private static func provider(_ name: String, _ values: [String: String]) -> InMemoryProvider {
        InMemoryProvider(
            name: name,
            values: Dictionary(
                uniqueKeysWithValues: values.map { name, value in
                    (AbsoluteConfigKey(ConfigKey(name)), ConfigValue(.string(value), isSecret: false))
                }))
    }

    /// Whether every source could be read: where the file could not, what it would have said is unknown, and nothing may
    /// be called missing.
    var isWhole: Bool { file == nil || file?.entries != nil }

    /// The text configured for a setting; a list's elements joined by commas.
    func text(of setting: some DeclaredSetting) -> String? {
        reader.string(forKey: ConfigKey(setting.name), isSecret: setting.sources == .environment)
    }

    /// Whether anything is configured for a setting, also what does not fit.
    func isGiven(_ setting: some DeclaredSetting) -> Bool { text(of: setting) != nil }

    /// Whether it is the file that says a setting.
    func isInFile(_ setting: some DeclaredSetting) -> Bool {
        flags.values[setting.name] == nil && variables[setting.environmentVariable] == nil
            && file?.entries?[setting.name] != nil
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
                    problem: "\(origin(of: setting))\(shown) does not fit", remedy: "Give it as \(error.expected)"))
            return nil
        }
    }

    /// How a message names what is configured for a setting: as the operator wrote it.
    func origin(of setting: some DeclaredSetting) -> String {
        if flags.values[setting.name] != nil { return setting.flag }
        if variables[setting.environmentVariable] != nil { return setting.environmentVariable }
        guard let file, let entry = file.entries?[setting.name] else { return setting.name }
        return file.path + (entry.line.map { " line \($0)" } ?? "") + ": " + setting.name
    }
}

extension DeclaredSetting {
    /// How a message names the setting: by its flag, or by its variable where it has no flag.
    var flagOrVariable: String {
        sources.contains(.flag) ? flag : environmentVariable
    }
}
