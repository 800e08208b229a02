package import Core
package import WalletAuthWire
import Web

/// Texts and fields for passkeys on the pages.
package struct PasskeyView {
    let text: Texts<PasskeyText>

    package init(text: Texts<PasskeyText>) { self.text = text }

    private typealias Action = AccountPageForm.Action

    package func signIn(_ options: PasskeyRequestOptions) -> [String: Any] {
        [
            "options": JSONValue.object(options.json).text, "press": SignInForm.Action.usePasskey.rawValue,
            "button": text[.signInLabel], "failed": text[.signInFailed], "suggested": "username",
        ]
    }

    /// The form that approves an operation with a passkey.
    /// - Parameter action: the value of the form's button.
    package func agree(_ options: PasskeyRequestOptions, by action: String) -> [String: Any] {
        [
            "options": JSONValue.object(options.json).text, "press": action,
            "button": text[.agreeLabel], "failed": text[.agreeFailed],
        ]
    }

    /// The section of the overview that links to the passkeys.
    package var section: [String: String] {
        [
            "heading": text[.label], "lead": text[.lead], "press": Action.managePasskeys.rawValue,
            "button": text[.manageLabel],
        ]
    }

    /// The passkey page of an account.
    /// - Parameters:
    ///   - language: the format of dates.
    ///   - others: the secondary buttons, each with its `value` and `label`.
    package func fields(
        of overview: PasskeyOverview, in language: Language, others: [[String: String]]
    ) -> [String: Any] {
        var fields: [String: Any] = [
            "others": others, "nameLabel": text[.nameLabel],
            "remove": Action.removePasskey.rawValue,
            "removeLabel": text[.removeLabel], "rename": Action.renamePasskey.rawValue,
            "renameLabel": text[.renameLabel],
            "passkeys": overview.passkeys.map { self.fields(of: $0, in: language) },
        ]
        if overview.passkeys.isEmpty { fields["none"] = text[.none] }
        if let creation = overview.creation {
            fields["creation"] = [
                "options": JSONValue.object(creation.json).text, "add": Action.addPasskey.rawValue,
                "heading": text[.addHeading], "lead": text[.addLead], "addLabel": text[.addLabel],
                "failed": text[.addFailed],
                "known": text[.known], "unsupported": text[.unsupported],
            ]
        } else {
            fields["full"] = text[.tooMany, ["count": String(overview.passkeys.count)]]
        }
        return fields
    }

    private func fields(of passkey: PasskeyOverview.Entry, in language: Language) -> [String: Any] {
        var fields: [String: Any] = [
            "id": passkey.id, "name": passkey.name.isEmpty ? "…" : passkey.name, "label": "passkey-\(passkey.id)",
            "added": text[.added, ["date": language.day(of: passkey.createdAt)]],
            "used": passkey.lastUsedAt.map { text[.used, ["date": language.day(of: $0)]] }
                ?? text[.neverUsed],
        ]
        if passkey.isSynced { fields["synced"] = text[.synced] }
        if !passkey.isUsable { fields["unusable"] = text[.formerDomain] }
        return fields
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
