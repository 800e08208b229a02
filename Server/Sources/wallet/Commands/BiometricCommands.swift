import ArgumentParser
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// Face or fingerprint in place of the PIN, to which a person at a terminal agrees.
struct BiometricCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "biometrics",
        abstract: "Turns a stand-in for face or fingerprint on or off, to try what an app does.",
        discussion: """
            A terminal has no sensor: with an attester (see wallet attester create --help), you agree there in its place. In production, \
            a server accepts that only with devices.biometricKeys attested-app, and its own test root.
            """,
        subcommands: [Enable.self, Disable.self])

    struct Enable: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turns it on, with this device's PIN: approve payments with --factor biometric.")

        @OptionGroup var source: PINSource
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            #if os(Linux)
                guard try TerminalAttester.named() != nil else {
                    throw Failure(
                        code: WalletError.Code.keysUnavailable.rawValue,
                        message: "a terminal has no face or fingerprint sensor",
                        advice: "to try what an app does, make a stand-in: wallet attester create --help")
                }
            #endif
            let answers = try source.answers()
            try await wallet.requireOwnEnrollment()
            try await wallet.requirePIN(of: wallet.ownEnrollment()?.id, for: answers)
            try await wallet.biometrics.enable(pin: answers.next(asking: "PIN: ", shown: .hidden))
            terminal.print(DoneReport(done: "Turned on. Approve a payment with: wallet transfer --factor biometric"))
        }
    }

    struct Disable: SignedInCommand {
        static let configuration = CommandConfiguration(abstract: "Turns it off; your PIN stays.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            try await wallet.requireOwnEnrollment()
            try await wallet.biometrics.disable()
            terminal.print(DoneReport(done: "Turned off. Your PIN works as before."))
        }
    }
}
