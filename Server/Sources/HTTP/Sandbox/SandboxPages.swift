import Core
import HTTPTypes
import SignIn
import WalletAuthWire
import Web

/// What a test sign-in ended with.
enum SandboxSignInOutcome {
    case done(idToken: JSONObject, userInfo: JSONObject)
    /// The error of the authorization response, and its description.
    case refused(String, String?)
    /// The person began again in the same browser, in another tab.
    case superseded
}

extension Pages {
    func sandboxHome(_ values: SandboxHomeValues, _ language: Language) -> EndpointResponse {
        let text = language.sandbox
        let frame = frame(
            language, title: values.created.map { "\($0.heading) – \(text[.heading])" }, heading: text[.heading],
            lead: text[.lead], brandName: text[.name])
        let script: ContentPolicy.Script = values.scriptSource == nil ? .none : .ownFile
        return response(.ok, values, in: frame, language, ContentPolicy(script: script))
    }

    func sandboxSignIn(
        _ outcome: SandboxSignInOutcome, again: (signIn: String, home: String), _ language: Language
    ) -> EndpointResponse {
        let text = language.sandbox
        let (heading, lead, detail, lists): (String, String, String?, [SandboxSignInValues.Claims]) =
            switch outcome {
            case .done(let idToken, let userInfo):
                (
                    text[.signedInHeading], text[.signedInLead], nil,
                    [list(text[.idTokenHeading], idToken), list(text[.userInfoHeading], userInfo)]
                )
            case .refused(let error, let description):
                (
                    text[.refusedHeading], text[.refusedLead, ["error": error]],
                    description == SignInPage.cancelled ? text[.cancelled] : description, []
                )
            case .superseded: (text[.supersededHeading], text[.supersededLead], nil, [])
            }
        var status = HTTPResponse.Status.ok
        if case .superseded = outcome { status = .conflict }
        let frame = frame(language, heading: heading, lead: lead, brandName: text[.name])
        let values = SandboxSignInValues(
            detail: detail, lists: lists, signIn: LinkValues(address: again.signIn, label: text[.signInAgainLabel]),
            home: LinkValues(address: again.home, label: text[.backLabel]))
        return response(status, values, in: frame, language, ContentPolicy())
    }

    private func list(_ heading: String, _ claims: JSONObject) -> SandboxSignInValues.Claims {
        .init(
            heading: heading,
            facts: claims.members.map { .init(name: $0.name, value: $0.value.string ?? $0.value.text) })
    }
}
