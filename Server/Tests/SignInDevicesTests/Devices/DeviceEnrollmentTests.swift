import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Enrolling a device", .article("24 association of person"), .covers("/v1/challenges, /v1/devices…"))
struct DeviceEnrollmentTests {
    private func setUp(
        _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> (server: TestServer, account: AccountID, client: TestClient) {
        let server = try await TestServer.start(adjust)
        let account = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        return (server, account, try await server.publicClient())
    }

    @Test(
        "A device is enrolled after a fresh sign-in with two factors, its session is bound to it, and the holder is notified"
    )
    func enrolls() async throws {
        let (server, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        #expect(enrolled.isCurrent)
        #expect(enrolled.name.rawValue == "Ada's phone")
        #expect(enrolled.coolingUntil.secondsSince1970 == server.clock.now().seconds + 86_400)
        let listed = try await device.list()
        #expect(listed == [enrolled])
        let message = try await server.messages().first
        #expect(message?.kind == "device_enrolled")
        #expect(try message?.content.string("to") == "ada@example.com")
    }

    @Test(
        "One factor, or two of one category, enroll nothing (a thief with a password)",
        arguments: [["pwd"], ["pwd", "kba"], ["otp", "swk"], ["nonce", "otp"]])
    func weakSignIn(methods: [String]) async throws {
        let (_, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client, methods: methods)
        let challenge = try await device.challenge()
        let outcome = try await device.enroll(device.enrollment(account, over: challenge))
        #expect(outcome.refusal == .strongerSignIn(maximumAge: 300))
    }

    @Test("A sign-in that is five minutes old enrolls nothing (a stolen session)")
    func oldSignIn() async throws {
        let (server, account, client) = try await setUp { $0.devices.enrollmentFreshness = .minutes(2) }
        let device = try await TestDevice.signedIn(account, client)
        server.clock.advance(by: .minutes(2))
        let challenge = try await device.challenge()
        let outcome = try await device.enroll(device.enrollment(account, over: challenge))
        #expect(outcome.refusal == .strongerSignIn(maximumAge: 120))
    }

    @Test("A proof by another key, or for another name, enrolls nothing (a swapped key)")
    func wrongProof() async throws {
        let (_, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let challenge = try await device.challenge()
        let byAnother = try await device.enroll(
            device.enrollment(account, over: challenge, by: TestKey()))
        #expect(byAnother.refusal == .invalidProof)
        let renamed = try await device.enroll(
            device.enrollment(account, over: challenge, name: "Mallory's phone", signedFor: "Ada's phone"))
        #expect(renamed.refusal == .invalidProof)
        let devices = try await device.list()
        #expect(devices.isEmpty)
    }

    @Test("A challenge of another session, of another purpose, or that is too old enrolls nothing")
    func wrongChallenge() async throws {
        let (server, account, client) = try await setUp { $0.devices.enrollmentFreshness = .hours(1) }
        let device = try await TestDevice.signedIn(account, client)
        let other = try await TestDevice.signedIn(account, client)
        let foreign = try await device.enroll(device.enrollment(account, over: other.challenge()))
        #expect(foreign.refusal == .invalidChallenge)
        let ofAnotherPurpose = try await device.enroll(
            device.enrollment(account, over: device.challenge(.biometric)))
        #expect(ofAnotherPurpose.refusal == .invalidChallenge)
        let old = try await device.challenge()
        server.clock.advance(by: .minutes(5))
        let renewed = TestDevice(
            app: device.app,
            tokens: try await client.refresh(
                try #require(device.tokens.refreshToken), proof: device.app.key
            ).tokens(), deviceKey: device.deviceKey)
        let late = try await renewed.enroll(renewed.enrollment(account, over: old))
        #expect(late.refusal == .invalidChallenge)
    }

    @Test("A repeated request, its answer lost, gets the same device and enrolls no second")
    func lostAnswer() async throws {
        let (_, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let request = try await device.enrollment(account, over: device.challenge())
        let first = try await device.enroll(request).get()
        let second = try await device.enroll(request).get()
        #expect(first == second)
        let devices = try await device.list()
        #expect(devices.count == 1)
    }

    @Test("A device that was enrolled while the sign-in was fresh is enrolled for the request that comes again later")
    func lostAnswerLater() async throws {
        let server = try await TestServer.start { $0.devices.enrollmentFreshness = .minutes(1) }
        let account = try await server.account()
        let device = try await TestDevice.signedIn(account, try await server.publicClient())
        let request = try await device.enrollment(account, over: device.challenge())
        let first = try await device.enroll(request).get()
        server.clock.advance(by: .minutes(1))
        let second = try await device.enroll(request).get()
        #expect(first == second)
        // Another key takes another sign-in.
        var other = device
        other.deviceKey = TestKey()
        let refused = try await other.enroll(other.enrollment(account, over: other.challenge()))
        #expect(refused.refusal == .strongerSignIn(maximumAge: 60))
    }

    @Test("One sign-in enrolls one device (an intruder in the holder's session)")
    func consumed() async throws {
        let (_, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        _ = try await device.enrolled(account)
        var intruder = device
        intruder.deviceKey = TestKey()
        let outcome = try await intruder.enroll(
            intruder.enrollment(account, over: intruder.challenge(), name: "Mallory's"))
        #expect(outcome.refusal == .strongerSignIn(maximumAge: 0))
        let devices = try await device.list()
        #expect(devices.count == 1)
    }

    @Test(
        "attack: a second session of the same sign-in, with any app and key, enrolls no second device",
        .threat("A stolen password"))
    func secondSession() async throws {
        let (server, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        _ = try await device.enrolled(account)
        // The clock does not move: what comes now is of the same authentication.
        for other in [client, try await server.publicClient("other-app")] {
            let app = TestApp(client: other)
            let twin = TestDevice(
                app: app, tokens: try await other.signIn(account, proof: app.key, methods: ["pwd", "otp"]))
            let outcome = try await twin.enroll(twin.enrollment(account, over: twin.challenge()))
            #expect(outcome.refusal == .strongerSignIn(maximumAge: 0))
        }
        let anew = try await TestDevice.signedIn(account, client)
        _ = try await anew.enrolled(account, name: "Ada's tablet")
    }

    @Test("A key that was enrolled before is not taken again, not even after its removal")
    func spentKey() async throws {
        let (_, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        var other = try await TestDevice.signedIn(account, client)
        other.deviceKey = device.deviceKey
        let again = try await other.enroll(other.enrollment(account, over: other.challenge()))
        #expect(again.refusal == .keyTaken)
        let removal = try await other.remove(enrolled.id)
        #expect(removal == nil)
        let afterRemoval = try await other.enroll(other.enrollment(account, over: other.challenge()))
        #expect(afterRemoval.refusal == .keyTaken)
    }

    @Test("Of 64 enrollments at once no more than the limit get in")
    func limit() async throws {
        let (server, account, client) = try await setUp { $0.devices.limit = 3 }
        let enrolled = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    let attempt = try await TestDevice.signedIn(account, client)
                    let request = try await attempt.enrollment(account, over: attempt.challenge())
                    return try await attempt.enroll(request).refusal == nil
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(enrolled == 3)
        _ = server
    }

    @Test("A bearer token, however strong its session, enrolls nothing")
    func bearer() async throws {
        let (server, account, _) = try await setUp()
        let client = try await server.bearerClient("bearer")
        let tokens = try await client.signIn(account, methods: ["pwd", "otp"])
        let call = PresentedCredentials(
            authorization: .bearer(tokens.accessToken), proof: .none, origin: TestServer.origin)
        await #expect(throws: OAuthRefusal.unusableToken(.bindingRequired)) {
            try await server.flows.callers.app(call)
        }
    }

    @Test("The proof of a repeated request may be signed again")
    func signedAgain() async throws {
        let (server, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let challenge = try await device.challenge()
        let request = try await device.enrollment(account, over: challenge)
        let first = try await device.enroll(request).get()
        server.clock.advance(by: .seconds(10))
        let again = try await device.enrollment(account, over: challenge)
        #expect(again.proof != request.proof)
        #expect(try await device.enroll(again).get() == first)
        #expect(try await device.list().map(\.id) == [first.id])
    }

    @Test(
        "A session opened since by the same DPoP key may repeat the request, and one of another key may not"
    )
    func repeatedInAnotherSession() async throws {
        let (_, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let request = try await device.enrollment(account, over: device.challenge())
        let first = try await device.enroll(request).get()
        let later = TestDevice(
            app: device.app, tokens: try await client.signIn(account, proof: device.app.key, methods: ["pwd", "otp"]),
            deviceKey: device.deviceKey)
        #expect(try await later.enroll(request).get() == first)
        let other = try await TestDevice.signedIn(account, client)
        #expect(try await other.enroll(request).refusal == .invalidChallenge)
    }

    @Test("No refusal ends the challenge: not a wrong proof, a full account or an old sign-in")
    func refusalsLeaveTheChallenge() async throws {
        let (server, account, client) = try await setUp {
            $0.devices.enrollmentFreshness = .minutes(1)
            $0.devices.limit = 1
        }
        let other = try await TestDevice.signedIn(account, client)
        let otherID = try await other.enrolled(account).id
        let device = try await TestDevice.signedIn(account, client)
        let challenge = try await device.challenge()
        let wrong = try await device.enroll(device.enrollment(account, over: challenge, by: TestKey()))
        #expect(wrong.refusal == .invalidProof)
        let request = try await device.enrollment(account, over: challenge)
        let full = try await device.enroll(request)
        #expect(full.refusal == .tooManyDevices(limit: 1))
        let removal = try await other.remove(otherID)
        #expect(removal == nil)
        server.clock.advance(by: .minutes(1))
        let old = try await device.enroll(request)
        #expect(old.refusal == .strongerSignIn(maximumAge: 60))
        let again = TestDevice(
            app: device.app, tokens: try await client.signIn(account, proof: device.app.key, methods: ["pwd", "otp"]),
            deviceKey: device.deviceKey)
        let enrolled = try await again.enroll(request).get()
        #expect(try await again.list().map(\.id) == [enrolled.id])
    }

    @Test("Once the challenge is over a repeated request is refused, and the list of devices says that it was enrolled")
    func lostAnswerTooLate() async throws {
        let (server, account, client) = try await setUp()
        let device = try await TestDevice.signedIn(account, client)
        let request = try await device.enrollment(account, over: device.challenge())
        _ = try await device.enroll(request).get()
        server.clock.advance(by: DeviceChallenges.lifetime)
        let renewed = TestDevice(
            app: device.app,
            tokens: try await client.refresh(
                try #require(device.tokens.refreshToken), proof: device.app.key
            ).tokens(), deviceKey: device.deviceKey)
        let late = try await renewed.enroll(request)
        #expect(late.refusal == .strongerSignIn(maximumAge: 300))
        #expect(try await renewed.list().map(\.isCurrent) == [true])
    }

    @Test(
        "A repeated request has the code of an installation sent again, thirty seconds after the last at the earliest")
    func instanceCodeAgain() async throws {
        let server = try await TestServer.start()
        let account = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        let client = try await server.publicClient { $0.verifiesAppInstallation = true }
        let device = try await TestDevice.signedIn(account, client)
        let request = try await device.enrollment(account, over: device.challenge())
        for (pause, sent) in [(0, 1), (0, 1), (30, 2)] {
            server.clock.advance(by: .seconds(pause))
            _ = try await device.enroll(request).get()
            let messages = try await server.messages().filter { $0.kind == "instance_code" }
            #expect(messages.count == sent)
        }
    }
}
