import WalletAuthWire

/// The terms of the wire, in words for a person.
enum OperationDescription {
    /// Why no consent was needed.
    /// - Parameter name: the server's name of the exemption; nil if the operator's own rule lets such payments pass.
    static func exemption(_ name: String?) -> String {
        guard let name else { return "the wallet's issuer does not require approval here" }
        return switch SCAExemption(rawValue: name) {
        case .lowValue: "a small amount"
        case .trustedBeneficiary: "a trusted payee"
        case .recurring: "part of a series that you approved"
        case .ownAccount: "between your own accounts"
        case .accountInformation: "account information that you agreed to show"
        case .riskAnalysis: "low risk, according to the wallet's analysis"
        case nil: phrase(name)
        }
    }

    /// The type of an operation, which its backend chose: `TRANSFER`, `TRUST_PAYEE`. Text in another format is returned
    /// as it is.
    static func kind(_ type: String) -> String {
        type.allSatisfy { $0 == "_" || ($0.isASCII && $0.isUppercase) } ? phrase(type) : type
    }

    /// `TRUST_PAYEE` as `Trust payee`.
    private static func phrase(_ word: String) -> String {
        let words = word.lowercased().split(separator: "_").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
