import Core
import Kernel
import Testing
import WalletAuthWire

@testable import Apple
@testable import AppleStandIn

/// What answers in Apple's place in a sandbox, asked by the program's own half.
@Suite("The stand-in for Apple")
struct StandInTests {
    private static let base = "http://127.0.0.1:8700/sandbox/apple"
    private static let app = "com.example.wallet"
    private static let page = "https://auth.example.com/sign-in/provider/default/apple"

    private let clock = ManualClock()
    private let standIn: AppleStandIn
    private let service: AppleService

    init() throws {
        let standIn = AppleStandIn(base: Self.base, clock: clock, random: SystemRandomBytes())
        self.standIn = standIn
        let http = ProviderHTTP { request in
            let form = try FormParameters(parsing: request.body)
            let answer =
                switch request.url {
                case Self.base + "/auth/token": try await standIn.token(form)
                case Self.base + "/auth/revoke": await standIn.revoke(form)
                default: try await standIn.keySet()
                }
            return switch answer {
            case .json(let status, let json): ProviderHTTP.Answer(status: status, body: json.bytes)
            case .empty: ProviderHTTP.Answer(status: 200, body: [])
            }
        }
        let team = DeveloperTeam.sandbox
        service = AppleService(
            settings: AppleSettings(
                base: Self.base, clientIDs: [Self.app], keyID: team.keyID, servicesID: nil, teamID: team.id),
            key: try ApplePrivateKey(file: Array(team.privateKeyPEM.utf8)), http: http, reach: .loopback)
    }

    private func code(redirectURI: String? = nil) async throws -> AuthorizationCode {
        let person = try #require(StandInPerson(name: "ada", hidesEmail: false))
        let credential = try await standIn.credential(
            for: AppleStandIn.Request(clientID: Self.app, redirectURI: redirectURI, nonce: "n"), of: person)
        return try AuthorizationCode(credential.code)
    }

    private func redeem(
        _ code: AuthorizationCode, redirectURI: String? = nil, client: String = app
    ) async throws -> AppleService.Redeemed? {
        try await service.redeem(code, redirectURI: redirectURI, clientID: client, now: clock.now())
    }

    @Test("A code works once, within five minutes, for its own app and redirect URI")
    func codes() async throws {
        let first = try await code()
        #expect(try await redeem(first) != nil)
        #expect(try await redeem(first) == nil)

        let late = try await code()
        clock.advance(by: .seconds(299))
        #expect(try await redeem(late) != nil)
        let tooLate = try await code()
        clock.advance(by: .seconds(300))
        #expect(try await redeem(tooLate) == nil)

        #expect(try await redeem(code(), client: "com.example.other") == nil)
        #expect(try await redeem(code(redirectURI: Self.page)) == nil)
        #expect(try await redeem(code(redirectURI: Self.page), redirectURI: Self.page) != nil)
    }

    @Test("Each of Apple's errors is answered where that is asked for, until the service is mended")
    func errors() async throws {
        for refusal in AppleStandIn.Refusal.allCases {
            await standIn.setFault(.refusing(refusal))
            let answered = try await service.refusalOfImpossibleCode(clientID: Self.app, now: clock.now())
            #expect(answered.rawValue == refusal.rawValue)
            let unspent = try await code()
            if refusal == .invalidGrant {
                #expect(try await redeem(unspent) == nil)
            } else {
                await #expect(throws: ProviderFailure.self, "\(refusal)") { try await redeem(unspent) }
            }
            await standIn.setFault(nil)
            #expect(try await redeem(unspent) != nil, "\(refusal)")
        }
        await standIn.setFault(.down)
        await #expect(throws: ProviderFailure.self) { try await redeem(code()) }
    }

    @Test("A refresh token lives until the person withdraws the consent, deletes the account, or the app revokes it")
    func refreshTokens() async throws {
        let person = try #require(StandInPerson(name: "ada", hidesEmail: false))
        for end in ["consent-revoked", "account-delete", "revoke"] {
            clock.advance(by: .seconds(1))
            let token = try #require(try await redeem(code())?.refreshToken)
            #expect(try await service.isAlive(refreshToken: token, clientID: Self.app, now: clock.now()))
            #expect(await standIn.lists(Self.app, of: person))
            clock.advance(by: .seconds(1))
            if let event = AppleStandIn.Event(rawValue: end) {
                _ = try await standIn.notification(event, of: person, client: Self.app)
            } else {
                try await service.revoke(refreshToken: token, clientID: Self.app, now: clock.now())
            }
            #expect(try await service.isAlive(refreshToken: token, clientID: Self.app, now: clock.now()) == false)
            #expect(await standIn.lists(Self.app, of: person) == false, "\(end)")
        }
    }
}
