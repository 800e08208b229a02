import Foundation
import WalletAuth

/// Asks the person at the terminal before a passkey or a biometric key is used. A script, whose input is no terminal, is not asked.
struct TerminalPresence: UserPresence {
    /// Whether it plays the sensor of a phone.
    var isSensor = false

    func capability() async -> UserPresenceCapability { isSensor ? .biometrics : .none }

    func confirm(reason: String) async throws {
        guard isatty(0) == 1 else { return }
        let answer = try Answers.person(instead: "a terminal")
            .next(asking: "\(reason)? Press Enter, or type no: ", shown: .visible)
        if !answer.isEmpty { throw UserPresenceFailure.refused }
    }
}
