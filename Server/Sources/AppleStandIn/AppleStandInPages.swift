import Core
import HTTPTypes
import WalletAuthWire
import Web

/// The pages of the stand-in. They are in English only, because they are for developers.
extension Pages {
    /// The page where a person signs in. It carries the parameters of the request along.
    func appleSignIn(_ parameters: FormParameters) -> EndpointResponse {
        let frame = frame(
            .english, title: "Sign in", heading: "Sign in with a made-up Apple Account",
            lead: "Any name works. The same name is always the same person.", brandName: "Stand-in for Apple")
        let values = AppleSignInValues(
            action: issuer.pathPrefix + AppleStandInEndpoints.root + "/auth/authorize",
            fields: parameters.parameters.filter { $0.name != "action" && $0.name != "account" }
                .map { HiddenField(name: $0.name, value: $0.value) })
        return response(.ok, values, in: frame, .english, Self.openPolicy)
    }

    /// Does not restrict form targets; neither does Apple's page. Chromium applies the policy to redirects too, and
    /// this page does not know where the receiving page will redirect.
    private static let openPolicy = ContentPolicy(formTargets: nil, script: .ownFile)

    /// The answer to the app, by redirect or form post.
    func appleAnswer(
        to redirectURI: String, _ parameters: [(name: String, value: String)], mode: AppleSignInRequest.Mode
    ) -> EndpointResponse {
        switch mode {
        case .query:
            var form = FormParameters()
            for (name, value) in parameters { form.append(name, value) }
            let separator = redirectURI.contains("?") ? "&" : "?"
            return EndpointResponse(status: .seeOther, headers: [.location: redirectURI + separator + form.encoded])
        case .formPost:
            let frame = frame(
                .english, heading: "Continue",
                lead: "Back to \(ContentPolicy.source(for: redirectURI) ?? redirectURI).",
                brandName: "Stand-in for Apple")
            let values = FormPostValues(
                action: redirectURI, fields: parameters.map { HiddenField(name: $0.name, value: $0.value) },
                submitLabel: "Continue", scriptSource: assetPath(assets.scriptName))
            return response(.ok, values, in: frame, .english, Self.openPolicy)
        }
    }

    /// The developer console: how to register the stand-in, and the events it can trigger.
    func appleConsole(issuer: Issuer, outcome: String?) -> EndpointResponse {
        let (root, team) = (issuer.url(path: AppleStandInEndpoints.root), DeveloperTeam.sandbox)
        let file = "AuthKey_\(team.keyID).p8"
        let frame = frame(
            .english, title: "Apple", heading: "Stand-in for Apple",
            lead: "It responds like Apple's service, on this machine. Production servers have no such page.",
            brandName: "Sandbox")
        let values = AppleConsoleValues(
            action: issuer.pathPrefix + AppleStandInEndpoints.root,
            notice: outcome.map { PageNotice(text: $0, isFault: false).values(heading: "") },
            setUp: [
                "curl -fsSO \(root)/\(file)",
                """
                walletauth provider add apple --team-id \(team.id) --key-id \(team.keyID) --private-key \(file) \
                --client-id com.example.wallet --client-id com.example.wallet.web --services-id com.example.wallet.web \
                --base-url \(root)
                """,
                "walletauth provider check apple",
            ],
            service: [
                ButtonValues(value: "roll-keys", label: "Rotate the signing keys"),
                ButtonValues(value: "outage", label: "Start an outage"),
                ButtonValues(value: "recovery", label: "End the outage"),
            ],
            refusals: AppleStandIn.Refusal.allCases.map { ButtonValues(value: $0.rawValue, label: $0.rawValue) },
            events: [
                ButtonValues(value: "state", label: "Check whether the app is connected"),
                ButtonValues(value: "consent-revoked", label: "Stop using Sign in with Apple"),
                ButtonValues(value: "account-delete", label: "Delete the Apple Account"),
                ButtonValues(value: "email-disabled", label: "Stop forwarding mail"),
                ButtonValues(value: "email-enabled", label: "Forward mail again"),
            ])
        return response(.ok, values, in: frame, .english, ContentPolicy())
    }
}
