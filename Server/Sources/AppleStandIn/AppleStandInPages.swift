import Core
import HTTPTypes
import WalletAuthWire
import Web

extension Pages {
    /// The page where a person signs in. It carries the parameters of the request along.
    func appleSignIn(_ parameters: FormParameters, _ language: Language) -> EndpointResponse {
        let text = language.appleStandIn
        let frame = frame(
            language, heading: text[.signInHeading], lead: text[.signInLead], brandName: language.sandbox[.standIn])
        let values = AppleSignInValues(
            action: issuer.pathPrefix + AppleStandInEndpoints.root + "/auth/authorize",
            fields: parameters.parameters.filter { $0.name != "action" && $0.name != "account" }
                .map { HiddenField(name: $0.name, value: $0.value) }, accountLabel: text[.accountLabel],
            hideLabel: text[.hideLabel], continueLabel: language.text[.continueLabel],
            cancelLabel: language.text[.cancelLabel])
        return response(.ok, values, in: frame, language, Self.openPolicy)
    }

    /// Does not restrict form targets; neither does Apple's page. Chromium applies the policy to redirects too, and
    /// this page does not know where the receiving page will redirect.
    private static let openPolicy = ContentPolicy(formTargets: nil, script: .ownFile)

    /// The answer to the app, by redirect or form post.
    func appleAnswer(
        to redirectURI: String, _ parameters: [(name: String, value: String)], mode: AppleSignInRequest.Mode,
        _ language: Language
    ) -> EndpointResponse {
        switch mode {
        case .query:
            var form = FormParameters()
            for (name, value) in parameters { form.append(name, value) }
            let separator = redirectURI.contains("?") ? "&" : "?"
            return EndpointResponse(status: .seeOther, headers: [.location: redirectURI + separator + form.encoded])
        case .formPost:
            let host = ContentPolicy.source(for: redirectURI) ?? redirectURI
            let frame = frame(
                language, heading: language.text[.continueHeading],
                lead: language.text[.continueMessage, ["host": host]], brandName: language.sandbox[.standIn])
            let values = FormPostValues(
                action: redirectURI, fields: parameters.map { HiddenField(name: $0.name, value: $0.value) },
                submitLabel: language.text[.continueLabel], scriptSource: assetPath(assets.scriptName))
            return response(.ok, values, in: frame, language, Self.openPolicy)
        }
    }

    /// The developer console: how to register the stand-in, and the events it can trigger. Before it is registered, that comes first:
    /// nothing else works without it.
    /// - Parameter signInPath: the path of the test sign-in.
    func appleConsole(
        _ notice: PageNotice?, isRegistered: Bool, signInPath: String, _ language: Language,
        status: HTTPResponse.Status = .ok
    ) -> EndpointResponse {
        let text = language.appleStandIn
        let registration = AppleConsoleValues.Registration(
            heading: text[.registerHeading], advice: text[.registerAdvice], commands: setUp,
            signIn: LinkValues(address: issuer.pathPrefix + signInPath, label: language.sandbox[.signInLabel]))
        let frame = frame(
            language, title: notice.map { "\($0.text) – \(language.sandbox[.standIn])" },
            heading: language.sandbox[.standIn], lead: text[.lead], brandName: language.sandbox[.name])
        let values = AppleConsoleValues(
            action: issuer.pathPrefix + AppleStandInEndpoints.root,
            notice: notice?.values(heading: language.text[.faultHeading]),
            toRegister: isRegistered ? nil : registration, registered: isRegistered ? registration : nil,
            serviceHeading: text[.serviceHeading],
            service: [
                ButtonValues(value: "roll-keys", label: text[.rollKeysLabel]),
                ButtonValues(value: "outage", label: text[.outageLabel]),
                ButtonValues(value: "recovery", label: text[.recoveryLabel]),
            ], refusalsHeading: text[.refusalsHeading],
            refusals: AppleStandIn.Refusal.allCases.map { ButtonValues(value: $0.rawValue, label: $0.rawValue) },
            personHeading: text[.personHeading], accountLabel: text[.accountLabel], appLabel: text[.appLabel],
            hidesLabel: text[.hidesLabel],
            events: [
                ButtonValues(value: "state", label: text[.stateLabel]),
                ButtonValues(value: "consent-revoked", label: text[.consentRevokedLabel]),
                ButtonValues(value: "account-delete", label: text[.accountDeleteLabel]),
                ButtonValues(value: "email-disabled", label: text[.emailDisabledLabel]),
                ButtonValues(value: "email-enabled", label: text[.emailEnabledLabel]),
            ], home: LinkValues(address: issuer.pathPrefix + "/", label: language.sandbox[.backLabel]))
        return response(status, values, in: frame, language, ContentPolicy())
    }

    /// The commands that register the stand-in.
    private var setUp: String {
        let (root, team) = (issuer.url(path: AppleStandInEndpoints.root), DeveloperTeam.sandbox)
        let file = "AuthKey_\(team.keyID).p8"
        return """
            curl -fsSO \(root)/\(file)
            walletauth provider add apple --team-id \(team.id) --key-id \(team.keyID) \\
                --private-key \(file) \\
                --client-id com.example.wallet --client-id com.example.wallet.web \\
                --services-id com.example.wallet.web --base-url \(root)
            walletauth provider check apple
            """
    }
}
