internal import AuthCore
internal import CArgon2
internal import Foundation

/// Argon2id (RFC 9106) by the reference library, in PHC string format.
enum Argon2 {
    /// The library refused: in practice, no memory.
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        var description: String { String(cString: argon2_error_message(code)) }
    }

    static let hashLength = 32

    /// Hashes a password.
    /// - Parameters:
    ///   - password: its bytes.
    ///   - salt: 16 random bytes.
    ///   - cost: memory, passes and lanes.
    /// - Returns: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
    static func hash(_ password: [UInt8], salt: [UInt8], cost: PasswordHashing) throws -> String {
        let length = argon2_encodedlen(
            cost.passes, cost.memoryKiB, cost.lanes, UInt32(salt.count), UInt32(hashLength), Argon2_id)
        var encoded = [CChar](repeating: 0, count: length)
        let code = argon2id_hash_encoded(
            cost.passes, cost.memoryKiB, cost.lanes, password, password.count, salt, salt.count, hashLength, &encoded,
            length)
        guard code == ARGON2_OK.rawValue else { throw Failure(code: code) }
        return String(decoding: encoded.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A text in the form of a hash, made of random bytes: to compare with it takes as long as with any other, and nothing
    /// fits. Made without hashing, since a hash at start delays the first answer by tens of milliseconds.
    /// - Parameters:
    ///   - salt: 16 random bytes.
    ///   - hash: 32 random bytes.
    ///   - cost: memory, passes and lanes.
    static func unmatched(salt: [UInt8], hash: [UInt8], cost: PasswordHashing) -> String {
        let parameters = "m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)"
        return "$argon2id$v=19$\(parameters)$\(unpadded(salt))$\(unpadded(hash))"
    }

    /// Base64 as PHC strings have it: the standard alphabet, no padding.
    private static func unpadded(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    /// Whether a password is the one that was hashed; takes as long either way.
    /// - Parameters:
    ///   - encoded: a PHC string.
    ///   - password: the bytes to compare.
    static func verify(_ encoded: String, _ password: [UInt8]) throws -> Bool {
        let code = argon2id_verify(encoded, password, password.count)
        if code == ARGON2_OK.rawValue { return true }
        guard code == ARGON2_VERIFY_MISMATCH.rawValue else { throw Failure(code: code) }
        return false
    }

    /// Whether a hash was made at the cost that is asked for today.
    static func isCurrent(_ encoded: String, cost: PasswordHashing) -> Bool {
        encoded.hasPrefix("$argon2id$v=19$m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)$")
    }
}
