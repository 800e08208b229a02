import WalletAuthWire

extension Secret {
    /// Creates a numeric code as typed.
    /// - Throws: `MalformedValue` if it cannot be one.
    init(digits typed: String) throws(MalformedValue) {
        guard TypedCode.isPossible(typed) else { throw MalformedValue(field: "code", reason: "consists of digits") }
        try self.init(typed)
    }
}
