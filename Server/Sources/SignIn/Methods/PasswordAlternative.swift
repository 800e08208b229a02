package import Store
package import WalletAuthWire

/// The methods that the hosted page can show in place of the password, each a user name and one secret. An app's request asks for one,
/// and the brand's operator turns it on.
package enum PasswordAlternative: String, Sendable, Hashable, Codable, CaseIterable {
    case accountPIN

    /// A secret as typed into the method's form. The method's file declares how to make one.
    package struct Secret: Sendable {
        let alternative: PasswordAlternative
        /// The method that verifies it. The name is `nil` for text that no account can have as its name.
        let method: @Sendable (Username?, DeviceEvidence) -> any SignInMethod
    }

    /// How it is offered and asked for. The method's file declares it.
    var form: AlternativeForm {
        switch self {
        case .accountPIN: .accountPIN
        }
    }
}

extension AuthorizationRequest.LoginStrategy {
    /// Whether a brand's accounts may sign in this way.
    package func isTaken(by brand: BrandID, on connection: any SQLConnection) throws -> Bool {
        let alternative = PasswordAlternative.allCases.first { $0.form.strategy == self }
        return try alternative?.form.isTaken(brand.rawValue, connection) ?? true
    }
}
