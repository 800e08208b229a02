import AuthCore
import Testing
import WalletAuthWire

@testable import AuthCredentials
@testable import AuthFlows
@testable import AuthFoundation

/// Challenges describe their own JSON. A process of an earlier version encodes and decodes it with Foundation's coders.
@Suite("The form of challenges")
struct ChallengeFormatTests {
    private struct Content: Codable, Sendable {
        struct Binding: Codable, Sendable, Hashable {
            var purpose: ChallengeRequest.Purpose
            var thumbprint: JWKThumbprint
            var account: String?
            var device: String?
            var transaction: String?
        }

        var binding: Binding
        var nonce: Nonce
        var madeAt: Timestamp
    }

    private static func states(on server: TestServer) -> SealedState<Content> {
        SealedState(
            context: server.context, purpose: .signIn, label: "challenge", lifetime: DeviceChallenges.lifetime)
    }

    @Test("A challenge opens for Foundation's decoder, with every member")
    func written() async throws {
        let server = try await TestServer.start()
        let (key, now) = (TestKey().thumbprint, server.clock.now())
        let issued = try DeviceChallenges(context: server.context).issue(
            DeviceChallenges.Binding(
                purpose: .transaction, thumbprint: key, account: "a", device: "d", transaction: "t"), now: now)
        let content = try #require(Self.states(on: server).open(issued.challengeID.rawValue, now: now))
        let binding = Content.Binding(
            purpose: .transaction, thumbprint: key, account: "a", device: "d", transaction: "t")
        #expect(content.binding == binding)
        #expect(content.nonce == issued.nonce)
        #expect(content.madeAt == now)
    }

    @Test("A challenge that Foundation's encoder wrote opens for its binding, and for no other")
    func read() async throws {
        let server = try await TestServer.start()
        let (key, now) = (TestKey().thumbprint, server.clock.now())
        let nonce = try Nonce("a/nonce \"with\" escapes")
        let sealed = try Self.states(on: server).seal(
            Content(binding: Content.Binding(purpose: .deviceToken, thumbprint: key), nonce: nonce, madeAt: now),
            now: now)
        let challenges = DeviceChallenges(context: server.context)
        func open(_ device: String?) throws -> DeviceChallenges.Opened? {
            challenges.open(
                try ChallengeID(sealed),
                for: DeviceChallenges.Binding(purpose: .deviceToken, thumbprint: key, account: nil, device: device),
                now: now)
        }
        let opened = try open(nil)
        #expect(opened?.nonce == nonce)
        #expect(opened?.madeAt == now)
        let other = try open("d")
        #expect(other == nil)
    }
}
