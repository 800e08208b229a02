import WalletAuthWire

extension FormParameters {
    /// A parameter that the pages' own forms always send.
    /// - Throws: `MalformedValue` if it is missing.
    func required(_ name: String) throws(MalformedValue) -> String {
        guard let value = self[name] else { throw MalformedValue(field: name, reason: "is missing") }
        return value
    }
}
