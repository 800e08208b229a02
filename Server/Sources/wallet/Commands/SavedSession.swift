import Foundation
import WalletAuth

/// The stored session of a profile, as a sign-in finds it.
struct SavedSession {
    private let profile: Profile
    private let wallet: Wallet

    init(_ profile: Profile, _ wallet: Wallet) {
        self.profile = profile
        self.wallet = wallet
    }

    /// Loads the session, and renews an expired token.
    /// - Returns: nil if no one is signed in.
    /// - Throws: `WalletError` if that is unknown.
    static func find(in folder: URL) async throws -> SavedSession? {
        guard let kept = try load(from: folder) else { return nil }
        do {
            try await kept.wallet.setUp()
        } catch let error as WalletError {
            switch error.outcome {
            case .signedOut, .keyLost: return nil
            default: throw error
            }
        }
        return kept
    }

    /// Loads the remembered profile, if any, without checking for a session.
    static func load(from folder: URL) throws -> SavedSession? {
        guard let profile = try Profile.load(from: folder) else { return nil }
        return SavedSession(profile, try Wallet.of(profile, in: folder))
    }

    func isThere() async throws -> Bool { try await wallet.keepsSession() }

    /// Whose session it is; nil if no one is signed in, or if the server does not say who.
    func account() async -> SignedInAccount? {
        let report = await SessionReport.of(wallet, profile)
        return report.subject.map {
            SignedInAccount(issuer: report.issuer, subject: $0, name: report.username ?? report.signedInWith ?? $0)
        }
    }

    /// Says that this session replaced another account's.
    /// - Parameter former: the account of the session before; nil if it is unknown, or if there was none.
    func tellReplacement(of former: SignedInAccount?, to terminal: Terminal) async {
        guard let former, let line = await account()?.line(replacing: former) else { return }
        terminal.say(line)
    }

    /// Prints the session, which continues.
    /// - Throws: ``Failure`` if it has no valid token, or if waiting may not bring another one.
    func report(to terminal: Terminal) async throws {
        let expiry = wallet.identity?.accessTokenExpiresAt
        if let failure = Failure(
            notRenewing: wallet.renewalFailure, at: profile.issuer, hasExpired: expiry.map { $0 <= Date() } ?? false)
        {
            throw failure
        }
        terminal.print(await SessionReport.of(wallet, profile))
        terminal.say("You are already signed in. Use --again to sign in again.")
    }

    /// Checks that the session is the requested one.
    /// - Parameter requested: the request; parts that it leaves open always fit.
    /// - Throws: ``Failure`` that names every difference.
    func check(fits requested: Profile) throws {
        let scopes = profile.scopes ?? wallet.identity?.scopes ?? []
        let differences = [
            Self.difference("server", has: profile.issuer, wanted: requested.issuer),
            Self.difference("client", has: profile.clientID, wanted: requested.clientID),
            requested.scopes.flatMap {
                Set($0) == Set(scopes)
                    ? nil
                    : Self.difference(
                        "scope", has: scopes.joined(separator: " "), wanted: $0.joined(separator: " "))
            },
            requested.redirectURI.flatMap { wanted in
                profile.redirectURI.flatMap { Self.difference("redirect URI", has: $0, wanted: wanted) }
            },
        ].compactMap { $0 }
        guard differences.isEmpty else {
            throw Failure(
                code: "signed_in_otherwise",
                message: "you are already signed in, with another \(differences.joined(separator: " and another "))",
                advice: "sign out first with: wallet sign-out, or sign in again with --again")
        }
    }

    private static func difference(_ what: String, has kept: String, wanted: String) -> String? {
        kept == wanted ? nil : "\(what) (\"\(kept)\", not \"\(wanted)\")"
    }

    /// Whether its place in the store is that of another server or client.
    func isElsewhere(than requested: Profile) -> Bool {
        profile.issuer != requested.issuer || profile.clientID != requested.clientID
    }

    /// Whether a new sign-in could be stored in its place. A damaged record has to go first.
    func isReplaceable() async -> Bool {
        do { try await wallet.setUp() } catch let error as WalletError {
            if case .storeUnavailable = error.outcome { return false }
        } catch { return false }
        return true
    }

    /// Signs out locally, whatever the server answers, and tells the server.
    func end(telling terminal: Terminal) async throws {
        switch try await wallet.logout() {
        case .revoked, .notSignedIn: break
        case .queued: terminal.say("Signed out here; \(profile.issuer) could not be reached yet.")
        case .refused:
            let reason = wallet.revocationRefusal.map { ": \(Failure.said($0))" } ?? ""
            terminal.say("Signed out here; \(profile.issuer) did not end the old session\(reason).")
        case .notOffered:
            terminal.say(
                "Signed out here; \(profile.issuer) has no way to end the old session, which will expire by itself.")
        }
        if let line = SignOut.line(ofUnrevoked: wallet.unrevokedSessionCount) { terminal.say(line) }
    }
}

/// The account that a wallet is signed in to.
struct SignedInAccount {
    let issuer: String
    let subject: String
    /// The user name, or the subject if this wallet does not know it.
    let name: String

    /// What a sign-in says if it replaced another account's session; nil if the account is the same.
    func line(replacing former: SignedInAccount) -> String? {
        guard issuer != former.issuer || subject != former.subject else { return nil }
        let place = issuer == former.issuer ? "" : " at \(former.issuer)"
        return "\(former.name)\(place) was signed in here before and is now signed out. To stay signed in to several "
            + "accounts, use a separate --profile NAME for each."
    }
}
