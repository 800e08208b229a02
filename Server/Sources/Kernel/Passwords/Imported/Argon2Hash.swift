internal import CArgon2
internal import WalletAuthWire

/// An Argon2i or Argon2id hash of any cost within the limits, in PHC string format.
package struct Argon2Hash: Sendable, Hashable {
    enum Variant: String, Sendable {
        case i = "argon2i"
        case id = "argon2id"

        var type: argon2_type { self == .i ? Argon2_i : Argon2_id }
    }

    let variant: Variant
    let version: UInt32
    let memoryKiB: UInt32
    let passes: UInt32
    let lanes: UInt32
    let salt: [UInt8]
    let hash: [UInt8]

    static let present: UInt32 = 19
    /// 128 MiB.
    private static let mostMemory: UInt32 = 128 << 10
    /// KiB times passes: about half a second.
    private static let mostWork: UInt64 = 512 << 10
    private static let mostLanes: UInt32 = 8

    init(
        variant: Variant, version: UInt32, memoryKiB: UInt32, passes: UInt32, lanes: UInt32, salt: [UInt8],
        hash: [UInt8]
    ) {
        (self.variant, self.version, self.memoryKiB) = (variant, version, memoryKiB)
        (self.passes, self.lanes, self.salt, self.hash) = (passes, lanes, salt, hash)
    }

    /// - Parameter parts: of `$argon2id$v=19$m=65536,t=3,p=4$salt$hash`. Without a version it is the first one, 16.
    init(_ parts: [String]) throws(MalformedValue) {
        var parts = parts
        if parts.count == 5 { parts.insert("v=16", at: 2) }
        guard parts.count == 6, let variant = Variant(rawValue: parts[1]), parts[2] == "v=16" || parts[2] == "v=19"
        else {
            throw ImportedPasswordHash.fault("is not an Argon2 hash in PHC string format")
        }
        let numbers = try HashText.numbers(parts[3], ["m", "t", "p"])
        self.init(
            variant: variant, version: parts[2] == "v=16" ? 16 : 19, memoryKiB: UInt32(numbers["m"] ?? 0),
            passes: UInt32(numbers["t"] ?? 0), lanes: UInt32(numbers["p"] ?? 0), salt: try HashText.bytes(parts[4]),
            hash: try HashText.bytes(parts[5]))
        try HashText.require(salt: salt, hash: hash)
        guard salt.count >= 8 else { throw ImportedPasswordHash.fault("has a salt of fewer than 8 bytes") }
        guard passes >= 1, lanes >= 1, UInt64(memoryKiB) >= 8 * UInt64(lanes) else {
            throw ImportedPasswordHash.fault("has a cost of Argon2 that is out of range")
        }
    }

    var excess: String? {
        let isWithin =
            memoryKiB <= Self.mostMemory && UInt64(memoryKiB) * UInt64(passes) <= Self.mostWork
            && lanes <= Self.mostLanes
        guard !isWithin else { return nil }
        return
            "has Argon2's cost m=\(memoryKiB),t=\(passes),p=\(lanes), and at most 128 MiB (m=131072), m·t = 524288 and p=8 "
            + "are accepted"
    }

    var text: String {
        "$\(variant.rawValue)$v=\(version)$m=\(memoryKiB),t=\(passes),p=\(lanes)"
            + "$\(HashText.text(salt))$\(HashText.text(hash))"
    }

    /// Compares in constant time.
    func verify(_ password: [UInt8]) throws -> Bool {
        let parameters = PasswordHashText.Parameters(memoryKiB: memoryKiB, passes: passes, lanes: lanes, salt: salt)
        return ConstantTime.equal(
            try Argon2.compute(
                password, parameters, length: hash.count, variant: variant, version: version, isKept: false), hash)
    }
}
