import AuthFoundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
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
            faults.append(
                Fault(
                    problem: "the master key is given in \(given.count) ways, but only one is allowed",
                    remedy: "Keep one of \(Settings.masterKeyFile.flag), \(Settings.masterKeyCommand.flag) and "
                        + Settings.masterKey.environmentVariable))
        }
        return given.first ?? (environment == .sandbox ? .generated(database.generatedMasterKeyPath) : .missing)
    }

    /// The faults that can be found without running a command.
    func faults(in environment: ServerSettings.Environment) -> [Fault] {
        switch self {
        case .missing:
            return [
                Fault(
                    problem: "no master key is configured",
                    remedy:
                        "Create one with `head -c 32 /dev/urandom | base64 > FILE`, mode 0600, keep a copy apart "
                        + "from the database's backups, and give it with \(Settings.masterKeyFile.flag)")
            ]
        case .file(let path):
            guard let status = FileStatus(path: path) else {
                return [
                    Fault(
                        problem: "the master key's file \(path) does not exist or is not accessible",
                        remedy: "Check the path and the directory's mode")
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
            return [Fault(problem: "\(error)", remedy: "Give 32 random bytes in base64, base64url or hexadecimal")]
        }
    }

    private static func accessFaults(path: String, status: FileStatus) -> [Fault] {
        guard status.owner == geteuid() || status.owner == 0 else {
            // The owner of the file knows the key, and could replace it before the database is created.
            return [
                Fault(
                    problem:
                        "the master key's file \(path) belongs to user \(status.owner), who can read and replace it, "
                        + "but this is user \(geteuid())",
                    remedy: "Run this as the user who runs the server, and give the file to that user")
            ]
        }
        guard status.isOpenToOthers else { return [] }
        return [
            Fault(
                problem: "the master key's file \(path) has mode \(status.octalMode), so others can read it",
                remedy: "chmod 600 \(path), and assume that everyone with an account on this machine knows the key")
        ]
    }
}
