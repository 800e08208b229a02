import Core
import HTTPTypes
import WalletAuthWire
import Web

/// The pages of the stand-in. They are in English only, because they are for developers.
extension Pages {
    /// The page where a person signs in. It carries the parameters of the request along.
    func appleSignIn(_ parameters: FormParameters) -> EndpointResponse {
        var values = frame(.english, title: "Sign in", brandName: "Stand-in for Apple")
        values["heading"] = "Sign in with a made-up Apple Account"
        values["lead"] = "Any name works. The same name is always the same person."
        values["action"] = issuer.pathPrefix + AppleStandInEndpoints.root + "/auth/authorize"
        values["fields"] = parameters.parameters.filter { $0.name != "action" && $0.name != "account" }
            .map { ["name": $0.name, "value": $0.value] }
        return response(.ok, .appleSignIn, values, .english, Self.openPolicy)
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
            var values = frame(.english, title: "Continue", brandName: "Stand-in for Apple")
            values["heading"] = "Continue"
            values["lead"] = "Back to \(ContentPolicy.source(for: redirectURI) ?? redirectURI)."
            values["submitLabel"] = "Continue"
            values["action"] = redirectURI
            values["fields"] = parameters.map { ["name": $0.name, "value": $0.value] }
            values["scriptSource"] = assetPath(assets.scriptName)
            return response(.ok, .formPost, values, .english, Self.openPolicy)
        }
    }

    /// The developer console: how to register the stand-in, and the events it can trigger.
    func appleConsole(issuer: Issuer, outcome: String?) -> EndpointResponse {
        let (root, team) = (issuer.url(path: AppleStandInEndpoints.root), DeveloperTeam.sandbox)
        let file = "AuthKey_\(team.keyID).p8"
        var values = frame(.english, title: "Apple", brandName: "Sandbox")
        values["heading"] = "Stand-in for Apple"
        values["lead"] = "It responds like Apple's service, on this machine. Production servers have no such page."
        values["setUp"] = [
            "curl -fsSO \(root)/\(file)",
            """
            walletauth provider add apple --id apple --team-id \(team.id) --key-id \(team.keyID) --private-key \(file) \
            --client-id com.example.wallet --client-id com.example.wallet.web --services-id com.example.wallet.web \
            --base-url \(root)
            """,
            "walletauth provider check apple",
        ].map { ["line": $0] }
        if let outcome {
            values["notice"] = outcome
            values["hasNotice"] = true
            values["noticeKind"] = "good"
            values["noticeRole"] = "status"
        }
        values["action"] = issuer.pathPrefix + AppleStandInEndpoints.root
        values["service"] = [
            ["value": "roll-keys", "label": "Rotate the signing keys"],
            ["value": "outage", "label": "Start an outage"], ["value": "recovery", "label": "End the outage"],
        ]
        values["refusals"] = AppleStandIn.Refusal.allCases.map { ["value": $0.rawValue, "label": $0.rawValue] }
        values["events"] = [
            ["value": "state", "label": "Check whether the app is connected"],
            ["value": "consent-revoked", "label": "Stop using Sign in with Apple"],
            ["value": "account-delete", "label": "Delete the Apple Account"],
            ["value": "email-disabled", "label": "Stop forwarding mail"],
            ["value": "email-enabled", "label": "Forward mail again"],
        ]
        return response(.ok, .appleConsole, values, .english, ContentPolicy())
    }
}
