import Core
import WalletAuthWire
import Web

/// Texts and fields for third-party apps, on the consent page and on the account page.
struct ClientConsentView {
    let text: Texts<ClientConsentText>
    private let device: Texts<DeviceGrantText>
    /// What the brand's own scopes let an app do.
    private let scopes: [String: String]

    init(_ language: BrandLanguage) {
        text = language.clientConsentText
        device = language.deviceGrantText
        // A text in English says more than the scope's name.
        let english = BrandLanguage(.english, language.brandTexts).texts(ofSection: TextName.scopes)
        scopes = english.merging(language.texts(ofSection: TextName.scopes)) { _, own in own }
    }

    private typealias Action = AccountPageForm.Action

    /// The heading of the consent page.
    func heading(_ request: ClientConsentRequest, client: String) -> String {
        var heading: ClientConsentText = request.granted.isEmpty ? .heading : .moreHeading
        if request.isRepeated { heading = .againHeading }
        return text[heading, ["client": Self.isolated(client)]]
    }

    func lead(_ request: ClientConsentRequest) -> String {
        text[.lead, ["user": Self.isolated(request.username)]]
    }

    /// The lists on the consent page.
    /// - Parameter redirectURI: the destination of the answer; `nil` for a device, which asks for it.
    func fields(of request: ClientConsentRequest, client: String, redirectURI: String?) -> ClientConsentValues {
        let names = ["client": Self.isolated(client)]
        let warning = text[.warning, names]
        return ClientConsentValues(
            newHeading: request.isRepeated ? text[.askedHeading] : text[.newHeading, names], scopes: asked(request.new),
            granted: request.granted.isEmpty
                ? nil
                : .init(
                    grantedHeading: request.isRepeated ? text[.alsoHeading] : text[.grantedHeading],
                    scopes: request.granted.map(line)),
            destinationLabel: redirectURI == nil ? device[.accessLabel] : text[.destinationLabel],
            destination: LineValues(redirectURI.map(destination(of:)) ?? device[.accessLine, names]),
            warning: redirectURI.map(isOnDevice) == true ? "\(text[.deviceWarning, names]) \(warning)" : warning)
    }

    /// Whether the answer stays on the person's device, where any program may take the app's place (RFC 8252 §8.6).
    private func isOnDevice(_ redirectURI: String) -> Bool { !redirectURI.hasPrefix("https://") }

    /// The button that allows nothing.
    /// - Parameter client: the app that it leads back to; `nil` if it leads nowhere.
    func leave(to client: String?) -> ButtonValues {
        ButtonValues(
            value: SignInForm.Action.cancel.rawValue,
            label: client.map { text[.leaveLabel, ["client": Self.isolated($0)]] } ?? device[.denyLabel])
    }

    /// The facts listed under "Continue as …?": the destination and, for a relying app, the scopes.
    /// - Parameter scopes: the scopes; `nil` for a first-party app.
    func confirmation(of scopes: [String]?, redirectURI: String) -> ConfirmationValues {
        ConfirmationValues(
            asked: scopes.map { .init(askedHeading: text[.askedHeading], scopes: asked($0)) },
            destinationLabel: text[.destinationLabel], destination: LineValues(destination(of: redirectURI)))
    }

    /// The list of apps on the overview, with the link to their page; `nil` if there are none.
    /// - Parameter language: the format of dates.
    func section(of apps: [ClientAccess], in language: Language) -> ClientAccessValues? {
        guard !apps.isEmpty else { return nil }
        return ClientAccessValues(
            heading: text[.appsHeading], lead: text[.appsLead], entries: apps.map { entry($0, in: language) },
            manage: ButtonsValues(
                [ButtonValues(value: Action.manageClientConsents.rawValue, label: text[.manageLabel])], style: "second")
        )
    }

    /// The introduction of the page where a person removes access.
    func lead(of apps: [ClientAccess]) -> String { apps.isEmpty ? text[.none] : text[.pageLead] }

    /// The page where a person removes access.
    /// - Parameters:
    ///   - language: the format of dates.
    ///   - others: the secondary buttons.
    func page(of apps: [ClientAccess], in language: Language, others: [ButtonValues]) -> ClientAccessPageValues {
        ClientAccessPageValues(
            entries: apps.map { app in
                let entry = entry(app, in: language)
                let remove = ButtonValues(
                    value: Action.withdrawConsent.rawValue, label: text[.removeLabel, ["client": entry.name]])
                return .init(
                    name: entry.name, since: entry.since, scopes: entry.scopes,
                    remove: ButtonsValues(
                        [remove], style: "second", field: HiddenField(name: "client", value: app.client)))
            }, others: others)
    }

    private func entry(_ app: ClientAccess, in language: Language) -> ClientAccessValues.Entry {
        .init(
            name: Self.isolated(app.name), since: text[.since, ["date": language.day(of: app.since)]],
            scopes: asked(app.scopes))
    }

    /// An app that requests no scope still learns who signed in, so the page says so.
    func asked(_ scopes: [String]) -> [String] { (scopes.isEmpty ? ["openid"] : scopes).map(line) }

    private func line(for scope: String) -> String {
        switch scope {
        case "openid": text[.openID]
        case "profile": text[.profile]
        case "email": text[.email]
        case "phone": text[.phone]
        case "address": text[.address]
        case "offline_access": text[.offlineAccess]
        default: scopes[scope] ?? usual(scope) ?? scope
        }
    }

    /// A scope of the wallet app and its example backend, unless the brand describes its own.
    private func usual(_ scope: String) -> String? {
        switch scope {
        case "accounts": text[.accounts]
        case "payments": text[.payments]
        default: nil
        }
    }

    /// The host of a web destination; for any other, a note that the answer stays on the device, with the address.
    private func destination(of redirectURI: String) -> String {
        let rest = redirectURI.drop { $0 != ":" }
        let authority = rest.hasPrefix("://") ? rest.dropFirst(3).prefix { $0 != "/" && $0 != "?" } : ""
        guard isOnDevice(redirectURI) else { return String(authority) }
        let address = redirectURI.hasPrefix("http://") ? String(authority) : redirectURI.prefix { $0 != ":" } + ":"
        return text[.deviceDestination, ["address": String(address)]]
    }

    /// A third party's name inside one of our sentences. Deceptive characters are removed, and the name is isolated so
    /// that its text direction cannot affect the words around it.
    static func isolated(_ name: String) -> String {
        let plain = String(String.UnicodeScalarView(name.unicodeScalars.filter { !ShownText.isDeceptive($0) }))
        return plain.utf8.allSatisfy { $0 < 0x80 } ? plain : "\u{2068}\(plain)\u{2069}"
    }
}

/// A third-party client's request for consent, as shown on a page.
package struct ClientConsentRequest: Sendable, Hashable, Codable {
    /// The account that is signed in, or about to be.
    package var username: String
    /// The scopes to allow.
    package var new: [String]
    /// The scopes allowed earlier.
    package var granted: [String]
    /// Whether the client already has everything and asks again (`prompt=consent`).
    package var isRepeated = false
}
