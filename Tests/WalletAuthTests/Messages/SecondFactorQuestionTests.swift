import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("What a person is asked for a second factor")
struct SecondFactorQuestionTests {
    /// The challenge of a sign-in whose server asks for this factor.
    private func challenge(
        _ method: String, question: String? = nil, destination: String? = nil, isCodeSent: Bool = true
    ) async throws -> MFAChallenge {
        let world = World()
        var factor = InsufficientAuthorization.SecondFactor(
            token: try MFAToken("mfa-of-the-test"), method: method, question: question,
            channel: method == "otp" ? "SMS" : nil, destination: destination)
        factor.isCodeSent = isCodeSent
        let asking = InsufficientAuthorization(
            OAuthError(.insufficientAuthorization, errorCode: .mfaRequired),
            authSession: try AuthSession("session-of-the-test"), secondFactor: factor)
        world.server.inject(
            .answer(
                HTTPResponse(
                    status: 400, headers: ["Content-Type": "application/json"], body: Data(asking.json.bytes))),
            at: Endpoints.authorizeChallenge.path)
        return try await world.wallet().login(username: "alice", password: "correct horse").secondFactor()
    }

    @Test("A code says where it was sent, and that none is coming if too many were sent; an app's code says which")
    func codes() async throws {
        func question(_ challenge: MFAChallenge) -> String {
            UserErrorMessages.builtIn.question(of: challenge, languages: ["en"])
        }
        let sentTo = try await challenge("otp", destination: "•••• 27")
        #expect(question(sentTo) == "We sent a code to •••• 27. Enter it here.")
        #expect(question(try await challenge("otp")) == "We sent you a code. Enter it here.")
        let unsent = try await challenge("otp", destination: "•••• 27", isCodeSent: false)
        #expect(question(unsent).hasPrefix("We can’t send a code right now"))
        #expect(question(try await challenge("totp")) == "Enter the code from your authenticator app.")
        #expect(question(try await challenge("recovery_code")) == "Enter one of your recovery codes.")
    }

    @Test("A secret question is asked in the person's own words, in every language")
    func secretQuestion() async throws {
        let challenge = try await challenge("secret_question", question: "First pet?")
        for language in UserErrorMessages.builtInLanguages {
            #expect(UserErrorMessages.builtIn.question(of: challenge, languages: [language]) == "First pet?")
        }
    }

    @Test("The person's first language that has a text is used, with or without a region, and English if none has")
    func languages() async throws {
        let challenge = try await challenge("totp")
        func question(_ languages: String...) -> String {
            UserErrorMessages.builtIn.question(of: challenge, languages: languages)
        }
        #expect(Set(["en", "de-AT", "fr_CH", "es", "bg"].map { question($0) }).count == 5)
        #expect(question("xx", "fr") == question("fr"))
        #expect(question("xx") == question("en"))
    }

    @Test("An app replaces the words, and the destination is filled in there too")
    func replaced() async throws {
        var messages = UserErrorMessages()
        messages.replace("second_factor.code_sent_to", in: "it", with: "Il codice è a {destination}.")
        let challenge = try await challenge("otp", destination: "a•••@example.com")
        #expect(messages.question(of: challenge, languages: ["it"]) == "Il codice è a a•••@example.com.")
    }
}
