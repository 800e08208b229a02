internal import AuthCore
internal import AuthFoundation
package import AuthStore
package import WalletAuthWire

extension AccountVault {
    /// The masked destination of a factor's codes; `nil` for a factor without codes.
    package func maskedDestination(of kind: FactorKind, account: AccountRecord) -> String? {
        destination(of: kind, account: account).map { Self.masked($0, of: kind) }
    }

    /// The destination of a factor's codes; `nil` for a factor without codes, or if the account has no address.
    package func destination(of kind: FactorKind, account: AccountRecord) -> String? {
        switch kind {
        case .email: open(account.email, .email, of: account.id)
        case .sms: open(account.phone, .phone, of: account.id)
        case .totp, .secretQuestion, .recoveryCode: nil
        }
    }

    /// Shows just enough of an address for its holder to recognize it.
    package static func masked(_ address: String, of kind: FactorKind) -> String {
        kind == .sms ? "…\(address.suffix(2))" : EmailCodes.masked(address)
    }
}
