import ArgumentParser
import Foundation
import Programs
import WalletAuth

struct SignOut: AsyncParsableCommand, ArgumentExplaining {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Signs you out here and ends the session on the server.",
        discussion: "It also ends sessions that step-ups replaced: the newest 16, counting the current one.")

    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    private struct SignOutReport: Report {
        /// The result at the server.
        enum Revocation: String, Encodable {
            case revoked
            case queued
            case refused
            case notOffered
        }

        let signedIn = false
        let wasSignedIn: Bool
        /// Whether the server has ended a session, which only a 200 confirms.
        let revoked: Bool
        /// Nil if there was no session to end.
        let revocation: Revocation?
        /// Why the server refused.
        var refusal: String?
        /// How many sessions that step-ups replaced stay active at the server, because too many were open; nil for none.
        var unrevokedSessions: Int?
        /// The transfers of the account that may have been paid; nil for none.
        var openTransfers: [OpenTransfer]?
        /// Whether the refusal gave no reason, so that later commands ask again, a limited number of times. Not part of
        /// the document.
        private let isAskedAgain: Bool

        private enum CodingKeys: String, CodingKey {
            case signedIn, wasSignedIn, revoked, revocation, refusal, unrevokedSessions, openTransfers
        }

        init(
            _ revocation: Revocation?, wasSignedIn: Bool, by wallet: Wallet, leaving open: [BegunTransfer],
            of profile: String?
        ) {
            let refusal = revocation == .refused ? wallet.revocationRefusal : nil
            self.revocation = revocation
            self.wasSignedIn = wasSignedIn
            self.refusal = refusal.map(Failure.said)
            unrevokedSessions = wallet.unrevokedSessionCount == 0 ? nil : wallet.unrevokedSessionCount
            isAskedAgain = wasSignedIn && refusal?.code == .malformedAnswer
            revoked = revocation == .revoked
            if !open.isEmpty { openTransfers = open.map { OpenTransfer(signingOut: $0, of: profile) } }
        }

        var lines: [String] {
            [result] + (SignOut.line(ofUnrevoked: unrevokedSessions ?? 0).map { [$0] } ?? [])
                + (openTransfers ?? []).map(\.line)
        }

        private var result: String {
            let beginning = wasSignedIn ? "Signed out here." : "No one was signed in."
            switch revocation {
            case nil: return beginning
            case .revoked: return "Signed out."
            case .queued where wasSignedIn:
                return "\(beginning) The server could not be reached; your next command will end the session there."
            case .queued:
                return "\(beginning) The server has not confirmed the last sign-out; later commands ask it again."
            case .refused:
                let reason = refusal.map { ": \($0)" } ?? ""
                let next = isAskedAgain ? "Commands you run in a minute or later ask again; otherwise it" : "It"
                return "\(beginning) The server did not end the session\(reason). \(next) will expire there by itself."
            case .notOffered:
                return "\(beginning) The server has no way to end the session. It will expire there by itself."
            }
        }
    }

    /// What a sign-out says of older sessions that it could not end; nil if there are none.
    static func line(ofUnrevoked count: Int) -> String? {
        guard count > 0 else { return nil }
        let sessions =
            count == 1
            ? "1 older session stays active at the server until it expires"
            : "\(count) older sessions stay active at the server until they expire"
        return "\(sessions): a sign-out ends only the newest 16."
    }

    func run() async throws {
        // The sign-out sends what waits as well, and reports what comes of it.
        try await connection.running(tellsPastSignOuts: false) { terminal in
            let wallet = try connection.wallet()
            try await refuseAnotherSession(than: wallet)
            let open = await openTransfers()
            let outcome = try await wallet.logout()
            for transfer in open { try? BegunTransfers(folder: connection.folder).interrupt(transfer.key) }
            let revocation: SignOutReport.Revocation? =
                switch outcome {
                case .revoked: .revoked
                case .queued: .queued
                case .refused: .refused
                case .notOffered: .notOffered
                case .notSignedIn: await Self.endEarlierSignOut(of: wallet)
                }
            terminal.print(
                SignOutReport(
                    revocation, wasSignedIn: outcome != .notSignedIn, by: wallet, leaving: open,
                    of: connection.place().profile))
        }
    }

    /// The transfers of the signed-in account that may have been paid. A list that cannot be read keeps no one signed in.
    private func openTransfers() async -> [BegunTransfer] {
        // The wallet that signs out loads the session only then, so that of several sign-outs at once one finds it.
        guard let reader = try? connection.wallet() else { return [] }
        // Loads the session without a call.
        _ = try? await reader.pendingSCA
        guard let identity = reader.identity else { return [] }
        return (try? BegunTransfers(folder: connection.folder).all(of: identity.subject ?? "")) ?? []
    }

    /// Tells the server of an earlier sign-out, which may have been made offline.
    private static func endEarlierSignOut(of wallet: Wallet) async -> SignOutReport.Revocation? {
        let isKnown = await wallet.sendQueuedRevocations()
        if wallet.revocationRefusal != nil { return .refused }
        return isKnown ? nil : .queued
    }

    /// Refuses to sign out where no one is signed in if someone is at another server, or as another client. That session
    /// would silently go on.
    private func refuseAnotherSession(than wallet: Wallet) async throws {
        let place = connection.place()
        guard let remembered = try Profile.load(from: connection.folder),
            remembered.issuer != place.server || remembered.clientID != place.client,
            try await !wallet.keepsSession(), let other = try SavedSession.load(from: connection.folder),
            try await other.isThere()
        else { return }
        // An earlier sign-out of this client may have been made offline.
        await wallet.sendQueuedRevocations()
        throw Failure(notSigningOut: remembered, at: place)
    }
}
