import WalletAuth

/// Plays the sensor of a phone: the person at the terminal agrees in place of a look at their face.
struct TerminalSensor: UserPresence {
    let presence: TerminalPresence

    func capability() async -> UserPresenceCapability { .biometrics }

    func confirm(reason: String) async throws {
        do { try await presence.confirm(reason: reason) } catch is UserAgentFailure {
            throw UserPresenceFailure.unavailable
        }
    }
}
