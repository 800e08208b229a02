import CLibPQ
import Store

/// A connection string of libpq, parsed: a URL or `name=value` pairs.
///
/// All settings of libpq pass through. The engine adds those that are missing and that it depends on. It tries several
/// hosts itself, one after the other, because libpq limits the time for each of them only when it blocks.
struct ConnectionString: Sendable {
    /// One attempt to connect.
    struct Target: Sendable {
        let settings: [String: String]
        /// For messages, and to tell hosts apart: the host, its address, and the port, as far as the string names them.
        let name: String
        let timeout: Duration

        /// The same server, with less patience for it.
        func answering(within limit: Duration) -> Target {
            Target(settings: settings, name: name, timeout: min(timeout, limit))
        }

        /// Whether the host is this machine; `nil` if the string names none, and a default of libpq applies.
        var isLocal: Bool? {
            guard let host = address ?? settings["host"], !host.isEmpty else { return nil }
            return isSocket || host == "localhost" || host == "::1" || Self.isLoopback(host)
        }

        /// Whether this is an IPv4 address of 127.0.0.0/8, and not a name that begins like one.
        private static func isLoopback(_ host: String) -> Bool {
            let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
        }

        /// Whether libpq connects without looking a name up.
        var isAddress: Bool {
            if isSocket || address != nil { return true }
            guard let host = settings["host"], !host.isEmpty else { return false }
            return host.contains(":") || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
        }

        private var address: String? { settings["hostaddr"].flatMap { $0.isEmpty ? nil : $0 } }
        private var isSocket: Bool {
            address == nil && (settings["host"].map { $0.hasPrefix("/") || $0.hasPrefix("@") } ?? false)
        }
    }

    /// In the order in which they are tried; at least one.
    let targets: [Target]
    private let password: String?

    /// - Throws: ``StoreError`` with code `unsuitable`. The text of libpq is left out: it quotes parts of the string,
    ///   and thereby of a password.
    init(_ text: String, connectTimeout: Duration) throws(StoreError) {
        var settings = try Self.parse(text)
        password = settings["password"]
        for (name, value) in Self.additions where settings[name] == nil { settings[name] = value }
        settings["client_encoding"] = "UTF8"
        // libpq says this only when it connects, as if the server were at fault.
        if let mode = settings["sslmode"], !mode.isEmpty, !Self.sslModes.contains(mode) {
            throw StoreError(.unsuitable, "sslmode must be one of \(Self.sslModes.joined(separator: ", "))")
        }
        var timeout = connectTimeout
        if let text = settings["connect_timeout"], !text.isEmpty {
            // libpq reads it only where it blocks.
            guard let seconds = Int64(text), seconds <= 3600 else {
                throw StoreError(.unsuitable, "connect_timeout must be a number of seconds, at most 3600")
            }
            // 0 is libpq's word for "without a limit", which would hold a thread forever.
            if seconds > 0 { timeout = .seconds(seconds) }
        }
        let hosts = Self.list(settings["host"])
        let addresses = Self.list(settings["hostaddr"])
        let ports = Self.list(settings["port"])
        let count = max(1, hosts.count, addresses.count)
        guard hosts.isEmpty || hosts.count == count, addresses.isEmpty || addresses.count == count,
            ports.count <= 1 || ports.count == count
        else {
            throw StoreError(.unsuitable, "the connection string has different numbers of hosts and ports")
        }
        guard !hosts.contains(where: { $0.contains("@") }) else {
            throw StoreError(
                .unsuitable, "the connection string has an @ in a host: write %40 for an @ in a password")
        }
        // libpq takes what follows a slash in a password for the database, and what precedes it for the port.
        guard ports.allSatisfy({ $0.isEmpty || UInt16($0).map { $0 > 0 } ?? false }),
            settings["dbname"]?.contains("@") != true
        else {
            throw StoreError(
                .unsuitable,
                "the connection string has no valid port or database name: write %2F for a / in a password, %40 for an @"
            )
        }
        targets = (0..<count).map { index in
            var one = settings
            one["host"] = hosts.isEmpty ? nil : hosts[index]
            one["hostaddr"] = addresses.isEmpty ? nil : addresses[index]
            one["port"] = ports.isEmpty ? nil : ports[ports.count == 1 ? 0 : index]
            // Several hosts may have one name, for their certificates. The address tells them apart.
            let places = [one["host"], one["hostaddr"]].compactMap { $0 }.filter { !$0.isEmpty }
            let name = Self.name(places.last ?? "the local server", port: one["port"])
            return Target(
                settings: one, name: places.count == 2 ? "\(places[0])@\(name)" : name, timeout: timeout)
        }
    }

    /// A text of libpq without the password.
    func withoutPassword(_ message: String) -> String {
        guard let password, !password.isEmpty else { return message }
        return message.replacing(password, with: "…")
    }

    private static let additions = [
        "target_session_attrs": "read-write",
        "fallback_application_name": "walletauth",
        "keepalives": "1",
        // A host that vanished is noticed within 11 seconds.
        "keepalives_idle": "5",
        "keepalives_interval": "2",
        "keepalives_count": "3",
        // Without this, a server that vanishes before it has received a statement is noticed after a quarter of an hour.
        "tcp_user_timeout": "10000",
    ]

    private static let sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

    /// The parameters that libpq knows.
    static var parameterNames: [String] {
        guard let options = PQconndefaults() else { return [] }
        defer { PQconninfoFree(options) }
        var names: [String] = []
        var option = options
        while let keyword = option.pointee.keyword {
            names.append(String(cString: keyword))
            option += 1
        }
        return names
    }

    private static func name(_ host: String, port: String?) -> String {
        guard let port, !port.isEmpty else { return host }
        return (host.contains(":") ? "[\(host)]" : host) + ":" + port
    }

    private static func list(_ value: String?) -> [String] {
        guard let value, !value.isEmpty else { return [] }
        return value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func parse(_ text: String) throws(StoreError) -> [String: String] {
        guard let options = PQconninfoParse(text, nil) else {
            throw StoreError(
                .unsuitable, "the connection string is malformed: write postgresql://user@host/database?name=value")
        }
        defer { PQconninfoFree(options) }
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return settings
    }
}
