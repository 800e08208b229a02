import Foundation
import Testing

/// The loyalty endpoints against a service that was written from Apple's pages and shares no code with ours.
@Suite(
    "Guests who sign in with Apple, end to end",
    .covers(
        "the guest website's flow", "POST /oauth/requestGuestToken.json",
        "Sign in with Apple against a Python stand-in written from Apple's pages"))
struct LoyaltyWithAppleTests {
    @Test("An unknown guest enrolls by the same credential, and is signed in at once the next time")
    func journey() async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server) { apple in
                let first = try await apple.sheet()
                #expect(try await apple.requestGuestToken(first).errorCode == "authentication.no_matching_guest")
                let enrolled = try await apple.enroll(first)
                let account = try #require(enrolled.members["accountId"], "\(enrolled.text)")
                // Its answer got lost: the same request gets the same account, though the code is spent.
                #expect(try await apple.enroll(first).members["accountId"] == account)

                try await apple.have("roll")
                let next = try await apple.requestGuestToken(await apple.sheet())
                #expect(next.members["result"] == "success", "\(next.text)")
                #expect(next.members["token_type"] == "bearer")
                let claims = try TokenClaims.all(of: try #require(next.members["access_token"]))
                #expect(claims["merchant_id"] == nil)
            }
        }
    }

    @Test("A guest links another Apple Account, and signs in with it after the first one is unlinked")
    func relinked() async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server) { apple in
                _ = try await apple.enroll(await apple.sheet())
                let signedIn = try await apple.requestGuestToken(await apple.sheet())
                let token = try #require(signedIn.members["access_token"], "\(signedIn.text)")
                let other = try await apple.sheet(account: "grace")
                let linked = try await apple.editExternalAccounts(
                    token,
                    [
                        "addExternalAccounts": [
                            ["accountCode": other.idToken, "integration": "apple-loyalty", "accessToken": other.code]
                        ]
                    ])
                #expect(linked.members["result"] == "success", "\(linked.text)")
                let first = try await apple.sheet()
                let unlinked = try await apple.editExternalAccounts(
                    token, ["removeExternalAccounts": [["accountCode": first.user, "integration": "apple-loyalty"]]])
                #expect(unlinked.members["result"] == "success", "\(unlinked.text)")
                #expect(try await apple.requestGuestToken(first).errorCode == "authentication.no_matching_guest")
                let next = try await apple.requestGuestToken(await apple.sheet(account: "grace"))
                #expect(next.members["username"] == "testUsername", "\(next.text)")
            }
        }
    }

    @Test(
        "A guest signs in on the hosted page, and the backend redeems the page's code for the guest's tokens, once",
        .onceForAllEngines)
    func hostedPage() async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server) { apple in
                let person = try await server.makeAccount("grace")
                let page = StandardClient(
                    RegisteredClient(id: "loyalty", secret: nil, redirectURI: ApplePeer.redirectURI), at: server)
                let journey = await page.beginAuthorization(scope: "user_read")
                let code = try await page.authorizationCode(for: person, journey)
                let guest = try await apple.requestGuestToken(pageCode: code, verifier: journey.verifier)
                #expect(guest.members["result"] == "success", "\(guest.text)")
                #expect(guest.members["username"] == "grace" && guest.members["scope"] == "user_read", "\(guest.text)")
                let again = try await apple.requestGuestToken(pageCode: code, verifier: journey.verifier)
                #expect(again.errorCode == "authentication.invalid_authorization_code", "\(again.text)")
            }
        }
    }

    @Test("Sixty-four equal enrollments make one account")
    func race() async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server) { apple in
                let credential = try await apple.sheet()
                let accounts = try await withThrowingTaskGroup(of: String?.self) { group in
                    for _ in 0..<64 { group.addTask { try await apple.enroll(credential).members["accountId"] } }
                    return try await group.reduce(into: Set<String>()) { accounts, account in
                        if let account { accounts.insert(account) }
                    }
                }
                #expect(accounts.count == 1)
                let listed = try await server.require(["account", "list", "--json"])
                #expect(listed.components(separatedBy: "\"username\"").count == 2, "\(listed)")
            }
        }
    }

    @Test(
        "A server that is killed while it enrolls has made all of an account or nothing, and finishes it when asked again"
    )
    func killed() async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server) { apple in
                for round in 0..<(TestEngine.current == .sqlite ? 6 : 3) {
                    let credential = try await apple.sheet(account: "guest\(round)")
                    let asked = try await apple.process.messages(0).count
                    let enrolling = Task { try? await apple.enroll(credential, username: "guest\(round)") }
                    // At once, once Apple was asked for its keys or the code, and once more was asked or all is over.
                    try await apple.asked(asked + round % 3, orEnded: enrolling)
                    await server.crash()
                    _ = await enrolling.value
                    try await server.start()
                    // With PostgreSQL, the killed process may hold the code: for a minute, the answer is that it is busy.
                    let again = try await firstResult("an answer to the repetition") {
                        let answer = try await apple.enroll(credential, username: "guest\(round)")
                        return answer.status == 503 ? nil : answer
                    }
                    let isMade = again.members["accountId"] != nil
                    // Apple's code was spent in the moment of the kill: nothing is left half made, a new tap enrolls.
                    #expect(isMade || again.errorCode == "authentication.external_code_refused", "\(again.text)")
                    let tap = try await apple.sheet(account: "guest\(round)")
                    let finished =
                        isMade
                        ? try await apple.requestGuestToken(tap)
                        : try await apple.enroll(tap, username: "guest\(round)")
                    #expect(finished.status == 200 && finished.errorCode == nil, "\(finished.text)")
                }
            }
        }
    }

    @Test("A credential that is forged, replayed or another person's opens nothing", .onceForAllEngines)
    func attacks() async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server) { apple in
                _ = try await apple.enroll(await apple.sheet())
                func refused(_ what: String, _ answer: WebAnswer, _ codes: String...) {
                    #expect(answer.members["result"] == "failure", "\(what): \(answer.text)")
                    #expect(codes.contains(answer.errorCode ?? ""), "\(what): \(answer.text)")
                }
                let invalid = "authentication.invalid_external_account"
                let others: [(String, [String: Any])] = [
                    ("another app's audience", ["aud": "com.example.other"]), ("no audience", ["aud": NSNull()]),
                    ("an expired token", ["exp": 1]), ("another issuer", ["iss": "https://appleid.apple.example"]),
                    ("a token of an hour ago", ["iat": Int(Date().timeIntervalSince1970) - 3600]),
                ]
                for (what, claims) in others {
                    refused(what, try await apple.requestGuestToken(await apple.sheet(claims: claims)), invalid)
                }
                let (ada, mallory) = (try await apple.sheet(), try await apple.sheet(account: "mallory"))
                refused(
                    "tokens of two people",
                    try await apple.requestGuestToken(code: mallory.code, account: ada.idToken),
                    "authentication.external_account_mismatch")
                refused(
                    "a bare identifier of another",
                    try await apple.requestGuestToken(
                        code: await apple.sheet(account: "mallory").code, account: ada.user),
                    "authentication.external_account_mismatch")
                let spent = try await apple.sheet()
                #expect(try await apple.requestGuestToken(spent).members["result"] == "success")
                refused(
                    "a code again", try await apple.requestGuestToken(spent), "authentication.external_code_refused")
                let unsigned = try await apple.sheet()
                let parts = unsigned.idToken.split(separator: ".")
                let none = base64URL(Data(#"{"alg":"none"}"#.utf8)) + "." + parts[1] + "."
                refused(
                    "no signature", try await apple.requestGuestToken(code: unsigned.code, account: none), invalid,
                    "authentication.invalid_request")
            }
        }
    }

    @Test("A code that comes many times at once opens one session")
    func replayedInParallel() async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server) { apple in
                _ = try await apple.enroll(await apple.sheet())
                let credential = try await apple.sheet()
                let opened = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<16 {
                        group.addTask { try await apple.requestGuestToken(credential).members["result"] == "success" }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(opened == 1)
            }
        }
    }

    @Test("A notification ends what came by Apple; a forged or repeated one changes nothing, and the account stays")
    func notifications() async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server) { apple in
                _ = try await apple.enroll(await apple.sheet())
                // A token of the very second of the withdrawal resumes nothing: the person taps again.
                func session() async throws -> String {
                    try await firstResult("the guest to be signed in") {
                        try await apple.requestGuestToken(await apple.sheet()).members["refresh_token"]
                    }
                }
                let first = try await session()
                let withdrawn = try await apple.notification("consent-revoked")
                #expect(try await apple.notify(withdrawn).status == 200)
                #expect(try await apple.renew(first).errorCode == "authentication.invalid_refresh_token")

                // They come back, and the notification of before is played again.
                let second = try await session()
                #expect(try await apple.notify(withdrawn).status == 200)
                #expect(try await apple.renew(second).errorCode == nil)
                let forged = withdrawn.replacing(#"{"payload": ""#, with: #"{"payload": "x"#)
                #expect(try await apple.notify(forged).status == 400)
                let others = try await apple.notification("consent-revoked", claims: ["aud": "com.example.other"])
                #expect(try await apple.notify(others).status == 400)

                let deleted = try await apple.notification("account-delete")
                #expect(try await apple.notify(deleted).status == 200)
                let gone = try await apple.requestGuestToken(await apple.sheet())
                #expect(gone.errorCode == "authentication.no_matching_guest")
                let listed = try await server.require(["account", "list", "--json"])
                #expect(listed.contains("testusername") || listed.contains("testUsername"), "\(listed)")
            }
        }
    }

    @Test("When the app moves to another team, people who were prepared keep their accounts, and others are new there")
    func transferred() async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server) { apple in
                func subject(_ answer: WebAnswer) throws -> String {
                    let nested = answer.object["oauthTokens"] as? [String: Any]
                    let token = answer.members["access_token"] ?? nested?["access_token"] as? String
                    return try TokenClaims.text("sub", of: #require(token, "\(answer.text)"))
                }
                let ada = try subject(await apple.enroll(await apple.sheet()))
                let prepared = try await server.require(["provider", "transfer", "apple", "--to-team", "TEAM654321"])
                #expect(prepared.contains("1 person is prepared for the team TEAM654321 (1 new)."), "\(prepared)")
                // She joins after the preparation, and it is not run again.
                let grace = try subject(await apple.enroll(await apple.sheet(account: "grace"), username: "grace"))
                try await server.require(["provider", "remove", "apple"])
                try await apple.move(to: "TEAM654321")
                try await apple.add(team: "TEAM654321")

                for _ in 0..<2 {
                    let signedIn = try await apple.requestGuestToken(await apple.sheet())
                    #expect(try subject(signedIn) == ada)
                }
                let unprepared = try await apple.requestGuestToken(await apple.sheet(account: "grace"))
                #expect(unprepared.errorCode == "authentication.no_matching_guest", "\(unprepared.text)")
                let events = try await server.require(["audit", "tail", "--kind", "identity.transferred", "--json"])
                #expect(events.contains(ada) && !events.contains(grace), "\(events)")

                // The new team's key revokes what the new team was given.
                try await server.require(["account", "erase", "testusername", "--yes"])
                let revoked = try await firstResult("the token's revocation") {
                    try await apple.process.messages(0).last { $0["path"] == "/auth/revoke" }
                }
                #expect(revoked["status"] == "200" && revoked["note"] == "revoked", "\(revoked)")
            }
        }
    }

    @Test("The erasure of an account revokes its token at Apple, also where Apple was down at first")
    func erasure() async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server) { apple in
                _ = try await apple.enroll(await apple.sheet())
                try await apple.have("down")
                try await server.require(["account", "erase", "testusername", "--yes"])
                try await apple.have("up")
                let revoked = try await firstResult("the token's revocation") {
                    try await apple.process.messages(0).last { $0["path"] == "/auth/revoke" && $0["status"] == "200" }
                }
                #expect(revoked["note"] == "revoked")
            }
        }
    }
}
