import Foundation
import Testing

/// The terminal wallet at authorization servers that other people wrote. It knows each by its metadata alone.
@Suite("The wallet at standard servers", .onceForAllEngines, .runningPeers)
struct StandardServerTests {
    @Test(
        "By discovery alone a person signs in, and the server accepts the token in a call",
        arguments: StandardPeer.Kind.allCases)
    func signInAndCall(_ kind: StandardPeer.Kind) async throws {
        try await withWallet(at: kind) { wallet in
            try await wallet.signIn()
            let status = try await wallet.own.succeeds("status", "--json").json
            #expect(status["signedIn"] as? Bool == true)
            #expect(status["tokenType"] as? String == "Bearer")
            try await wallet.callSucceeds()
        }
    }

    @Test(
        "At expiry four wallet processes at once send one refresh, and all of them are served",
        arguments: StandardPeer.Kind.allCases)
    func expiry(_ kind: StandardPeer.Kind) async throws {
        try await withWallet(at: kind) { wallet in
            let journey = try await wallet.signIn(expired: true)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await wallet.callSucceeds() } }
                try await group.waitForAll()
            }
            #expect(try await journey.told.sent == 1)
        }
    }

    @Test(
        "After a kill -9 in a refresh the wallet goes on if the server allows it; otherwise a new sign-in works",
        arguments: StandardPeer.Kind.allCases)
    func killed(_ kind: StandardPeer.Kind) async throws {
        try await withWallet(at: kind) { wallet in
            let journey = try await wallet.signIn(expired: true)
            try await journey.set(.held)
            let refresh = try wallet.own.program.start(["refresh"])
            try await journey.waitUntilHeld()
            refresh.send(SIGKILL)
            #expect(await refresh.wait() == .killed(signal: SIGKILL))
            try await journey.release()
            try await wallet.goesOnWithSpentToken()
        }
    }

    @Test(
        "After a lost response the wallet goes on if the server allows it; otherwise a new sign-in works",
        arguments: StandardPeer.Kind.allCases)
    func lostAnswer(_ kind: StandardPeer.Kind) async throws {
        try await withWallet(at: kind) { wallet in
            let journey = try await wallet.signIn(expired: true)
            try await journey.set(.lost)
            // These servers keep no attempts, so the wallet does not send the request again by itself.
            let refresh = try await wallet.own.run("refresh")
            #expect(refresh.ending == .exited(1), "\(refresh.errors)")
            #expect(
                refresh.errors.contains("if your session has ended, run: wallet sign-in"), "\(refresh.errors)")
            try await wallet.goesOnWithSpentToken()
        }
    }

    @Test(
        "A server in trouble and a network's own page end no session: afterwards the same tokens work",
        arguments: StandardPeer.Kind.allCases, [PeerJourney.Fault.error, .limit, .portal])
    func trouble(_ kind: StandardPeer.Kind, _ fault: PeerJourney.Fault) async throws {
        try await withWallet(at: kind) { wallet in
            let journey = try await wallet.signIn(expired: true)
            try await journey.set(fault)
            let refresh = try await wallet.own.run("refresh")
            #expect(refresh.ending == .exited(1))
            #expect(refresh.errors.split(separator: "\n").count == 1, "\(refresh.errors)")
            let status = try await wallet.own.succeeds("status", "--json").json
            #expect(status["signedIn"] as? Bool == true)
            #expect(try await journey.told.reached == 0)
            try await journey.set(nil)
            try await wallet.callSucceeds()
            #expect(try await journey.told.reached == 1)
        }
    }

    @Test(
        "Sign-out says what the server did: revoked if its token no longer opens anything, refused if it still does",
        arguments: StandardPeer.Kind.allCases)
    func signOut(_ kind: StandardPeer.Kind) async throws {
        try await withWallet(at: kind) { wallet in
            let journey = try await wallet.signIn()
            let out = try await wallet.own.succeeds("sign-out", "--json").json
            #expect(out["revocation"] as? String == (kind.letsPublicClientsRevoke ? "revoked" : "refused"))
            #expect(out["revoked"] as? Bool == kind.letsPublicClientsRevoke)
            let token = try #require(try await journey.told.accessTokens.last)
            let call = try await WebClient(ledger: wallet.peer.ledger).get(
                wallet.peer.resource, headers: ["Authorization": "Bearer \(token)"])
            #expect(call.status == (kind.letsPublicClientsRevoke ? 401 : 200))
            let status = try await wallet.own.run("status")
            #expect(status.ending == .exited(1))
        }
    }

    @Test(
        "Signing in again leads to a new session, whatever became of the one before",
        arguments: StandardPeer.Kind.allCases)
    func again(_ kind: StandardPeer.Kind) async throws {
        try await withWallet(at: kind) { wallet in
            let first = try await wallet.signIn(expired: true)
            try await first.set(.error)
            let second = try await wallet.signIn("--again")
            #expect(try await first.told.sent == 0)
            #expect(second.code != first.code)
            try await wallet.callSucceeds()
        }
    }
}

