import Foundation
import Testing
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuth

@Suite("A record that a former version stored")
struct FormerRecordTests {
    @Test("One without what later versions added is read, with its session and the step-up that waits")
    func withoutLaterMembers() async throws {
        let (store, time) = (InMemoryStore(), ManualClock())
        func keeper() -> SessionKeeper {
            SessionKeeper(store: store, time: time, clock: ServerClock(time: time), namespace: "test")
        }
        let owner = TokenOwner(subject: "sub-alice", merchantID: nil)
        var session = Session(
            owner: owner, scopes: ["openid"], accessToken: try AccessToken("token"), tokenType: .bearer,
            life: .unknown, refreshToken: nil, keyThumbprint: nil, renewal: .idle)
        session.idToken = try IDToken("a.b.c")
        let login = PendingLogin(
            state: try OAuthState("state"), redirectURI: try RedirectURI("https://app.example.com/callback"),
            scopes: ["openid"], begunAt: keeper().clock.now,
            stepUp: PendingLogin.StepUp(owner: owner, maximumAge: 0, isTimedByServer: false, isNamed: true))
        try await keeper().change { [session] record in
            record.signIn(session)
            record.begin(login)
        }

        let key = try #require(store.items.keys.first)
        var text = String(decoding: try #require(try await store.get(key)), as: UTF8.self)
        for member in [#""idToken":"a.b.c","#, #""isNamed":true,"#] {
            #expect(text.contains(member), "\(text)")
            text = text.replacing(member, with: "")
        }
        try await store.put(Data(text.utf8), for: key)

        let record = try await keeper().change { $0 }
        #expect(record.session?.owner == owner && record.session?.idToken == nil)
        let stepUp = try #require(record.pendingLogins.first?.stepUp)
        #expect(stepUp.owner == owner && stepUp.isNamed == nil)
    }
}
