internal import Foundation

/// A password hash in PHC string format: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
struct PasswordHashText: Sendable, Hashable {
    /// The inputs that reproduce the hash, besides the password.
    struct Parameters: Sendable, Hashable {
        var memoryKiB: UInt32
        var passes: UInt32
        var lanes: UInt32
        var salt: [UInt8]
    }

    let parameters: Parameters
    let hash: [UInt8]

    init(parameters: Parameters, hash: [UInt8]) {
        self.parameters = parameters
        self.hash = hash
    }

    /// Parses a string; `nil` for another algorithm or version, or a spelling that differs from ``encoded``.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19",
            let salt = Self.bytes(parts[4]), let hash = Self.bytes(parts[5]), !hash.isEmpty
        else { return nil }
        let costs = parts[3].split(separator: ",", omittingEmptySubsequences: false)
        guard costs.count == 3, let memory = Self.number("m=", costs[0]), let passes = Self.number("t=", costs[1]),
            let lanes = Self.number("p=", costs[2])
        else { return nil }
        self.init(
            parameters: Parameters(memoryKiB: memory, passes: passes, lanes: lanes, salt: salt), hash: hash)
        guard encoded == text else { return nil }
    }

    var encoded: String {
        let costs = "m=\(parameters.memoryKiB),t=\(parameters.passes),p=\(parameters.lanes)"
        return "$argon2id$v=19$\(costs)$\(Self.text(parameters.salt))$\(Self.text(hash))"
    }

    private static func number(_ name: String, _ text: Substring) -> UInt32? {
        text.hasPrefix(name) ? UInt32(text.dropFirst(name.count)) : nil
    }

    /// Base64 with the standard alphabet and no padding.
    static func text(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    static func bytes(_ text: Substring) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { Array($0) }
    }
}