/// A wallet, and the server that it is at.
private struct WalletAtPeer: Sendable {
    let own: PeerWallet
    let peer: StandardPeer

    func callSucceeds(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await own.callSucceeds(peer.resource, sourceLocation: sourceLocation)
    }

    /// Signs the person in on the server's pages.
    /// - Parameter expired: whether the first token says that it has expired, so that the next command renews.
    @discardableResult
    func signIn(
        _ arguments: String..., expired: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> PeerJourney {
        let begun = try await own.begin(arguments)
        let callback = try await peer.visit(begun.page, until: begun.redirectURI)
        let code = try #require(queryItems(of: callback.absoluteString)["code"], "\(callback)")
        let journey = PeerJourney(peer: peer, code: code)
        if expired { try await journey.expireFirstToken() }
        let finished = try await own.finish(begun, with: callback)
        #expect(finished.succeeded, "\(finished.output)", sourceLocation: sourceLocation)
        return journey
    }

    /// Goes on once the server has given out a pair that the wallet never got.
    func goesOnWithSpentToken(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        switch peer.kind.spentToken {
        case .serves: break
        case .endsSession:
            let status = try await own.run("status")
            #expect(status.ending == .exited(1), sourceLocation: sourceLocation)
            #expect(status.errors.contains("wallet sign-in"), "\(status.errors)", sourceLocation: sourceLocation)
            try await signIn(sourceLocation: sourceLocation)
        case .isNotAnswered:
            let refresh = try await own.run("refresh")
            #expect(refresh.ending == .exited(1), sourceLocation: sourceLocation)
            #expect(
                refresh.errors.contains("wallet sign-in --again"), "\(refresh.errors)", sourceLocation: sourceLocation)
            let kept = try await own.run("sign-in", "--no-open")
            #expect(kept.ending == .exited(1), sourceLocation: sourceLocation)
            #expect(kept.errors.contains("wallet sign-in --again"), "\(kept.errors)", sourceLocation: sourceLocation)
            try await signIn("--again", sourceLocation: sourceLocation)
        }
        try await callSucceeds(sourceLocation: sourceLocation)
    }
}

extension StandardPeer.Kind {
    /// What the server does with a refresh token that it has replaced.
    fileprivate enum SpentToken {
        /// It renews: the token was never replaced, or a moment ago.
        case serves
        /// It says `invalid_grant`.
        case endsSession
        /// It answers 400 without a body.
        case isNotAnswered
    }

    fileprivate var spentToken: SpentToken {
        switch self {
        case .unrotating, .djangoWithGrace: .serves
        case .django, .authlib: .endsSession
        case .glewlwyd: .isNotAnswered
        }
    }

    /// Whether a client without a secret may revoke its tokens (RFC 7009 section 2.1).
    fileprivate var letsPublicClientsRevoke: Bool { self != .glewlwyd }
}

/// Runs a test's body with a wallet at a server, and looks for secrets in what it wrote.
private func withWallet(at kind: StandardPeer.Kind, _ body: (WalletAtPeer) async throws -> Void) async throws {
    let peer = try await StandardPeers.peer(kind)
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let own = PeerWallet(
        in: folder.url, issuer: peer.issuer, scope: peer.scope, redirectURI: try peer.takeRedirectURI())
    try await body(WalletAtPeer(own: own, peer: peer))
    try expectNoSecrets(in: folder.url, of: peer.ledger)
}
