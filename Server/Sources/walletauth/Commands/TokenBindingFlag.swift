import ArgumentParser

/// Whether a client's token requests need a DPoP proof, by one of two flags.
struct TokenBindingOptions: ParsableArguments {
    @Flag private var flags: [TokenBindingFlag] = []

    func validate() throws {
        guard Set(flags).count <= 1 else {
            throw ValidationError("give one of --require-dpop and --allow-bearer, not both")
        }
    }

    /// `nil` if neither flag is given.
    var requiresDPoP: Bool? { flags.first.map { $0 == .requireDPoP } }
}

enum TokenBindingFlag: EnumerableFlag {
    case requireDPoP
    case allowBearer

    static func name(for value: TokenBindingFlag) -> NameSpecification {
        switch value {
        case .requireDPoP: .customLong("require-dpop")
        case .allowBearer: .customLong("allow-bearer")
        }
    }

    static func help(for value: TokenBindingFlag) -> ArgumentHelp? {
        switch value {
        case .requireDPoP: "Every token request needs a DPoP proof; the default of a public first-party app."
        case .allowBearer: "Tokens without a key are allowed: a thief can use a copied one."
        }
    }
}
