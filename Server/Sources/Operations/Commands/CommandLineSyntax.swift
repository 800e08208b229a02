internal import Consent
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Commands as an operator types them, for answers that name the next command.
enum CommandLineSyntax {
    static func account(_ verb: String, name: String, brand: String) -> String {
        let whose = brand == BrandSettings.defaultBrand ? "" : " --brand \(quoted(brand))"
        // A leading dash would be read as an option.
        let who = name.hasPrefix("-") ? "\(whose) -- \(quoted(name))" : " \(quoted(name))\(whose)"
        return "walletauth account \(verb)\(who)"
    }

    /// By its id if it has no name, or one that is an address: commands are copied to where people's addresses are not meant to be.
    static func account(_ verb: String, _ account: AccountRecord, names: [String]) -> String {
        guard let name = names.first, AddressName(name) == nil else {
            return "walletauth account \(verb) --account \(account.id.uuid)"
        }
        return self.account(verb, name: name, brand: account.brandID)
    }

    /// A provider as an argument of a command.
    static func provider(_ id: String, brand: String) -> String {
        quoted(id) + (brand == BrandSettings.defaultBrand ? "" : " --brand \(quoted(brand))")
    }

    /// Quotes one word for a shell: user names may contain characters that a shell interprets.
    static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-", "@", "+": true
            default: false
            }
        }
        guard word.isEmpty || !isPlain else { return word }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}

extension Scope {
    /// A scope may contain a comma, but an operator who types one means two scopes.
    /// - Throws: ``MalformedValue`` that names the option.
    static func refuseComma(in token: String, option: String) throws(MalformedValue) {
        guard token.contains(",") else { return }
        throw MalformedValue(
            field: "\(option) \(CommandLineSyntax.quoted(token))", reason: "has a comma: separate scopes with spaces")
    }

    /// The scopes that mean something to this server. All others are the operator's own.
    private static let known =
        standard + [RequestedOperations.scope, LoginNonceIssuer.scope, "transactions", Operators.scope]
        + Provisioner.scopes

    /// A misspelled scope would be registered as one of the operator's own, and what it was meant to allow would not be granted.
    /// - Parameter own: scopes that the client has.
    /// - Throws: ``MalformedValue`` that names the option, for a scope that is one letter off a known one or one of the client's.
    static func refuseMisspelling(of token: String, option: String, besides own: [String]) throws(MalformedValue) {
        guard !known.contains(token) else { return }
        let field = "\(option) \(CommandLineSyntax.quoted(token))"
        if let meant = known.first(where: { Spelling.edits(from: token, to: $0) <= 1 }) {
            throw MalformedValue(
                field: field,
                reason: "is one letter off a known scope: did you mean \(meant)? Choose another name for one of your "
                    + "own")
        }
        if let other = own.first(where: { isMisspelling(token, of: $0) }) {
            throw MalformedValue(
                field: field,
                reason: "is one letter off \(other), which the client has: remove that with --remove-scope if it is "
                    + "wrong, or choose another name")
        }
    }

    /// Whether a scope is probably a misspelling of one of the operator's own. Short ones, and those that differ in a digit
    /// (`api.v1`, `api.v2`), are often alike on purpose.
    private static func isMisspelling(_ token: String, of other: String) -> Bool {
        guard min(token.count, other.count) >= 5, token != other, Spelling.edits(from: token, to: other) <= 1 else {
            return false
        }
        return token.filter { !$0.isNumber } != other.filter { !$0.isNumber }
    }
}

extension Duration {
    /// Whole seconds, and the largest unit that divides them: `2592000 s (30 days)`.
    var inWords: String {
        let seconds = components.seconds
        let units: [(name: String, seconds: Int64)] = [("day", 86_400), ("hour", 3_600), ("minute", 60)]
        guard let unit = units.first(where: { seconds >= $0.seconds && seconds % $0.seconds == 0 }) else {
            return "\(seconds) s"
        }
        let count = seconds / unit.seconds
        return "\(seconds) s (\(count) \(unit.name)\(count == 1 ? "" : "s"))"
    }
}
