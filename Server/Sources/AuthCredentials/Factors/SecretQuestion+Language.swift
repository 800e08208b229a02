package import AuthCore
package import AuthStore

extension SecretQuestion.Language {
    /// The person's language: from the account, otherwise from the app's request.
    package static func of(_ account: AccountRecord, acceptLanguage: String?) -> Self {
        // Limits the work on an oversized header.
        let asked = acceptLanguage?.split(separator: ",").prefix(16).map(String.init) ?? []
        return .choose([account.locale].compactMap { $0 } + asked)
    }
}
