internal import WalletAuthWire

extension Scope {
    /// A scope may contain a comma, but an operator who types one means two scopes.
    /// - Throws: ``MalformedValue`` that names the option.
    static func refuseComma(in token: String, option: String) throws(MalformedValue) {
        guard token.contains(",") else { return }
        throw MalformedValue(
            field: "\(option) \(CommandLineSyntax.quoted(token))", reason: "has a comma: separate scopes with spaces")
    }
}
