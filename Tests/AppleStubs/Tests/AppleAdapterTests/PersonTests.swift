import AuthenticationServices
import Foundation
import LocalAuthentication
import Testing

@testable import AppleAdapters

/// What the person does with a page or a question, and what the SDK learns about it.
@Suite("The adapters before a person", .serialized)
struct PersonTests {
    let page = URL(filePath: "/page")

    func present(_ redirectURI: String, _ behavior: @escaping (ASWebAuthenticationSession) -> Bool) async throws
        -> UserAgentOutcome
    {
        WebAuthenticationScript.behavior = behavior
        let session = try await WebAuthenticationUserAgent().begin(redirectURI: try #require(URL(string: redirectURI)))
        return try await session.present(page)
    }

    @Test("the page's callback is handed on, also from a queue of the system's own")
    func callback() async throws {
        let url = try #require(URL(string: "com.example.wallet:/cb?code=c"))
        let outcome = try await present("com.example.wallet:/cb") { session in
            nonisolated(unsafe) let complete = session.complete
            Thread.detachNewThread { complete(url, nil) }
            return true
        }
        #expect(outcome == .callback(url))
    }

    @Test("a closed page is the person's decision, a missing window is not")
    func closing() async throws {
        for (code, kind) in [
            (ASWebAuthenticationSessionError.Code.canceledLogin, UserAgentFailure.Kind.cancelledByPerson),
            (.presentationContextNotProvided, .unavailable), (.presentationContextInvalid, .unavailable),
        ] {
            await #expect {
                try await present("com.example.wallet:/cb") { session in
                    session.complete(nil, ASWebAuthenticationSessionError(code: code))
                    return true
                }
            } throws: {
                ($0 as? UserAgentFailure)?.kind == kind
            }
        }
    }

    @Test("a page that cannot be shown is reported, and an http redirect refused")
    func notShown() async {
        for uri in ["com.example.wallet:/cb", "http://127.0.0.1/cb"] {
            await #expect {
                try await present(uri) { _ in false }
            } throws: {
                ($0 as? UserAgentFailure)?.kind == .unavailable
            }
        }
    }

    @Test("cancelling the task takes the page away")
    func cancellation() async throws {
        WebAuthenticationScript.cancelled = 0
        let shown = AsyncStream.makeStream(of: Void.self)
        WebAuthenticationScript.behavior = { _ in
            shown.continuation.yield()
            return true
        }
        let uri = try #require(URL(string: "https://app.example.com/cb"))
        let session = try await WebAuthenticationUserAgent().begin(redirectURI: uri)
        let page = page
        let task = Task { try await session.present(page) }
        for await _ in shown.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(WebAuthenticationScript.cancelled == 1)
        await session.close()
    }

    @Test("presence is confirmed, refused, locked out or unavailable, and what the device can ask for is reported")
    func presence() async throws {
        let presence = DeviceOwnerPresence()
        PresenceScript.policies = []
        #expect(await presence.capability() == .none)
        PresenceScript.policies = [.deviceOwnerAuthentication]
        #expect(await presence.capability() == .passcode)
        PresenceScript.policies = [.deviceOwnerAuthentication, .deviceOwnerAuthenticationWithBiometrics]
        #expect(await presence.capability() == .biometrics)
        PresenceScript.failure = nil
        try await presence.confirm(reason: "Pay")
        for (code, failure) in [
            (LAError.Code.userCancel, UserPresenceFailure.refused), (.authenticationFailed, .refused),
            (.biometryLockout, .lockedOut), (.passcodeNotSet, .unavailable),
        ] {
            PresenceScript.failure = code
            await #expect(throws: failure) { try await presence.confirm(reason: "Pay") }
        }
    }

    @Test("a question that a cancelled task takes back is no refusal by the person")
    func cancelledPresence() async {
        PresenceScript.failure = .appCancel
        PresenceScript.whileAsking = { withUnsafeCurrentTask { $0?.cancel() } }
        let confirmation = Task { try await DeviceOwnerPresence().confirm(reason: "Pay") }
        await #expect(throws: CancellationError.self) { try await confirmation.value }
        PresenceScript.whileAsking = {}
    }
}
