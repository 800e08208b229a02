import Core
import HTTPTypes
import WalletAuthWire
import Web

/// What a test sign-in ended with.
enum SandboxSignInOutcome {
    case done(idToken: JSONObject, userInfo: JSONObject)
    /// The error of the authorization response, and its description.
    case refused(String, String?)
}

/// The sandbox's pages. They are in English only, because they are for developers.
extension Pages {
    func sandboxHome(_ values: SandboxHomeValues) -> EndpointResponse {
        let frame = frame(
            .english, title: values.created.map { "\($0.heading) – Your sandbox" }, heading: "Your sandbox",
            lead: """
                An authorization server for wallet apps, on this machine and for trying things out. Production servers have no \
                such page.
                """, brandName: "Sandbox")
        return response(.ok, values, in: frame, .english, ContentPolicy())
    }

    func sandboxSignIn(_ outcome: SandboxSignInOutcome, again: (signIn: String, home: String)) -> EndpointResponse {
        let (heading, lead, lists): (String, String, [SandboxSignInValues.Claims]) =
            switch outcome {
            case .done(let idToken, let userInfo):
                (
                    "You signed in", "An app would now have tokens. This is what they tell it about you.",
                    [list("ID token", idToken), list("Userinfo", userInfo)]
                )
            case .refused(let error, let description):
                ("You did not sign in", description ?? "The app gets the error \(error).", [])
            }
        let frame = frame(.english, heading: heading, lead: lead, brandName: "Sandbox")
        return response(
            .ok, SandboxSignInValues(lists: lists, signIn: again.signIn, home: again.home), in: frame, .english,
            ContentPolicy())
    }

    private func list(_ heading: String, _ claims: JSONObject) -> SandboxSignInValues.Claims {
        .init(
            heading: heading,
            facts: claims.members.map { .init(name: $0.name, value: $0.value.string ?? $0.value.text) })
    }
}
