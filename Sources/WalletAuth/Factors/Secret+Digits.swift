import WalletAuthWire

extension Secret {
    /// A code of digits, as typed.
    /// - Throws: `MalformedValue` where it can be none.
    init(digits typed: String) throws(MalformedValue) {
        guard TypedCode.isPossible(typed) else { throw MalformedValue(field: "code", reason: "consists of digits") }
        try self.init(typed)
    }
}
