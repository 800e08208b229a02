package import Store
package import WalletAuthWire
internal import Web

/// The methods that the hosted page can show in place of the password, each a user name and one secret. An app's request asks for one,
/// and the brand's operator turns it on.
package enum PasswordAlternative: Sendable, Hashable, CaseIterable {
    case accountPIN

    /// A secret as typed into the method's form. The method's file declares how to make one.
    package struct Secret: Sendable {
        let alternative: PasswordAlternative
        /// The method that verifies it. The name is `nil` for text that no account can have as its name.
        let method: @Sendable (Username?, DeviceEvidence) -> any SignInMethod
    }

    /// The value with which a request asks for it.
    var strategy: AuthorizationRequest.LoginStrategy {
        switch self {
        case .accountPIN: .pin
        }
    }

    /// Whether a brand's accounts may sign in this way.
    fileprivate func isTaken(by brand: String, on connection: any SQLConnection) throws -> Bool {
        switch self {
        case .accountPIN: try AccountPINMethod.isTaken(by: brand, on: connection)
        }
    }
}

extension AuthorizationRequest.LoginStrategy {
    /// Whether a brand's accounts may sign in this way.
    package func isTaken(by brand: BrandID, on connection: any SQLConnection) throws -> Bool {
        let alternative = PasswordAlternative.allCases.first { $0.strategy == self }
        return try alternative?.isTaken(by: brand.rawValue, on: connection) ?? true
    }
}
