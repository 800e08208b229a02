import AuthenticationServices
import Foundation
import Testing

@testable import AppleAdapters

/// What Apple's sheet for passkeys is asked, and what its answers mean to the SDK.
@Suite("Passkeys on Apple devices", .serialized)
struct PasskeySheetTests {
    private let creation = PasskeyCreationRequest(
        site: "auth.example.com", challenge: Data([1]), userHandle: Data([2]), userName: "ada", existing: [Data([3])])
    private let use = PasskeyUseRequest(site: "auth.example.com", challenge: Data([1]))

    @Test("A new passkey is for the server's site, verifies the person and is not created where there is one")
    func create() async throws {
        PasskeyScript.sheet = .registration(.init(id: Data([4]), clientData: Data([5]), attestationObject: Data([6])))
        let made = try await PasskeySheet().create(creation)
        #expect(made == CreatedPasskey(id: Data([4]), clientData: Data([5]), attestationObject: Data([6])))
        let asked = try #require(
            PasskeyScript.asked as? ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest)
        #expect(asked.relyingPartyIdentifier == "auth.example.com")
        #expect(asked.challenge == Data([1]))
        #expect(asked.name == "ada")
        #expect(asked.userID == Data([2]))
        #expect(asked.userVerificationPreference == .required)
        #expect(asked.excludedCredentials?.map(\.credentialID) == [Data([3])])
    }

    @Test("A signature verifies the person, and is handed on as it is")
    func signature() async throws {
        PasskeyScript.sheet = .assertion(
            .init(
                id: Data([4]), clientData: Data([5]), authenticatorData: Data([6]), signature: Data([7]),
                userID: Data([8])))
        let used = try await PasskeySheet().use(use)
        #expect(
            used
                == UsedPasskey(
                    id: Data([4]), clientData: Data([5]), authenticatorData: Data([6]), signature: Data([7]),
                    userHandle: Data([8])))
        let asked = try #require(PasskeyScript.asked as? ASAuthorizationPlatformPublicKeyCredentialAssertionRequest)
        #expect(asked.userVerificationPreference == .required)
    }

    @Test("An answer that lacks a part, or is to something else, is a failure and not the person's decision")
    func incomplete() async throws {
        for sheet in [
            PasskeyScript.Sheet.assertion(
                .init(id: Data([4]), clientData: Data(), authenticatorData: nil, signature: Data([7]), userID: Data())),
            .registration(.init(id: Data([4]), clientData: Data(), attestationObject: nil)),
            .registration(.init(id: Data([4]), clientData: Data(), attestationObject: Data([6]))),
        ] {
            PasskeyScript.sheet = sheet
            await #expect {
                _ = try await PasskeySheet().use(use)
            } throws: {
                ($0 as? UserAgentFailure)?.kind == .failed
            }
        }
    }

    @Test("A closed sheet is the person's decision; one that cannot be shown and everything else are not")
    func failures() async throws {
        for (code, kind) in [
            (ASAuthorizationError.Code.canceled, UserAgentFailure.Kind.cancelledByPerson),
            (.notInteractive, .unavailable), (.unknown, .failed), (.invalidResponse, .failed),
        ] {
            PasskeyScript.sheet = .failure(ASAuthorizationError(code: code))
            await #expect {
                _ = try await PasskeySheet().create(creation)
            } throws: {
                ($0 as? UserAgentFailure)?.kind == kind
            }
        }
    }
}
