import Core
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

extension Pages {
    /// The answer to an app by `response_mode=form_post`.
    ///
    /// Its policy does not restrict forms: browsers would apply `form-action` also to where the app redirects after the form. The page
    /// asks for nothing, and its only form is the answer itself.
    func formPost(_ redirect: AuthorizationRedirect, acceptLanguage: String?) -> EndpointResponse {
        let language = Language.choose(
            locales: redirect.locales.map(\.rawValue), acceptLanguage: acceptLanguage)
        let text = BrandLanguage(language, redirect.appearance?.texts).text
        let origin = ContentPolicy.source(for: redirect.redirectURI) ?? redirect.redirectURI
        let look = redirect.appearance.map(BrandStyle.init) ?? BrandStyle()
        let frame = frame(
            language, heading: text[.continueHeading], lead: text[.continueMessage, ["host": origin]],
            brandName: redirect.appearance?.name ?? ownName, look: look)
        let values = FormPostValues(
            action: redirect.redirectURI,
            fields: redirect.sent.map { HiddenField(name: $0.name, value: $0.value) },
            submitLabel: text[.continueLabel], scriptSource: assetPath(assets.scriptName))
        return response(
            .ok, values, in: frame, language,
            ContentPolicy(formTargets: nil, images: look.images, script: .ownFile))
    }
}
