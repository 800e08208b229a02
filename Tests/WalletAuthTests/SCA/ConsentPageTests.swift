import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Agreeing on a hosted page", .covers("REDIRECT with returnUrl"))
struct ConsentPageTests {
    /// A shop that wants a passkey, and alice signed in.
    private func shop(_ ways: SCA.Verification...) async throws -> (Shop, Wallet) {
        let shop = try Shop(by: .passkey)
        if !ways.isEmpty { try shop.requireConsent(by: ways) }
        return (shop, try await shop.world.signedIn())
    }

    @Test("The page is opened, the person comes back, and the server is asked for the outcome")
    func agrees() async throws {
        let (shop, wallet) = try await shop()
        let server = shop.server
        shop.world.userAgent.setBehavior { .callback(try server.agree(onPage: $0)) }
        let person = Answers(.page)
        let (_, response) = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(response.status == 201)
        #expect(person.prompts.first?.challenge.redirectURL != nil)
        #expect(shop.world.userAgent.openConversations == 0)
        let attempt = try #require(server.requests.last { $0.path == Shop.attempts })
        #expect(String(decoding: attempt.body, as: UTF8.self).contains(#""value":"""#))
    }

    @Test("Refused on the page, the payment ends as if the person had refused it in the app", arguments: [false, true])
    func refuses(closing: Bool) async throws {
        let (shop, wallet) = try await shop()
        let server = shop.server
        shop.world.userAgent.setBehavior { page in
            let back = try server.refuse(onPage: page)
            if closing { throw UserAgentFailure(.cancelledByPerson, reason: "closed") }
            return .callback(back)
        }
        let person = Answers(.page)
        let error = await failure { try await wallet.perform(shop.payment(), onSCA: person.handler) }
        #expect(error?.outcome == .cancelledByPerson)
        #expect(error?.isRefusedByPerson == true)
        #expect(person.prompts.count == 1)
        #expect(try await wallet.pendingSCA.isEmpty)
        #expect(shop.carriedOut == 0)
    }

    @Test("attack: a return that the page did not make is not believed")
    func forged() async throws {
        let (shop, wallet) = try await shop()
        shop.world.userAgent.setBehavior { _ in .callback(World.redirectURI) }
        let person = Answers(.page, .page, .refuse)
        let error = await failure { try await wallet.perform(shop.payment(), onSCA: person.handler) }
        #expect(error?.outcome == .cancelledByPerson)
        #expect(person.prompts.map(\.fault) == [nil, .unfinished, .unfinished])
        #expect(shop.carriedOut == 0)
        #expect(shop.world.userAgent.openConversations == 0)
    }

    @Test("After closing the page the person may take another way; closed after agreeing, the consent holds")
    func closed() async throws {
        let (shop, wallet) = try await shop(.passkey, .sms)
        shop.world.userAgent.setBehavior { _ in throw UserAgentFailure(.cancelledByPerson, reason: "closed") }
        let person = Answers(.page, .instead(.sms), .code(Shop.code))
        let (_, response) = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(response.status == 201)
        #expect(person.prompts.map(\.fault) == [nil, .declined, nil])
        let server = shop.server
        shop.world.userAgent.setBehavior { page in
            _ = try server.agree(onPage: page)
            throw UserAgentFailure(.cancelledByPerson, reason: "closed too soon")
        }
        let (_, again) = try await wallet.perform(shop.payment(), onSCA: Answers(.page).handler)
        #expect(again.status == 201)
    }

    @Test("A page that was opened elsewhere: the app's URL handler ends the waiting, a sign-in's answer does not")
    func elsewhere() async throws {
        let (shop, wallet) = try await shop()
        let server = shop.server
        let (opened, page) = AsyncStream.makeStream(of: URL.self)
        shop.world.userAgent.setBehavior { url in
            page.yield(url)
            return .opened
        }
        let payment = try shop.payment()
        let call = Task { try await wallet.perform(payment, onSCA: Answers(.page).handler).1.status }
        for await url in opened {
            let back = try server.agree(onPage: url)
            let other = await failure {
                try await wallet.receivedOAuthCodeOrToken(
                    URL(filePath: "/").replaced(by: "\(back.absoluteString)?code=1&state=2"))
            }
            #expect(other?.code == .unknownState)
            try await wallet.receivedOAuthCodeOrToken(back)
            break
        }
        #expect(try await call.value == 201)
        let late = await failure { try await wallet.receivedOAuthCodeOrToken(World.redirectURI) }
        #expect(late != nil)
    }

    @Test("Without a URL to come back to, pages are not offered; the configuration may name one")
    func returnURL() async throws {
        let shop = try Shop(by: .passkey, .email)
        let world = shop.world
        let signIn = Wallet.SignIn.partial(codeResponse: nil)
        let wallet = try world.wallet(signIn)
        _ = try await wallet.login(username: "alice", password: "correct horse")
        let person = Answers(.code(Shop.code))
        _ = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(person.prompts.map(\.verification) == [.email])

        var configuration = world.configuration(signIn)
        configuration.consentReturnURL = try url("https://app.example.com/agreed")
        let other = try Wallet(configuration: configuration)
        let server = shop.server
        world.userAgent.setBehavior { .callback(try server.agree(onPage: $0)) }
        let second = Answers(.page)
        _ = try await other.perform(shop.payment(), onSCA: second.handler)
        #expect(second.prompts.map(\.verification) == [.passkey])
        let asked = try #require(server.requests.last { $0.path.hasSuffix("challenges") })
        #expect(String(decoding: asked.body, as: UTF8.self).contains("https://app.example.com/agreed"))
    }
}
