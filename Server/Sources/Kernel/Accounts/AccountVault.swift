package import Core
internal import Logging
package import Store
package import WalletAuthWire

/// Seals and opens personal data at rest.
///
/// This folder owns an account's profile and contact details, and a brand's look and rules. It does not own sign-in methods
/// (`SignIn`) or changes by the holder and by operators.
package typealias AccountVault = Vault<AccountField>

package enum AccountField: String, SealedField {
    case email = "accounts|email"
    case phone = "accounts|phone"
    case profile = "accounts|profile"
    case password = "accounts|password"

    package var purpose: KeyPurpose { self == .password ? .pepper : .personal }
}

extension AccountVault {
    /// The holder's profile; empty if the column does not open.
    package func profile(of account: AccountRecord) -> PersonalProfile {
        guard let text = open(account.profile, .profile, of: account.id) else { return PersonalProfile() }
        do {
            return try PersonalProfile(text: text)
        } catch {
            sealing.logger.error("a personal profile cannot be read", metadata: ["reason": "\(error.reason)"])
            return PersonalProfile()
        }
    }

    /// The account's e-mail address; `nil` if it has none.
    package func email(of account: AccountRecord) -> String? { open(account.email, .email, of: account.id) }

    /// The column's value; `nil` for an empty profile.
    package func seal(_ profile: PersonalProfile, of account: UniqueID) throws -> [UInt8]? {
        try profile.text.map { try seal($0, .profile, of: account) }
    }

    /// The standard claims that a scope reveals to a client (OpenID Connect Core §5.4).
    package func claims(of account: AccountRecord, names: [String], scope: Scope) -> JSONObject {
        var claims = JSONObject()
        let profile = self.profile(of: account)
        if scope.contains("profile") {
            claims.set("name", profile.name)
            claims.set("given_name", profile.givenName)
            claims.set("family_name", profile.familyName)
            claims.set("preferred_username", names.first)
            claims.set("birthdate", profile.birthdate)
            claims.set("locale", account.locale)
        }
        if scope.contains("email") {
            if let email = self.email(of: account) {
                claims.set("email", email)
                claims["email_verified"] = .bool(account.emailState == .verified)
            } else if let email = profile.entered.email, account.emailState == .none {
                claims.set("email", email)
                claims["email_verified"] = .bool(false)
            }
        }
        if scope.contains("phone") {
            if let phone = open(account.phone, .phone, of: account.id) {
                claims.set("phone_number", phone)
                claims["phone_number_verified"] = .bool(profile.isPhoneVerified)
            } else if let phone = profile.entered.phone, account.phone == nil {
                claims.set("phone_number", phone)
                claims["phone_number_verified"] = .bool(false)
            }
        }
        if scope.contains("address") { claims["address"] = profile.addressClaim.map { .object($0) } }
        return claims
    }
}
