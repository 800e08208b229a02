/// A secret from a file, from a command or from the environment. Each is a setting, and only one of the three may be
/// given.
struct SecretSetting: Sendable {
    let file: Setting<String?>
    let command: Setting<String?>
    let value: Setting<String?>

    /// - Parameters:
    ///   - name: the name of the secret. The names of the file and command settings begin with it.
    ///   - what: a description that can begin a sentence.
    init(_ name: String, what: String) {
        file = Setting(
            name + ".file", type: "path", fallback: "none",
            "\(what), in a file that only its owner can read; a line break at the end is ignored.",
            parse: SettingTypes.text)
        command = Setting(
            name + ".command", type: "shell command", fallback: "none",
            "A command that prints it, run as masterKey.command.",
            parse: SettingTypes.text)
        value = Setting(
            name, type: "secret", fallback: "none", sources: .environment,
            "\(what). Only from the environment.",
            parse: SettingTypes.text)
    }

    var settings: [any DeclaredSetting] { [file, command, value] }
}

enum SecretSource: Sendable, Hashable {
    case file(String)
    case command(String)
    /// The secret itself, from the environment.
    case value(SecretText)
}

/// The text of a secret. Its description is redacted.
struct SecretText: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    func reveal() -> String { text }

    var description: String { "<redacted>" }
    var debugDescription: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretSetting {
    /// The source of the secret; nil if none is given.
    func source(in text: ConfiguredText, faults: inout [Fault]) -> SecretSource? {
        var given: [SecretSource] = []
        if let path = text.value(of: file, faults: &faults) {
            faults += Self.accessFaults(path, named: file.name)
            given.append(.file(path))
        }
        if let command = text.value(of: command, faults: &faults) { given.append(.command(command)) }
        if let secret = text.value(of: value, faults: &faults) { given.append(.value(SecretText(secret))) }
        if given.count > 1 {
            faults.add(
                "\(value.name) is set in \(given.count) ways, but only one is allowed",
                "Keep one of \(file.spellings), \(command.spellings) and \(value.environmentVariable)")
        }
        return given.first
    }

    /// Whether any source is configured, even an invalid one.
    func isGiven(in text: ConfiguredText) -> Bool {
        text.isGiven(file) || text.isGiven(command) || text.isGiven(value)
    }

    private static func accessFaults(_ path: String, named name: String) -> [Fault] {
        guard let status = FileStatus(path: path) else {
            return [
                Fault(
                    "the file \(path) of \(name) does not exist or is not accessible",
                    "Check the path and the directory's mode")
            ]
        }
        return accessFaults(status, path, named: name)
    }

    /// Faults of a file with a secret that others own, or can open.
    static func accessFaults(_ status: FileStatus, _ path: String, named name: String) -> [Fault] {
        guard status.owner == geteuid() || status.owner == 0 else {
            return [
                Fault(
                    "the file \(path) of \(name) belongs to user \(status.owner), but this is user \(geteuid())",
                    "Make the user who runs the server the owner of the file")
            ]
        }
        guard status.isOpenToOthers else { return [] }
        return [
            Fault(
                "the file \(path) of \(name) has mode \(status.octalMode), so others can read it",
                "chmod 600 \(path), and replace the secret if others have accounts on this machine")
        ]
    }
}

extension SecretSource {
    /// Reads the secret.
    ///
    /// - Parameter name: the name of the secret in messages.
    /// - Throws: `Refusal` that explains the fault, never with the secret.
    func read(named name: String) async throws(Refusal) -> String {
        switch self {
        case .file(let path):
            let text: String
            do {
                text = try ReadableFile.text(path, upTo: 4096)
            } catch {
                throw Refusal("\(Self.origin(path, name)) \(error.reason)", hint: error.remedy)
            }
            return try Self.checked(text, named: Self.origin(path, name))
        case .command(let command):
            return try Self.checked(
                try await CommandOutput.of(command, named: "the command for \(name)"), named: name)
        case .value(let secret):
            return try Self.checked(secret.reveal(), named: name)
        }
    }

    /// The faults that can be found without running a command.
    ///
    /// - Parameters:
    ///   - name: the name of the secret in messages.
    ///   - isFit: whether a text can be this secret.
    func faults(named name: String, isFit: (String) -> Bool) -> [Fault] {
        let (text, origin): (String, String)
        switch self {
        case .command: return []
        case .value(let secret): (text, origin) = (secret.reveal(), name)
        case .file(let path):
            origin = Self.origin(path, name)
            do {
                text = try ReadableFile.text(path, upTo: 4096)
            } catch {
                // One that does not exist, or is in a closed folder, is already reported.
                guard FileStatus(path: path) != nil else { return [] }
                return [Fault("\(origin) \(error.reason)", error.remedy ?? Self.remedy)]
            }
        }
        do {
            guard isFit(try Self.checked(text, named: origin)) else {
                return [Fault("\(origin) is invalid", "See `walletauth configuration`")]
            }
            return []
        } catch {
            return [Fault(error.message, Self.remedy)]
        }
    }

    private static let remedy = "Write the secret there, in one line"

    private static func origin(_ path: String, _ name: String) -> String { "the file \(path) of \(name)" }

    private static func checked(_ given: String, named name: String) throws(Refusal) -> String {
        var text = given
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }) else {
            throw Refusal("\(name) is empty or contains control characters")
        }
        return text
    }
}
