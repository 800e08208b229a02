package import WalletAuthWire

/// A password hash that another system made, in one text with its algorithm, cost and salt. At the first sign-in with the right password
/// it is replaced by one of ours.
///
/// This folder owns these hashes: which are accepted, and their comparison.
package enum ImportedPasswordHash: Sendable, Hashable {
    case bcrypt(BcryptHash)
    case pbkdf2(PBKDF2Hash)
    case scrypt(ScryptHash)
    case firebase(FirebaseHash)
    case argon2(Argon2Hash)
    case salted(SaltedHash)

    /// Reads the text of a hash whose cost is within the limits.
    /// - Throws: ``MalformedValue`` that says what to do.
    package init(_ text: String) throws(MalformedValue) {
        self = try Self.read(text)
        if let excess { throw Self.fault(excess) }
    }

    /// Reads a hash of this database. One of ours is read at whatever cost it once had.
    init(stored text: String) throws(MalformedValue) {
        if let own = PasswordHashText(text) {
            let parameters = own.parameters
            self = .argon2(
                Argon2Hash(
                    variant: .id, version: Argon2Hash.present, memoryKiB: parameters.memoryKiB,
                    passes: parameters.passes, lanes: parameters.lanes, salt: parameters.salt, hash: own.hash))
        } else {
            try self.init(text)
        }
    }

    static func fault(_ reason: String) -> MalformedValue { MalformedValue(field: "passwordHash", reason: reason) }

    private static func read(_ text: String) throws(MalformedValue) -> ImportedPasswordHash {
        guard text.utf8.count <= 2048 else { throw fault("is longer than 2048 bytes") }
        if text.hasPrefix("{") { return .salted(try SaltedHash(text)) }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4 else { throw unknown }
        // Django writes no dollar sign in front.
        guard parts[0].isEmpty else { return .pbkdf2(try PBKDF2Hash(django: parts)) }
        switch parts[1] {
        case "2a", "2b", "2y": return .bcrypt(try BcryptHash(text))
        case "pbkdf2", "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512": return .pbkdf2(try PBKDF2Hash(parts))
        case "scrypt": return .scrypt(try ScryptHash(parts))
        case "firescrypt": return .firebase(try FirebaseHash(parts))
        case "argon2i", "argon2id": return .argon2(try Argon2Hash(parts))
        default: throw unknown
        }
    }

    private static var unknown: MalformedValue {
        fault(
            "is no hash that can be imported (bcrypt, PBKDF2, scrypt, Firebase's scrypt, Argon2i, Argon2id, SSHA): "
                + remedy)
    }

    /// Of a hash that cannot be imported. An account without one could not be recovered by e-mail.
    package static let remedy =
        "replace it with the hash of a random password, and the person chooses a new one by e-mail, at a confirmed address"

    /// The text that is stored.
    package var text: String {
        switch self {
        case .bcrypt(let hash): hash.text
        case .pbkdf2(let hash): hash.text
        case .scrypt(let hash): hash.text
        case .firebase(let hash): hash.text
        case .argon2(let hash): hash.text
        case .salted(let hash): hash.text
        }
    }

    /// Whether it is the hash of a password, as bytes that no one has normalized: the former system hashed what was typed.
    func verify(_ password: [UInt8]) throws -> Bool {
        switch self {
        case .bcrypt(let hash): hash.verify(password)
        case .pbkdf2(let hash): try hash.verify(password)
        case .scrypt(let hash): try hash.verify(password)
        case .firebase(let hash): try hash.verify(password)
        case .argon2(let hash): try hash.verify(password)
        case .salted(let hash): hash.verify(password)
        }
    }

    /// The memory that a comparison takes.
    var memoryKiB: UInt32 {
        switch self {
        case .bcrypt, .pbkdf2, .salted: 0
        case .scrypt(let hash): UInt32(clamping: hash.cost.memory / 1024)
        case .firebase(let hash): UInt32(clamping: hash.cost.memory / 1024)
        case .argon2(let hash): hash.memoryKiB
        }
    }

    /// The end of a sentence about a cost beyond the limits; `nil` if it is within them.
    private var excess: String? {
        switch self {
        case .bcrypt(let hash): hash.excess
        case .pbkdf2(let hash): hash.excess
        case .scrypt(let hash): hash.cost.excess
        case .firebase(let hash): hash.cost.excess
        case .argon2(let hash): hash.excess
        case .salted: nil
        }
    }

    /// Algorithm and cost. Comparisons with hashes of the same profile take the same time.
    var profile: String {
        switch self {
        case .bcrypt(let hash): "bcrypt \(hash.cost)"
        case .pbkdf2(let hash): "pbkdf2 \(hash.digest) \(hash.iterations) \(hash.hash.count)"
        case .scrypt(let hash): "scrypt \(hash.cost)"
        case .firebase(let hash): "firebase \(hash.cost)"
        case .argon2(let hash): "argon2 \(hash.variant) \(hash.memoryKiB) \(hash.passes) \(hash.lanes)"
        case .salted(let hash): "salted \(hash.digest)"
        }
    }
}

/// The parts of such texts.
enum HashText {
    /// Base64 in any of its alphabets and passlib's own, with or without padding.
    static func bytes(_ text: some StringProtocol) throws(MalformedValue) -> [UInt8] {
        let standard = text.prefix { $0 != "=" }.map { $0 == "-" || $0 == "." ? "+" : $0 == "_" ? "/" : $0 }
        guard let bytes = PasswordHashText.bytes(Substring(String(standard))) else {
            throw ImportedPasswordHash.fault("has a part that is not Base64")
        }
        return bytes
    }

    static func text(_ bytes: [UInt8]) -> String { PasswordHashText.text(bytes) }

    /// A decimal number without a sign, of a few digits: no product of two overflows.
    static func number(_ text: some StringProtocol) throws(MalformedValue) -> Int {
        guard text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
            throw ImportedPasswordHash.fault("has a number of its cost that is none")
        }
        return number
    }

    /// `m=65536,t=3,p=4`: each name once, and no others.
    static func numbers(
        _ text: String, _ names: [String], optional: [String] = []
    ) throws(MalformedValue) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, (names + optional).contains(String(pair[0])), numbers[String(pair[0])] == nil else {
                throw ImportedPasswordHash.fault("does not have its cost as \(names.joined(separator: ", "))")
            }
            numbers[String(pair[0])] = try number(pair[1])
        }
        guard names.allSatisfy({ numbers[$0] != nil }) else {
            throw ImportedPasswordHash.fault("does not have its cost as \(names.joined(separator: ", "))")
        }
        return numbers
    }

    /// A salt, and a hash of a length that no guess has by chance.
    static func require(salt: [UInt8], hash: [UInt8]) throws(MalformedValue) {
        guard !salt.isEmpty else { throw ImportedPasswordHash.fault("has no salt") }
        guard salt.count <= 256 else { throw ImportedPasswordHash.fault("has a salt of more than 256 bytes") }
        guard (16...128).contains(hash.count) else {
            throw ImportedPasswordHash.fault("is not 16 to 128 bytes long")
        }
    }
}
