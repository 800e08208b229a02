import Crypto
import Kernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

enum MasterKeySource: Hashable, Sendable {
    case file(String)
    case command(String)
    /// The key's text, from the environment.
    case value(SecretText)
    /// The sandbox's own key file, created if it does not exist.
    case generated(String)
    case missing
}

extension MasterKeySource {
    static func configured(
        in text: ConfiguredText, environment: ServerSettings.Environment, database: DatabaseLocation,
        faults: inout [Fault]
    ) -> MasterKeySource {
        var given: [MasterKeySource] = []
        if let path = text.value(of: Settings.masterKeyFile, faults: &faults) {
            given.append(.file(path))
        }
        if let command = text.value(of: Settings.masterKeyCommand, faults: &faults) {
            given.append(.command(command))
        }
        if let key = text.value(of: Settings.masterKey, faults: &faults) {
            given.append(.value(SecretText(key)))
        }
        if given.count > 1 {
            faults.add(
                "the master key is set in \(given.count) ways, but only one is allowed",
                "Keep one of \(Settings.masterKeyFile.spellings), \(Settings.masterKeyCommand.spellings) and "
                    + Settings.masterKey.environmentVariable)
        }
        return given.first ?? (environment == .sandbox ? .generated(database.generatedMasterKeyPath) : .missing)
    }

    /// The faults that can be found without running a command.
    func faults(in environment: ServerSettings.Environment) -> [Fault] {
        switch self {
        case .missing:
            return [
                Fault(
                    "no master key is configured",
                    "Create one with `head -c 32 /dev/urandom | base64 > FILE`, mode 0600, keep a copy separate "
                        + "from the database's backups, and set it with \(Settings.masterKeyFile.spellings)")
            ]
        case .file(let path):
            guard let status = FileStatus(path: path) else {
                return [
                    Fault(
                        "the master key's file \(path) does not exist or is not accessible",
                        "Check the path and the directory's mode")
                ]
            }
            // A pipe delivers its key only once, so this check must not read it.
            return Self.accessFaults(path: path, status: status) + (status.kind == .file ? keyFaults : [])
        case .generated(let path):
            guard let status = FileStatus(path: path) else { return [] }
            return Self.accessFaults(path: path, status: status) + keyFaults
        case .value:
            return keyFaults
        case .command:
            return []
        }
    }

    private var keyFaults: [Fault] {
        do {
            _ = try readWithoutCommand()
            return []
        } catch {
            return [Fault(error.message, error.hint ?? "Use 32 random bytes in base64, base64url or hexadecimal")]
        }
    }

    private static func accessFaults(path: String, status: FileStatus) -> [Fault] {
        guard status.owner == geteuid() || status.owner == 0 else {
            // The owner of the file knows the key, and could replace it before the database is created.
            return [
                Fault(
                    "the master key's file \(path) belongs to user \(status.owner), who can read and replace it, "
                        + "but this is user \(geteuid())",
                    "Run this as the user who runs the server, and make that user the owner of the file")
            ]
        }
        guard status.isOpenToOthers else { return [] }
        return [
            Fault(
                "the master key's file \(path) has mode \(status.octalMode), so others can read it",
                "chmod 600 \(path), and assume that everyone with an account on this machine knows the key")
        ]
    }
}

extension MasterKeySource {
    /// Reads the keys. In the sandbox, creates one if there is none yet.
    ///
    /// - Parameters:
    ///   - database: the database of the key.
    ///   - hasKeys: whether it already has keys, which a new master key would not open; `nil` if that is unknown: a SQLite
    ///     file has them if it exists, and a PostgreSQL database may have them.
    /// - Throws: `Refusal` that explains the fault, never with the key.
    func read(for database: DatabaseLocation, hasKeys: Bool? = nil) async throws(Refusal) -> MasterKeys {
        switch self {
        case .command(let command):
            return try Self.keys(from: await CommandOutput.of(command), origin: "the master key command")
        case .generated(let path) where FileStatus(path: path) == nil:
            guard !(hasKeys ?? (database.isPostgreSQL || FileStatus(path: database.path) != nil)) else {
                throw database.isPostgreSQL ? Self.elsewhere(database, path) : Self.lost(database, path)
            }
            return try Self.generate(at: path)
        default:
            return try readWithoutCommand()
        }
    }

