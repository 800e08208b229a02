import ArgumentParser
import WalletAuth

struct SignOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Signs you out here and ends the session on the server.")

    @OptionGroup var connection: ConnectionOptions

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
        /// Whether the refusal gave no reason, so that later commands ask again, a limited number of times. Not part of
        /// the document.
        private let isAskedAgain: Bool

        private enum CodingKeys: String, CodingKey {
            case signedIn, wasSignedIn, revoked, revocation, refusal
        }

        init(_ revocation: Revocation?, wasSignedIn: Bool, refusal: WalletError? = nil) {
            self.revocation = revocation
            self.wasSignedIn = wasSignedIn
            self.refusal = refusal.map(Failure.said)
            isAskedAgain = wasSignedIn && refusal?.code == .malformedAnswer
            revoked = revocation == .revoked
        }

        var lines: [String] {
            let beginning = wasSignedIn ? "Signed out here." : "No one was signed in."
            switch revocation {
            case nil: return [beginning]
            case .revoked: return ["Signed out."]
            case .queued where wasSignedIn:
                return ["\(beginning) The server could not be reached; your next command will end the session there."]
            case .queued:
                return [
                    "\(beginning) The server has not been told about the last sign-out; your next command will tell it."
                ]
            case .refused:
                let reason = refusal.map { ": \($0)" } ?? ""
                let next = isAskedAgain ? "Your next commands ask again; otherwise it" : "It"
                return [
                    "\(beginning) The server did not end the session\(reason). \(next) will expire there by itself."
                ]
            case .notOffered:
                return ["\(beginning) The server has no way to end the session. It will expire there by itself."]
            }
        }
    }

    func run() async throws {
        // The sign-out sends those that wait as well. Two at once would send each of them twice.
        try await connection.running(tellsPastSignOuts: false) { terminal in
            let wallet = try Wallet.of(connection.profileInUse(), in: connection.folder)
            try await refuseAnotherSession(than: wallet)
            switch try await wallet.logout() {
            case .revoked: terminal.print(SignOutReport(.revoked, wasSignedIn: true))
            case .queued: terminal.print(SignOutReport(.queued, wasSignedIn: true))
            case .refused:
                terminal.print(SignOutReport(.refused, wasSignedIn: true, refusal: wallet.revocationRefusal))
            case .notOffered: terminal.print(SignOutReport(.notOffered, wasSignedIn: true))
            case .notSignedIn:
                // An earlier sign-out may have been made offline.
                let isKnown = await wallet.sendQueuedRevocations()
                let refusal = wallet.revocationRefusal
                terminal.print(
                    SignOutReport(
                        refusal != nil ? .refused : isKnown ? nil : .queued, wasSignedIn: false,
                        refusal: refusal))
            }
        }
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
