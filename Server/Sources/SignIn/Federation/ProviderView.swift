import Core
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

extension Pages {
    /// Sends a browser to an identity provider.
    ///
    /// The `form-action` of a page also restricts the redirects of its forms, and it names only the provider's own
    /// origin. If the endpoint has another origin, or may forward anywhere, the browser gets an intermediate page,
    /// whose link the policy does not restrict.
    func departure(_ departure: ProviderRedirect, acceptLanguage: String?) -> EndpointResponse {
        let isNamed = ContentPolicy.source(for: departure.url) == ContentPolicy.source(for: departure.place)
        // Always 303: the browser follows with a GET, so a password in this request's body is not forwarded.
        if isNamed, !departure.redirectsToOtherHosts {
            return EndpointResponse(status: .seeOther, headers: [.location: departure.url])
        }
        let language = Language.choose(
            locales: departure.locales.map(\.rawValue), acceptLanguage: acceptLanguage)
        let text = BrandLanguage(language, departure.appearance.texts).providerText
        return continuation(
            to: departure.url, lead: text[.leaving, ["provider": departure.name]], appearance: departure.appearance,
            language)
    }
}

/// Texts and fields for identity providers on the sign-in page.
struct ProviderView {
    let text: Texts<ProviderText>

    /// The buttons; `nil` if there are no providers.
    /// - Parameter isAlone: whether the page has no form of the password next to them.
    func buttons(_ providers: [SignInPage.Provider], isAlone: Bool = false) -> ProviderValues? {
        guard !providers.isEmpty else { return nil }
        return ProviderValues(
            press: SignInForm.Action.useProvider.rawValue, divider: isAlone ? nil : text[.divider],
            buttons: providers.map { provider in
                let label = text[provider.isVendor ? .signInLabel : .continueLabel, ["provider": provider.name]]
                return .init(id: provider.id.rawValue, label: label, isApple: provider.style == .apple)
            })
    }

    func lead(_ offer: SignInPage.NewAccount, brand: String) -> String {
        text[.newAccountLead, ["provider": offer.provider, "brand": brand]]
    }

    /// Leads from the offer of a new account to the sign-in of a person who has one.
    var existingAccount: ButtonValues {
        ButtonValues(value: SignInForm.Action.otherAccount.rawValue, label: text[.existingAccountLabel])
    }

    /// The fields of the page that offers a new account.
    func fields(of offer: SignInPage.NewAccount, _ common: Texts<PageText>, brand: String) -> NewAccountValues {
        NewAccountValues(
            existingAccountHint: text[.existingAccountHint], usernameLabel: common[.usernameLabel],
            usernameHint: common[.usernameHint], username: offer.username,
            email: offer.email.map { text[.emailLine, ["email": $0, "provider": offer.provider]] },
            terms: offer.termsURL.map {
                .init(line: text[.termsLine, ["brand": brand]], url: $0, label: text[.termsLabel])
            })
    }
}
