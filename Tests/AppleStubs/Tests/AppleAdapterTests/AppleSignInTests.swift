import AuthenticationServices
import Foundation
import Testing

@testable import AppleAdapters

/// What Apple's sheet and Apple's word on a credential mean to the SDK.
@Suite("Sign in with Apple", .serialized)
struct AppleSignInTests {
    private func nonce() throws -> FederatedNonce {
        try JSONDecoder().decode(FederatedNonce.self, from: Data(#"{"value":"n-0S6","challengeID":"c-1"}"#.utf8))
    }

    private func given(_ code: String?, _ token: String?) -> AppleIDScript.Sheet {
        .credential(
            .init(
                user: "001", authorizationCode: code.map { Data($0.utf8) }, identityToken: token.map { Data($0.utf8) }))
    }

    @Test("Apple gets the server's nonce verbatim, and what Apple gives is handed on as it is")
    func verbatim() async throws {
        AppleIDScript.sheet = given("c.1", "e30.e30.c2ln")
        let credential = try await AppleSignInSheet().credential(nonce: nonce())
        #expect(credential.authorizationCode == "c.1")
        #expect(credential.identityToken == "e30.e30.c2ln")
        #expect(try credential.nonce == nonce())
        #expect(AppleIDScript.asked?.nonce == "n-0S6")
        #expect(AppleIDScript.asked?.requestedScopes == [.email])
        #expect(!"\(credential) \(String(reflecting: credential))".contains("c.1"))
        _ = try await AppleSignInSheet(requestsEmail: false).credential(nonce: nonce())
        #expect(AppleIDScript.asked?.requestedScopes == [])
    }

    @Test("A closed sheet is the person's decision; a sheet that cannot be shown and everything else are not")
    func failures() async throws {
        for (code, kind) in [
            (ASAuthorizationError.Code.canceled, UserAgentFailure.Kind.cancelledByPerson),
            (.notInteractive, .unavailable), (.unknown, .failed), (.invalidResponse, .failed),
        ] {
            AppleIDScript.sheet = .failure(ASAuthorizationError(code: code))
            await #expect {
                try await AppleSignInSheet().credential(nonce: nonce())
            } throws: {
                ($0 as? UserAgentFailure)?.kind == kind
            }
        }
    }

    @Test("A credential without a code or without an identity token is none")
    func incomplete() async throws {
        for sheet in [given(nil, "e30.e30.c2ln"), given("c.1", nil)] {
            AppleIDScript.sheet = sheet
            await #expect {
                try await AppleSignInSheet().credential(nonce: nonce())
            } throws: {
                ($0 as? UserAgentFailure)?.kind == .failed
            }
        }
    }

    @Test("Cancelling the task takes the sheet away")
    func cancellation() async throws {
        AppleIDScript.cancelled = 0
        let shown = AsyncStream.makeStream(of: Void.self)
        AppleIDScript.sheet = .nothing { shown.continuation.yield() }
        let nonce = try nonce()
        let task = Task { try await AppleSignInSheet().credential(nonce: nonce) }
        for await _ in shown.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(AppleIDScript.cancelled == 1)
    }

    @Test("Apple's word on a credential is handed on; with an error it counts for nothing, though it reads revoked")
    func states() async throws {
        let states = AppleIDCredentialStates()
        for (theirs, ours) in [
            (ASAuthorizationAppleIDProvider.CredentialState.authorized, AppleCredentialState.authorized),
            (.revoked, .revoked), (.notFound, .notFound), (.transferred, .transferred),
        ] {
            AppleIDScript.state = { user in user == "001" ? (theirs, nil) : (.notFound, nil) }
            #expect(try await states.state(ofUser: "001") == ours)
        }
        AppleIDScript.state = { _ in (.revoked, ASAuthorizationError(code: .unknown)) }
        await #expect(throws: ASAuthorizationError.self) { try await states.state(ofUser: "001") }
    }

    @Test("Each notification of a revocation is a value of the stream")
    func notifications() async {
        let revocations = AppleIDCredentialStates().revocations
        NotificationCenter.default.post(
            name: ASAuthorizationAppleIDProvider.credentialRevokedNotification, object: nil)
        var count = 0
        for await _ in revocations {
            count += 1
            break
        }
        #expect(count == 1)
    }
}
