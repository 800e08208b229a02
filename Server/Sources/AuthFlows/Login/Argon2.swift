internal import AuthCore
internal import CArgon2
internal import Foundation
internal import WalletAuthWire

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
        let parameters = PasswordHashText.Parameters(
            memoryKiB: cost.memoryKiB, passes: cost.passes, lanes: cost.lanes, salt: salt)
        let hash = try compute(password, parameters, length: hashLength)
        return PasswordHashText(parameters: parameters, hash: hash).encoded
    }

    /// A text in the form of a hash, made of random bytes: to compare with it takes as long as with any other, and nothing
    /// fits. Made without hashing, since a hash at start delays the first answer by tens of milliseconds.
    /// - Parameters:
    ///   - salt: 16 random bytes.
    ///   - hash: 32 random bytes.
    ///   - cost: memory, passes and lanes.
    static func unmatched(salt: [UInt8], hash: [UInt8], cost: PasswordHashing) -> String {
        let parameters = PasswordHashText.Parameters(
            memoryKiB: cost.memoryKiB, passes: cost.passes, lanes: cost.lanes, salt: salt)
        return PasswordHashText(parameters: parameters, hash: hash).encoded
    }

    /// Whether a password is the one that was hashed; takes as long either way.
    /// - Parameters:
    ///   - encoded: a PHC string.
    ///   - password: the bytes to compare.
    static func verify(_ encoded: String, _ password: [UInt8]) throws -> Bool {
        guard let text = PasswordHashText(encoded) else { throw Failure(code: ARGON2_DECODING_FAIL.rawValue) }
        return ConstantTime.equal(try compute(password, text.parameters, length: text.hash.count), text.hash)
    }

    /// Whether a hash was made at the cost that is asked for today.
    static func isCurrent(_ encoded: String, cost: PasswordHashing) -> Bool {
        encoded.hasPrefix("$argon2id$v=19$m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)$")
    }

    /// The hash itself, in memory of ``PasswordHashMemory``.
    private static func compute(
        _ password: [UInt8], _ parameters: PasswordHashText.Parameters, length: Int
    ) throws -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: length)
        // The library only reads both, but takes them as pointers to what it might change.
        var (password, salt) = (password, parameters.salt)
        let code = hash.withUnsafeMutableBufferPointer { hash in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    var context = argon2_context()
                    (context.out, context.outlen) = (hash.baseAddress, UInt32(hash.count))
                    (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
                    (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
                    (context.t_cost, context.m_cost) = (parameters.passes, parameters.memoryKiB)
                    (context.lanes, context.threads) = (parameters.lanes, parameters.lanes)
                    context.version = UInt32(ARGON2_VERSION_13.rawValue)
                    context.allocate_cbk = { pointer, size in PasswordHashMemory.take(size, into: pointer) }
                    context.free_cbk = { pointer, size in PasswordHashMemory.give(pointer, size) }
                    return argon2_ctx(&context, Argon2_id)
                }
            }
        }
        guard code == ARGON2_OK.rawValue else { throw Failure(code: code) }
        return hash
    }
}
