import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

/// Whether a person is asked before this device's passkey, or a biometric key, is used.
struct PasskeyOptions: ParsableArguments {
    @Flag(
        name: .customLong("passkey-unattended"),
        help: """
            Use this device's passkey, or its stand-in for face or fingerprint, without a question, in a script: anyone who can run \
            commands here as you then passes as you.
            """)
    var isUnattended = false

    var presence: TerminalPresence { TerminalPresence(isUnattended: isUnattended) }
}

/// Has the person agree on the terminal before a passkey is used. The server learns that the person was verified, so a script, which
/// has no one to ask, is refused unless an option says that it may.
struct TerminalPresence: UserPresence {
    var isUnattended = false

    /// Why there is no passkey in a script.
    static let noTerminal = "there is no terminal on which to ask whether your passkey may be used"

    func capability() async -> UserPresenceCapability { .none }

    /// Fails a command that needs the passkey where no one can be asked, before it begins anything.
    func check() throws {
        guard isUnattended || Answers.hasTerminal else {
            throw Failure(code: "no_terminal", message: Self.noTerminal, advice: Failure.unattended)
        }
    }

    /// Why a server has no passkeys; nil if it may have. The SDK would say so when one is to be created.
    static func lack(at issuer: String) -> WalletError? {
        guard let issuer = try? Issuer(issuer), PasskeyRelyingParty(issuer: issuer) == nil else { return nil }
        return WalletError(
            .passkeysUnavailable, .misconfigured, during: .register,
            reason: "passkeys need a host name, not \(issuer.host)")
    }

    func confirm(reason: String) async throws {
        if isUnattended { return }
        guard Answers.hasTerminal else { throw UserAgentFailure(.unavailable, reason: Self.noTerminal) }
        let answer: String
        do {
            answer = try await AbandonableQuestion.ask {
                try Answers.person(instead: "--passkey-unattended")
                    .next(asking: "\(reason)? Type yes or no: ", shown: .visible)
            }
        } catch is Failure {
            throw UserPresenceFailure.refused
        }
        guard ["yes", "y"].contains(answer.lowercased()) else { throw UserPresenceFailure.refused }
    }
}

extension Failure {
    fileprivate static let unattended =
        "use --passkey-unattended, if anyone who can run commands here as you may pass as you"

    static func textOfPasskey(_ error: WalletError, _ place: Place) -> Text? {
        switch (error.code, error.operation) {
        case (.userAgentUnavailable, _) where error.reason == TerminalPresence.noTerminal:
            Text(reason(error), unattended)
        case (.passkeyNotTaken, _):
            // The server names all that is missing, and the commands.
            Text(reason(error), "have the operator run that with walletauth, or leave out --passkey")
        case (.passkeysUnavailable, _):
            Text(
                reason(error),
                "the operator gives the server a name: on this machine, walletauth serve --issuer http://localhost:PORT"
            )
        // The SDK's words for it.
        case (.cancelledByPerson, _) where error.reason.hasPrefix("this device has no passkey"):
            Text(
                "this device has no passkey\(place.username.map { " of \($0)" } ?? " for the server")",
                "sign in another way: wallet sign-in --username NAME; then add one: wallet passkey add")
        case (.userAgentUnavailable, .changePasskeys):
            Text(reason(error), "list your passkeys with: wallet passkey list")
        case (.invalidCredentials, .loginByPasskey):
            Text(
                "the passkey was removed, is another account's, or is not accepted from this wallet",
                "sign in another way, then: wallet passkey list; \(acceptance(place))")
        case (.invalidPasskey, _): Text("refused: \(reason(error))", "try again; \(acceptance(place))")
        default: nil
        }
    }

    /// How the server's operator lets this wallet use passkeys: they state the server's host as their origin.
    private static func acceptance(_ place: Place) -> String {
        let (client, origin) = (place.client ?? "CLIENT-ID", statedOrigin(at: place))
        return
            "this wallet's origin is \(origin); the operator compares it with walletauth client show \(client), and accepts it with: "
            + "walletauth client update \(client) --add-passkey-origin \(origin)"
    }

    private static func statedOrigin(at place: Place) -> String {
        "https://\(place.server.flatMap { URL(string: $0)?.host() } ?? "HOST")"
    }
}
