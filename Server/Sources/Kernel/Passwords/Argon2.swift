internal import CArgon2
internal import Foundation
internal import WalletAuthWire

/// Argon2id (RFC 9106) with the reference library, in PHC string format.
package enum Argon2 {
    /// An error of the library, in practice out of memory.
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        var description: String { String(cString: argon2_error_message(code)) }
    }

    static let hashLength = 32

    /// - Parameter salt: 16 random bytes.
    /// - Returns: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
    static func hash(_ password: [UInt8], salt: [UInt8], cost: PasswordHashing) throws -> String {
        let parameters = PasswordHashText.Parameters(
            memoryKiB: cost.memoryKiB, passes: cost.passes, lanes: cost.lanes, salt: salt)
        let hash = try compute(password, parameters, length: hashLength)
        return PasswordHashText(parameters: parameters, hash: hash).encoded
    }

    /// A string in the form of a hash, made of random bytes: a comparison takes the usual time and never matches. It is not computed,
    /// because a hash at start would delay the first response by tens of milliseconds.
    /// - Parameters:
    ///   - salt: 16 random bytes.
    ///   - hash: 32 random bytes.
    static func unmatched(salt: [UInt8], hash: [UInt8], cost: PasswordHashing) -> String {
        let parameters = PasswordHashText.Parameters(
            memoryKiB: cost.memoryKiB, passes: cost.passes, lanes: cost.lanes, salt: salt)
        return PasswordHashText(parameters: parameters, hash: hash).encoded
    }

    /// Compares in constant time.
    /// - Parameter encoded: a PHC string.
    static func verify(_ encoded: String, _ password: [UInt8]) throws -> Bool {
        guard let text = PasswordHashText(encoded) else { throw Failure(code: ARGON2_DECODING_FAIL.rawValue) }
        return ConstantTime.equal(try compute(password, text.parameters, length: text.hash.count), text.hash)
    }

    /// Whether a hash has the current cost.
    package static func isCurrent(_ encoded: String, cost: PasswordHashing) -> Bool {
        encoded.hasPrefix("$argon2id$v=19$m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)$")
    }

    /// Computes the hash, in memory of ``PasswordHashMemory`` if it is one of ours.
    /// - Parameters:
    ///   - variant: of an imported hash.
    ///   - version: the same.
    ///   - isKept: whether other hashes may need memory of the same size.
    static func compute(
        _ password: [UInt8], _ parameters: PasswordHashText.Parameters, length: Int, variant: Argon2Hash.Variant = .id,
        version: UInt32 = Argon2Hash.present, isKept: Bool = true
    ) throws -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: length)
        // The library only reads both, but takes mutable pointers.
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
                    context.version = version
                    // The library allocates otherwise: a size that is not ours would be kept for nothing.
                    if isKept {
                        context.allocate_cbk = { pointer, size in PasswordHashMemory.take(size, into: pointer) }
                        context.free_cbk = { pointer, size in PasswordHashMemory.give(pointer, size) }
                    }
                    return argon2_ctx(&context, variant.type)
                }
            }
        }
        guard code == ARGON2_OK.rawValue else { throw Failure(code: code) }
        return hash
    }
}
