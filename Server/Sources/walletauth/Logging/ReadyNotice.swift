import Kernel
import Logging
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the server prints when it can be used: in the log's format, so that whatever reads JSON gets no other line.
struct ReadyNotice {
    let issuer: String
    let environment: ServerSettings.Environment

    private var outbox: String { "\(issuer)/sandbox/outbox" }
    private var account: String { "\(issuer)/account" }

    /// How a sandbox at an IP address, where no device has a passkey, gets a name. The database has its issuer by now.
    private var passkeys: String {
        guard let own = try? Issuer(issuer), PasskeyRelyingParty(issuer: own) == nil else { return "" }
        let named = "http://localhost:\(own.port)"
        return
            "no passkeys at an IP address; for them: walletauth database change-issuer \(named), then serve --issuer \(named)\n"
    }

    func formatted(as format: LogFormat, at time: Date = Date()) -> String {
        switch format {
        case .text:
            let ready = "walletauth ready at \(issuer)\n"
            guard environment == .sandbox else { return ready }
            return ready
                + """
                codes and other messages to people: \(outbox)
                people's own security page: \(account)

                """ + passkeys
        case .json:
            var line = LogLine(
                time: time, label: "walletauth", level: .info, message: "ready", metadata: ["issuer": .string(issuer)])
            if environment == .sandbox {
                line.metadata["outbox"] = .string(outbox)
                line.metadata["securityPage"] = .string(account)
            }
            return line.formatted(as: format)
        }
    }
}
