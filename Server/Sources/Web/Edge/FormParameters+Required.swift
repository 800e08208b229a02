package import WalletAuthWire

/// The fields of the pages' own forms.
///
/// What a person types is answered on the form that it was typed into, whatever it is. Only a field that no page of ours leaves out
/// makes a form malformed.
extension FormParameters {
    /// A hidden field, or the value of a button.
    /// - Throws: `MalformedValue` if it is missing.
    package func required(_ name: String) throws(MalformedValue) -> String {
        guard let value = self[name] else { throw MalformedValue(field: name, reason: "is missing") }
        return value
    }

    /// The text of a field that a person types into; empty if it was left empty.
    /// - Throws: `MalformedValue` if there is no such field.
    package func typed(_ name: String) throws(MalformedValue) -> String {
        guard let field = parameters.first(where: { $0.name == name }) else {
            throw MalformedValue(field: name, reason: "is missing")
        }
        return field.value
    }

    /// A secret that a person types; `nil` for text that cannot be one.
    /// - Throws: `MalformedValue` if there is no such field.
    package func typedSecret<Kind: SecretKind>(_ name: String) throws(MalformedValue) -> Secret<Kind>? {
        let text = try typed(name)
        return try? Secret<Kind>(text)
    }
}
