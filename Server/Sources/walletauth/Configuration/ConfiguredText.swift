import Programs

/// The configuration as text. Flags take precedence over the environment, which takes precedence over the YAML file.
struct ConfiguredText {
    private let flags: SettingFlags
    private let variables: [String: String]
    private let file: ConfigurationFile?
    /// Environment variables that look like settings of this program but are not.
    let unknownVariables: [String]

    /// Reads the sources.
    ///
    /// - Parameter faults: receives an unreadable file, and unknown keys in it.
    init(flags: SettingFlags, environment: [String: String], faults: inout [Fault]) {
        let variables = environment.filter { $0.key.hasPrefix("WALLETAUTH_") && !$0.value.isEmpty }
        let known = Set(Settings.all.filter { $0.sources.contains(.environment) }.map(\.environmentVariable))
        unknownVariables = variables.keys.filter { !known.contains($0) }.sorted()
        self.flags = flags
        self.variables = variables.filter { known.contains($0.key) }

        file = (flags.values[Settings.config.name] ?? self.variables[Settings.config.environmentVariable])
            .map(ConfigurationFile.init)
        faults += file?.faults ?? []
    }

    /// Whether all sources were readable. If the file was not, its settings are unknown, and no setting may be called
    /// missing.
    var isWhole: Bool { file == nil || file?.entries != nil }

    /// The configured text of a setting. The elements of a list are joined by commas.
    func text(of setting: some DeclaredSetting) -> String? {
        flags.values[setting.name] ?? variables[setting.environmentVariable] ?? file?.entries?[setting.name]?.text
    }

    /// Whether a setting has any text, even an invalid one.
    func isGiven(_ setting: some DeclaredSetting) -> Bool { text(of: setting) != nil }

    /// Whether a setting comes from the file.
    func isInFile(_ setting: some DeclaredSetting) -> Bool {
        flags.values[setting.name] == nil && variables[setting.environmentVariable] == nil
            && file?.entries?[setting.name] != nil
    }

    /// The value of a setting.
    ///
    /// - Returns: the default if the setting is not configured, or if its text is invalid, which adds a fault.
    func value<Value>(of setting: Setting<Value>, faults: inout [Fault]) -> Value {
        guard let text = text(of: setting) else { return setting.defaultValue }
        if setting.isPath, text.contains("PRIVATE KEY-----") {
            faults.add(
                "\(origin(of: setting)) is the key itself, but must be the path of a file",
                "Save the key in a file that only its owner can read, and write its path here")
            return setting.defaultValue
        }
        do {
            return try setting.parse(text)
        } catch {
            let isSecret = setting.sources == .environment || DatabaseLocation.mayHoldPassword(text)
            let shown = isSecret ? "" : " \"\(text.prefix(80).escapedForOneLine)\""
            faults.add("\(origin(of: setting))\(shown) is not valid", "Write it as \(error.expected)")
            return setting.defaultValue
        }
    }

    /// Whether a setting has a text that is not valid, and its default is used.
    func isInvalid(_ setting: Setting<some Any>) -> Bool {
        text(of: setting).map { (try? setting.parse($0)) == nil } ?? false
    }

    /// The setting as the operator wrote it, for messages.
    func origin(of setting: some DeclaredSetting) -> String {
        if flags.values[setting.name] != nil { return setting.flag }
        if variables[setting.environmentVariable] != nil { return setting.environmentVariable }
        guard let file, let entry = file.entries?[setting.name] else { return setting.name }
        return file.path + (entry.line.map { " line \($0)" } ?? "") + ": " + setting.name
    }

    /// The line of a setting that comes from the file; `nil` for any other.
    func line(of setting: some DeclaredSetting) -> Int? {
        isInFile(setting) ? file?.entries?[setting.name]?.line : nil
    }

    /// A fault of a setting's value, with the file and line of one that comes from the file.
    func placed(_ fault: Fault, at setting: some DeclaredSetting) -> Fault {
        guard isInFile(setting) else { return fault }
        let (origin, name) = (origin(of: setting), setting.name + " ")
        // The origin ends with the name, which some problems begin with.
        guard fault.problem.hasPrefix(name) else { return Fault("\(origin): \(fault.problem)", fault.remedy) }
        return Fault("\(origin) \(fault.problem.dropFirst(name.count))", fault.remedy)
    }
}

extension DeclaredSetting {
    /// The setting's flag, or its variable if it has no flag, for messages.
    var flagOrVariable: String {
        sources.contains(.flag) ? flag : environmentVariable
    }
}
