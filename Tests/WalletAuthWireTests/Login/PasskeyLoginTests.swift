import Testing
import WalletAuthWire

@Suite("Signing in with a passkey, on the wire")
struct PasskeyLoginTests {
    private let assertion = PasskeyAssertionResponse(
        id: [UInt8](repeating: 1, count: 16), clientData: Array("{}".utf8), authenticatorData: [2], signature: [3],
        userHandle: [4])

    private func request(_ step: AuthorizeChallengeRequest.Step) throws -> AuthorizeChallengeRequest {
        AuthorizeChallengeRequest(
            clientID: try ClientID("app"),
            codeChallenge: CodeChallenge(verifier: try CodeVerifier(String(repeating: "v", count: 43))), step: step)
    }

    @Test("A passkey's response comes back as it was sent, with a name or without, also as a second factor")
    func roundTrip() throws {
        for step: AuthorizeChallengeRequest.Step in [
            .begin(.passkey(PasskeyLogin(assertion: assertion))),
            .begin(.passkey(PasskeyLogin(assertion: assertion, username: try Username("ada")))),
            .proceed(try AuthSession("s"), .passkey(assertion)),
        ] {
            let request = try request(step)
            #expect(try AuthorizeChallengeRequest(form: FormParameters(parsing: request.form.encoded)) == request)
        }
    }

    @Test("What is no response of a passkey is bad_request", arguments: ["", "{}", "[]", #"{"type":"public-key"}"#])
    func malformed(text: String) throws {
        let other = try request(.begin(.passkey(PasskeyLogin(assertion: assertion)))).form
        var form = FormParameters()
        for name in ["client_id", "code_challenge", "code_challenge_method", "login_method"] {
            form.append(name, other[name])
        }
        form.append("assertion", text)
        let refused = #expect(throws: OAuthError.self) { try AuthorizeChallengeRequest(form: form) }
        #expect(refused?.errorCode == .badRequest)
    }

    @Test("The requests to the authenticator come back as they were sent, in the form of WebAuthn")
    func options() throws {
        let use = PasskeyRequestOptions(relyingPartyID: "auth.example.com", challenge: [1, 2], timeout: 300_000)
        #expect(try PasskeyRequestOptions(use.json) == use)
        #expect(use.json["challenge"]?.string == "AQI")
        #expect(use.json["userVerification"]?.string == "required")
        let creation = PasskeyCreationOptions(
            relyingPartyID: "auth.example.com", relyingPartyName: "Example", userHandle: [5], userName: "ada",
            challenge: [1, 2], exclude: [PasskeyDescriptor(id: [6], transports: ["internal"])], timeout: 300_000)
        #expect(try PasskeyCreationOptions(creation.json) == creation)
        #expect(creation.json["attestation"]?.string == "none")
        #expect(throws: MalformedValue.self) { try PasskeyCreationOptions(use.json) }
    }

    @Test("A new passkey comes back as it was sent, and a misspelled member is refused")
    func addition() throws {
        let made = PasskeyRegistrationResponse(
            id: [1], clientData: [2], attestationObject: [3], transports: ["internal"])
        let addition = PasskeyAddition(credential: made, name: try DeviceName("Phone"))
        #expect(try PasskeyAddition(addition.json) == addition)
        var misspelled = addition.json
        misspelled["nmae"] = "Phone"
        #expect(throws: MalformedValue.self) { try PasskeyAddition(misspelled) }
    }
}
