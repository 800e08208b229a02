import Crypto

/// The configured settings, as digests. With them the doctor compares a running server with the current file, without
/// learning a value. Settings that only the environment can supply are secrets and left out.
struct ConfiguredSettings: Codable, Hashable, Sendable {
    struct Given: Codable, Hashable, Sendable {
        /// SHA-256 of its text, in hexadecimal.
        var digest: String
        /// Whether it comes from the file, not from a flag or a variable.
        var isInFile: Bool
    }

    /// By setting name.
    var given: [String: Given] = [:]

    /// The settings that a restart of the running server would change.
    ///
    /// A restart repeats the server's flags and variables, so a command without them is not a difference.
    /// - Parameter running: the settings the server runs with.
    /// - Returns: the names, sorted.
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
    /// The settings that the running server got by flag or variable, and that are missing here or different in the
    /// file. The server keeps using them, and only its own command line shows them.
    /// - Parameter running: the settings the server runs with.
    /// - Returns: the names, sorted.
    func unrepeated(from running: ConfiguredSettings) -> [String] {
        running.given.filter { name, old in
            guard !old.isInFile else { return false }
            guard let new = given[name] else { return true }
            return new.isInFile && new.digest != old.digest
        }.map(\.key).sorted()
    }
}

extension ConfiguredText {
    /// All configured settings except secrets.
    var settings: ConfiguredSettings {
        var settings = ConfiguredSettings()
        for setting in Settings.all where setting.name != Settings.config.name && setting.sources != .environment {
            guard var text = text(of: setting) else { continue }
            // A digest of a password could be guessed.
            if setting.name == Settings.database.name {
                text = (try? SettingTypes.database(text))?.withoutSecrets ?? ""
            }
            let digest = SHA256.hash(data: Array(text.utf8)).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            settings.given[setting.name] = ConfiguredSettings.Given(
                digest: digest.joined(), isInFile: isInFile(setting))
        }
        return settings
    }
}
