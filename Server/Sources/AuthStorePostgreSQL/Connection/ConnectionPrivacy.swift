package import AuthStore
import Foundation

extension PostgreSQLDatabase {
    /// Whether the network can neither read nor redirect the connections of a connection string: each stays on this
    /// machine, or verifies the server's certificate and name.
    /// - Throws: ``StoreError`` with code `unsuitable`, without parts of the string.
    package static func staysPrivate(_ string: String) throws(StoreError) -> Bool {
        try ConnectionString(string, connectTimeout: PostgreSQLOptions().connectTimeout).staysPrivate
    }
}

extension ConnectionString {
    var staysPrivate: Bool {
        targets.allSatisfy { $0.settings["sslmode"] == "verify-full" || $0.staysOnThisMachine }
    }
}

extension ConnectionString.Target {
    /// A Unix socket or a loopback address.
    var staysOnThisMachine: Bool {
        func setting(_ name: String) -> String? { settings[name].flatMap { $0.isEmpty ? nil : $0 } }
        // The address is where libpq connects to; the host is then only a name.
        guard let place = setting("hostaddr") ?? setting("host") else {
            // The default is a Unix socket, unless libpq takes the host from elsewhere.
            let variables = ["PGHOST", "PGHOSTADDR", "PGSERVICE"]
            return setting("service") == nil && variables.allSatisfy { (getenv($0)?.pointee ?? 0) == 0 }
        }
        return place.hasPrefix("/") || place.hasPrefix("@") || place == "localhost" || place == "::1"
            || Self.isLoopback(place)
    }

    /// Whether a text is an IPv4 address of 127.0.0.0/8, and not a name that begins like one.
    private static func isLoopback(_ text: String) -> Bool {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = words.compactMap { UInt8($0) }
        return words.count == 4 && numbers.count == 4 && numbers[0] == 127
    }
}
