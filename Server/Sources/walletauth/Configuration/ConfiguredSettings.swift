import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The configured settings, as digests. With them the doctor compares a running server with the current file, without
/// learning a value. Settings that only the environment can supply are secrets and left out.
struct ConfiguredSettings: Codable, Hashable, Sendable {
    struct Given: Codable, Hashable, Sendable {
        /// SHA-256 of its text, in hexadecimal.
        var digest: String
        /// For a path, that of the absolute one.
        var pathDigest: String?
        /// Whether it comes from the file, not from a flag or a variable.
        var isInFile: Bool

        /// Whether two texts are the same, or name the same file. A relative path is the same setting even if this command runs in
        /// another working directory, because a restart uses the server's.
        func isSame(as other: Given) -> Bool {
            digest == other.digest || (pathDigest != nil && pathDigest == other.pathDigest)
        }
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
            guard let old = running.given[name] else { return true }
            guard let new = given[name] else { return old.isInFile }
            return !new.isSame(as: old) && (old.isInFile || !new.isInFile)
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
            return new.isInFile && !new.isSame(as: old)
        }.map(\.key).sorted()
    }
}

extension ConfiguredText {
    /// All configured settings except secrets.
    var settings: ConfiguredSettings {
        var settings = ConfiguredSettings()
        for setting in Settings.all where setting.name != Settings.config.name && setting.sources != .environment {
            guard var text = text(of: setting) else { continue }
            var isPath = setting.isPath
            // A digest of a password could be guessed.
            if setting.name == Settings.database.name {
                let database = try? SettingTypes.database(text)
                text = database?.withoutSecrets ?? ""
                isPath = database?.isPostgreSQL == false
            }
            settings.given[setting.name] = ConfiguredSettings.Given(
                digest: Self.digest(of: text), pathDigest: isPath ? Self.pathDigest(of: text) : nil,
                isInFile: isInFile(setting))
        }
        return settings
    }

    private static func pathDigest(of path: String) -> String? {
        // Invalid text is not a path.
        guard (try? SettingTypes.text(path)) != nil else { return nil }
        return digest(of: URL(filePath: path).absoluteURL.standardizedFileURL.path)
    }

    private static func digest(of text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
