/// The database, and the path of the files that belong to it.
struct DatabaseLocation: Hashable, Sendable {
    enum Engine: Hashable, Sendable {
        case sqlite
        /// The URL may contain a password.
        case postgreSQL(SecretText)
    }

    let engine: Engine
    /// The path of the SQLite file. With PostgreSQL there is no such file; the names of the others begin with it.
    let path: String

    /// A SQLite database.
    init(path: String) {
        engine = .sqlite
        self.path = path
    }

    /// A PostgreSQL database.
    /// - Parameter folder: of the files that belong to it.
    init(postgreSQL url: SecretText, folder: String) {
        engine = .postgreSQL(url)
        path = folder == "." ? "walletauth" : folder + (folder.hasSuffix("/") ? "" : "/") + "walletauth"
    }

    /// The same database with its files in a folder. A SQLite database keeps its own.
    func keepingFiles(in folder: String) -> DatabaseLocation {
        guard case .postgreSQL(let url) = engine else { return self }
        return DatabaseLocation(postgreSQL: url, folder: folder)
    }

    var isPostgreSQL: Bool { engine != .sqlite }

    /// For messages: the path, or the URL with the role, the hosts and the database.
    var shown: String {
        guard case .postgreSQL(let url) = engine else { return path }
        return Self.withoutPassword(url.reveal()) { Self.places.contains($0) }
    }

    /// The path, or the URL with all its parameters but the secrets.
    var withoutSecrets: String {
        guard case .postgreSQL(let url) = engine else { return path }
        return Self.withoutPassword(url.reveal()) { name in
            // libpq decodes names, so an encoded one may be any.
            !["password", "secret", "scram", "%"].contains { name.contains($0) }
        }
    }

    /// The sandbox's generated master key.
    var generatedMasterKeyPath: String { path + ".master-key" }
    /// With SQLite, the restore epoch, see ``RestoreEpoch``.
    var epochPath: String { path + ".epoch" }
    /// What this machine has seen of the database, see ``SeenMarks``.
    var marksPath: String { path + ".marks" }
    /// With SQLite, the default path of the administration socket.
    var adminSocketPath: String { path + ".sock" }
    /// The default path of the audit log's checkpoints.
    var checkpointsPath: String { path + ".checkpoints" }
}

extension DatabaseLocation {
    /// The prefixes of libpq's URLs.
    static let schemes = ["postgresql://", "postgres://"]

    /// Whether a text looks as if it could contain a database's password, also if it is mistyped.
    static func mayHoldPassword(_ text: String) -> Bool {
        let lowercased = text.lowercased()
        return lowercased.hasPrefix("postgres") || lowercased.contains("passw") || lowercased.contains("@")
    }

    /// Whether a URL names the database, itself or by a service. Without a name, libpq takes the role's, and the database
    /// may be another one.
    /// - Parameter url: one that libpq accepts.
    static func namesDatabase(_ url: String) -> Bool {
        guard let scheme = schemes.first(where: { url.hasPrefix($0) }) else { return false }
        var rest = url.dropFirst(scheme.count)
        // As libpq reads it: a role and a password end at the first @, and have no slash.
        if let end = rest.firstIndex(where: { $0 == "@" || $0 == "/" }), rest[end] == "@" {
            rest = rest[rest.index(after: end)...]
        }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if let slash = parts[0].firstIndex(of: "/"), parts[0].index(after: slash) < parts[0].endIndex { return true }
        guard parts.count == 2 else { return false }
        return parts[1].split(separator: "&").contains { parameter in
            ["dbname=", "service="].contains { parameter.hasPrefix($0) && parameter.count > $0.count }
        }
    }

    /// The parameters of libpq that name a server, a role or a database.
    private static let places: Set<String> = ["host", "hostaddr", "port", "dbname", "user", "service"]

    /// Removes more rather than less: everything from the first colon after the scheme to the last @, and all parameters
    /// but those that are kept, by their names in lowercase.
    private static func withoutPassword(_ url: String, keeping isKept: (String) -> Bool) -> String {
        guard let scheme = schemes.first(where: { url.hasPrefix($0) }) else { return "postgresql://…" }
        var rest = url.dropFirst(scheme.count)
        var shown = scheme
        if let end = rest.lastIndex(of: "@") {
            shown += String(rest[..<end].prefix { $0 != ":" && $0 != "/" && $0 != "?" }) + "@"
            rest = rest[rest.index(after: end)...]
        }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        shown += String(parts[0])
        guard parts.count == 2 else { return shown }
        let parameters = parts[1].split(separator: "&").filter { parameter in
            isKept(parameter.prefix { $0 != "=" }.lowercased())
        }
        return parameters.isEmpty ? shown : shown + "?" + parameters.joined(separator: "&")
    }
}
