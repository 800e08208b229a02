import WalletAuthWire

extension FormParameters {
    /// The value of a parameter that the pages' own forms always send.
    /// - Parameter name: the parameter's name.
    /// - Throws: `MalformedValue` where it is missing.
    func required(_ name: String) throws(MalformedValue) -> String {
        guard let value = self[name] else { throw MalformedValue(field: name, reason: "is missing") }
        return value
    }
}