    /// Reads keys from a file or from the environment.
    func readWithoutCommand() throws(Refusal) -> MasterKeys {
        switch self {
        case .file(let path), .generated(let path):
            let text: String
            do {
                text = try ReadableFile.text(path, upTo: 4096)
            } catch {
                throw Refusal(
                    "the master key's file \(path) \(error.reason)", hint: error.remedy, status: ExitStatus.outOfService
                )
            }
            return try Self.keys(from: text, origin: "the master key's file \(path)")
        case .value(let text):
            return try Self.keys(from: text.reveal(), origin: Settings.masterKey.environmentVariable)
        case .missing, .command:
            throw Refusal(
                "no master key is configured; use \(Settings.masterKeyFile.spellings)", status: ExitStatus.outOfService)
        }
    }

    /// Decodes one key, or several with spaces or line breaks between them.
    ///
    /// - Parameters:
    ///   - text: the keys, the first one first.
    ///   - origin: the source of the text, for messages.
    static func keys(from text: String, origin: String) throws(Refusal) -> MasterKeys {
        let words = text.split(whereSeparator: \.isWhitespace)
        // A single key may be broken into words or lines, as some programs print it.
        guard words.count > 1, bytes(of: text) == nil else { return MasterKeys(try key(from: text, origin: origin)) }
        var keys: [MasterKey] = []
        for (number, word) in zip(1..., words) {
            keys.append(try key(from: String(word), origin: "key \(number) of \(origin)"))
        }
        return MasterKeys(keys[0], others: Array(keys.dropFirst()))
    }

    private static func bytes(of text: String) -> [UInt8]? {
        let trimmed = text.filter { !$0.isWhitespace }
        return (hexadecimal(trimmed) ?? base64(trimmed)).flatMap { $0.count == 32 ? $0 : nil }
    }

    /// Decodes a key: 32 bytes in hexadecimal, base64 or base64url.
    private static func key(from text: String, origin: String) throws(Refusal) -> MasterKey {
        guard let bytes = bytes(of: text), let key = MasterKey(bytes: bytes) else {
            throw Refusal(
                "\(origin) does not contain 32 bytes in base64, base64url or hexadecimal",
                status: ExitStatus.outOfService)
        }
        // 32 random bytes have fewer than 16 different values once in 10^20 times. This is a typed pattern.
        guard Set(bytes).count >= 16 else {
            throw Refusal("\(origin) contains a key that is not random", status: ExitStatus.outOfService)
        }
        return key
    }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 64 else { return nil }
        var bytes: [UInt8] = []
        var rest = text[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private static func base64(_ text: String) -> [UInt8]? {
        var padded = String(
            text.map { character in
                switch character {
                case "-": "+"
                case "_": "/"
                default: character
                }
            })
        while padded.utf8.count % 4 != 0 {
            padded.append("=")
        }
        return Data(base64Encoded: padded).map { [UInt8]($0) }
    }

    private static func lost(_ database: DatabaseLocation, _ path: String) -> Refusal {
        Refusal(
            "the database \(database.path) exists, but its master key \(path) does not",
            hint: "Specify the key that it was created with, using \(Settings.masterKeyFile.spellings), "
                + "put the key's file back, or remove the database to start over", status: ExitStatus.outOfService)
    }

    private static func elsewhere(_ database: DatabaseLocation, _ path: String) -> Refusal {
        Refusal(
            "the database \(database.shown) has keys, but its master key \(path) does not exist here",
            hint: "Copy that file from the machine that created it, or set the key with "
                + "\(Settings.masterKeyFile.spellings) or the file's folder with \(Settings.postgreSQLFolder.spellings); to start "
                + "over, use an empty database", status: ExitStatus.outOfService)
    }

    /// Whether ``read(for:hasKeys:)`` would create a key.
    var isToBeGenerated: Bool {
        if case .generated(let path) = self { FileStatus(path: path) == nil } else { false }
    }

    /// Creates a key file with mode 0600. If two processes start at once, both use the same key.
    private static func generate(at path: String) throws(Refusal) -> MasterKeys {
        let text = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() } + "\n"
        do {
            try DurableFile.create(path, with: Data(text.utf8))
        } catch {
            throw Refusal("the master key cannot be written to \(path): \(error)")
        }
        return try MasterKeySource.file(path).readWithoutCommand()
    }
}
