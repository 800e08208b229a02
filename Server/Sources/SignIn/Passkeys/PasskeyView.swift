package import Core
package import WalletAuthWire
import Web

/// Texts and fields for passkeys on the pages.
package struct PasskeyView {
    let text: Texts<PasskeyText>

    package init(text: Texts<PasskeyText>) { self.text = text }

    private typealias Action = AccountPageForm.Action

    package func signIn(_ options: PasskeyRequestOptions) -> PasskeyUseValues {
        PasskeyUseValues(
            options: JSONValue.object(options.json).text, press: SignInForm.Action.usePasskey.rawValue,
            button: text[.signInLabel], failed: text[.signInFailed], suggested: "username")
    }

    /// The form that approves an operation with a passkey.
    /// - Parameters:
    ///   - amount: the amount of a payment, which the button names.
    ///   - action: the value of the form's button.
    package func agree(
        _ options: PasskeyRequestOptions, to amount: String?, by action: String
    ) -> PasskeyUseValues {
        PasskeyUseValues(
            options: JSONValue.object(options.json).text, press: action,
            button: amount.map { text[.agreeAmountLabel, ["amount": $0]] } ?? text[.agreeLabel],
            failed: text[.agreeFailed], suggested: nil)
    }

    /// The passkey page of an account.
    /// - Parameters:
    ///   - language: the format of dates.
    ///   - others: the secondary buttons.
    func fields(
        of overview: PasskeyOverview, in language: Language, others: [ButtonValues]
    ) -> PasskeyPageValues {
        let lead = text[.addLead, ["wait": language.text.span(overview.coolingPeriod)]]
        return PasskeyPageValues(
            none: overview.passkeys.isEmpty ? text[.none] : nil,
            passkeys: overview.passkeys.map { entry(of: $0, in: language) }, nameLabel: text[.nameLabel],
            rename: Action.renamePasskey.rawValue, renameLabel: text[.renameLabel],
            remove: Action.askToRemovePasskey.rawValue, removeLabel: text[.removeLabel],
            full: overview.creation == nil ? text[.tooMany, ["count": String(overview.passkeys.count)]] : nil,
            creation: overview.creation.map { creation in
                .init(
                    heading: text[.addHeading], lead: lead, unsupported: text[.unsupported],
                    options: JSONValue.object(creation.json).text, failed: text[.addFailed], known: text[.known],
                    nameHint: text[.nameHint], add: Action.addPasskey.rawValue, addLabel: text[.addLabel])
            }, others: others)
    }

    private func entry(of passkey: PasskeyOverview.Entry, in language: Language) -> PasskeyPageValues.Passkey {
        .init(
            id: passkey.id, name: passkey.name.isEmpty ? "…" : passkey.name, label: "passkey-\(passkey.id)",
            added: text[.added, ["date": language.day(of: passkey.createdAt)]],
            used: passkey.lastUsedAt.map { text[.used, ["date": language.day(of: $0)]] } ?? text[.neverUsed],
            synced: passkey.isSynced ? text[.synced] : nil, unusable: passkey.isUsable ? nil : text[.formerDomain])
    }
}

/// The passkey fields of the pages' forms: the browser's WebAuthn result as JSON, written by the script.
package enum PasskeyFields {
    /// More than any authenticator sends, and less than the limit for a request's body.
    private static let limits = JSONLimits(bytes: 65_536, depth: 6)

    /// The new passkey; `nil` if the JSON cannot be one, in which case the page asks again.
    package static func registration(_ text: String?) -> PasskeyRegistrationResponse? {
        text.flatMap { try? PasskeyRegistrationResponse(JSONValue.object(parsing: Array($0.utf8), limits: limits)) }
    }

    /// The assertion; `nil` if the JSON cannot be one.
    package static func assertion(_ text: String?) -> PasskeyAssertionResponse? {
        text.flatMap { try? PasskeyAssertionResponse(JSONValue.object(parsing: Array($0.utf8), limits: limits)) }
    }
}
