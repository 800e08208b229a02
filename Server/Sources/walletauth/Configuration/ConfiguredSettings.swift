import Crypto

/// Which settings are configured, and by digests what they are: so that what serves can be held against what a file says by now,
/// and nobody learns a value. What may come from the environment alone is a secret and left out.
struct ConfiguredSettings: Codable, Hashable, Sendable {
    /// One setting that is configured.
    struct Given: Codable, Hashable, Sendable {
        /// SHA-256 of its text, in hexadecimal.
        var digest: String
        /// Whether the file says it, and neither a flag nor a variable.
        var isInFile: Bool
    }

    /// By the settings' names.
    var given: [String: Given] = [:]

    /// The settings that would be others after a restart of what runs.
    ///
    /// What it was given by a flag or a variable it would be given again, so that a command without them is no difference.
    /// - Parameter running: what it runs with.
    /// - Returns: their names, sorted.
    func differences(from running: ConfiguredSettings) -> [String] {
        Set(given.keys).union(running.given.keys).filter { name in
            let (new, old) = (given[name], running.given[name])
            guard new?.digest != old?.digest else { return false }
            guard let old, !old.isInFile else { return true }
            return new.map { !$0.isInFile } ?? false
        }.sorted()
    }
}

extension ConfiguredSettings {
    /// The settings that what runs was given by a flag or a variable, and that are not given here, or otherwise in the file: it goes on with
    /// them, and nothing but its own command line says so.
    /// - Parameter running: what it runs with.
    /// - Returns: their names, sorted.
    func unrepeated(from running: ConfiguredSettings) -> [String] {
        running.given.filter { name, old in
            guard !old.isInFile else { return false }
            guard let new = given[name] else { return true }
            return new.isInFile && new.digest != old.digest
        }.map(\.key).sorted()
    }
}

extension ConfiguredText {
    /// Everything that is configured but the secrets.
    var settings: ConfiguredSettings {
        var settings = ConfiguredSettings()
        for setting in Settings.all where setting.name != Settings.config.name && setting.sources != .environment {
            guard let text = text(of: setting) else { continue }
            let digest = SHA256.hash(data: Array(text.utf8)).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            settings.given[setting.name] = ConfiguredSettings.Given(
                digest: digest.joined(), isInFile: isInFile(setting))
        }
        return settings
    }
}
