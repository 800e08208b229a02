import Foundation
import WalletAuth

/// Asks the person at the terminal before a passkey is used. Where there is no terminal, a script uses it.
struct TerminalPresence: UserPresence {
    func capability() async -> UserPresenceCapability { .none }

    func confirm(reason: String) async throws {
        guard let terminal = fopen("/dev/tty", "r+") else { return }
        fclose(terminal)
        let answer = try Answers.person(instead: "a terminal")
            .next(asking: "\(reason)? Press Enter, or type no: ", shown: .visible)
        if !answer.isEmpty { throw UserPresenceFailure.refused }
    }
}
