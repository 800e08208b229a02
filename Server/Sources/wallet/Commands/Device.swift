import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// The devices of the account.
struct Device: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Enrolls this device, and manages your account's devices.",
        subcommands: [Enroll.self, List.self, Rename.self, Push.self, Remove.self])

    struct Enroll: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Links this device to your account. Needs a sign-in with two factors within the last few minutes.",
            discussion: """
                  wallet sign-in --username ada --two-factors
                  wallet device enroll "My laptop"

                Enrolling an enrolled device again gives it a new id, removes its PIN and its long-lived session, and restarts its \
                waiting time.
                """)

        @Argument(help: "The device's name.")
        var name: String

        @Option(
            help: """
                The user name that you sign in with here, so that the server recognizes this device at the next sign-in; by \
                default the one that you signed in with.
                """, transform: TypedText.trimmed)
        var username: String?

        @Flag(help: "Enroll this device again, without a question, if it is enrolled already.")
        var again = false

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            // Checked first, so that no one is asked for a stronger sign-in that would not help.
            try await wallet.requireSettled(withTwoFactorsFor: .enrollDevice)
            let known = try Profile.load(from: connection.folder)?.username
            let former = try await FormerEnrollment(wallet)
            if let former, !again { try former.confirm(terminal) }
            let device = try await wallet.devices.enroll(name: name, username: username ?? known)
            let report = DeviceReport(device)
            terminal.print(report)
            if report.isCooling() {
                terminal.say(
                    "As a new device, it cannot approve payments, sign transactions, change your account or recover your "
                        + "password until \(report.coolingUntil.formatted(.iso8601)).")
            }
            if let former {
                for line in former.lines {
                    terminal.say((username ?? known).map { Failure.naming(username: $0, in: line) } ?? line)
                }
                await former.remove(from: wallet, terminal)
            }
            if device.awaitsVerification {
                terminal.say(
                    "The server has sent you a code; you will be asked for it at the next sign-in from here.")
            }
        }
    }

    struct List: SignedInCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the devices of your account.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let devices = try await wallet.devices.list()
            terminal.print(DeviceListReport(devices: devices.map(DeviceReport.init)))
        }
    }

    struct Rename: SignedInCommand {
        static let configuration = CommandConfiguration(abstract: "Renames a device.")

        @Argument(help: "The device's id, as wallet device list shows it.")
        var id: String

        @Argument(help: "The device's name.")
        var name: String

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let device = try await wallet.devices.rename(try DeviceID.typed(id), to: name)
            terminal.print(DeviceReport(device))
        }
    }

    struct Push: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Registers a push token of this device, so that payments can wait for your approval here.",
            discussion: """
                A terminal receives no push messages: wallet approvals list shows what waits. The token is for trying what an \
                app does, with a stand-in for the push service.
                """)

        private static let form = "64 to 200 hexadecimal digits, two for each byte"

        @Argument(help: "The token, as Apple's service issues it: \(Push.form).") var token: String

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func validate() throws {
            do { try PushAddress(token: PushToken(token), environment: .sandbox).validate() } catch {
                throw ValidationError("the token must be \(Self.form)")
            }
        }

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            guard let own = try await wallet.devices.list().first(where: \.isCurrent) else {
                throw Failure(
                    code: "device_not_enrolled", message: "you did not sign in with this device's enrollment",
                    advice: "wallet device enroll DEVICE-NAME")
            }
            try await wallet.devices.setPushAddress(token: token, environment: .sandbox, for: own.id)
            terminal.print(PushReport(deviceID: own.id.rawValue))
        }
    }

    private struct PushReport: Report {
        let deviceID: String
        var lines: [String] { ["Registered. What waits for you: wallet approvals list"] }
    }

    struct Remove: WalletCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a device and ends its sessions. Removing this device signs you out.")

        @Argument(help: "The device's id, as wallet device list shows it.")
        var id: String

        @Flag(help: "Remove this device without a question. Without a terminal, there is none.")
        var yes = false

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ terminal: Terminal) async throws {
            let device = try DeviceID.typed(id)
            let wallet = try await connection.signedIn()
            let isOwn = try await wallet.ownEnrollment()?.deviceID == device
            if isOwn, !yes, isatty(STDIN_FILENO) == 1 { try confirm(terminal) }
            try await wallet.devices.remove(device)
            terminal.print(RemovalReport(deviceID: device.rawValue, isCurrent: isOwn))
        }

        private func confirm(_ terminal: Terminal) throws {
            let question = "This is this device. You will be signed out. Remove it? (yes/no) "
            guard try Answers.person(instead: "--yes").isYes(question, terminal) else {
                throw Failure(
                    code: Failure.notAgreed.code, message: "nothing was removed",
                    advice: "to remove another device, see: wallet device list")
            }
        }
    }

    private struct RemovalReport: Report {
        let deviceID: String
        /// Whether it was this device, which is signed out now.
        let isCurrent: Bool

        var lines: [String] {
            [
                isCurrent
                    ? "Removed. It was this device: you are signed out. To use it again, sign in and enroll it again."
                    : "Removed. To use that device again, sign in and enroll it again."
            ]
        }
    }
}

/// The state of this device before it is enrolled again, which removes its PIN and its long-lived session.
private struct FormerEnrollment {
    private let id: DeviceID
    private let hadPIN: Bool
    private let hadDeviceToken: Bool

    /// - Returns: nil if the device was not enrolled for the account that is signed in.
    init?(_ wallet: Wallet) async throws {
        guard let account = try await wallet.ownEnrollment() else { return nil }
        id = account.deviceID
        hadPIN = try await wallet.pin.state(of: account.id) != .none
        let isLastUsed = try await wallet.accounts.first?.id == account.id
        // The SDK reports the long-lived session of the account used last.
        if isLastUsed, case .active = try await wallet.deviceAuthenticationToken {
            hadDeviceToken = true
        } else {
            hadDeviceToken = false
        }
    }

    /// Asks whether to replace it. Without a terminal, --again is required.
    /// - Throws: ``Failure``, also if the person answers no.
    func confirm(_ terminal: Terminal) throws {
        terminal.say(
            "This device is already enrolled for you. Enrolling it again removes its PIN and its long-lived session, and restarts its "
                + "waiting time.")
        guard try Answers.person(instead: "--again").isYes("Enroll it again? (yes/no) ", terminal) else {
            throw Failure(
                code: Failure.notAgreed.code, message: "nothing was changed", advice: "this device stays enrolled")
        }
    }

    /// Removes the former id at the server, which would list it as another device. The new enrollment has succeeded, even if this
    /// request fails.
    func remove(from wallet: Wallet, _ terminal: Terminal) async {
        do { try await wallet.devices.remove(id) } catch {
            terminal.say(
                "The server still lists it under its former id. Remove that: wallet device remove \(id.rawValue)")
        }
    }

    var lines: [String] {
        var lines = [
            "This device was already enrolled for you; it now has a new id, and its previous settings are gone."
        ]
        if hadPIN { lines.append("Set your PIN again: wallet pin set") }
        if hadDeviceToken {
            lines.append("Start a long-lived session again: wallet device-token generate --username NAME")
        }
        return lines
    }
}

struct DeviceReport: Report {
    let deviceID: String
    let name: String
    let platform: String
    let state: String
    let isCurrent: Bool
    /// Whether push messages can reach it.
    let hasPushAddress: Bool
    let enrolledAt: Date
    let lastUsedAt: Date
    /// The end of its cooling period after enrollment.
    let coolingUntil: Date

    init(_ device: Wallet.Device) {
        deviceID = device.id.rawValue
        name = device.name.rawValue
        platform = device.platform.rawValue
        state = device.state.rawValue
        isCurrent = device.isCurrent
        hasPushAddress = device.hasPushAddress
        enrolledAt = device.createdAt.date
        lastUsedAt = device.lastUsedAt.date
        coolingUntil = device.coolingUntil.date
    }

    func isCooling(at now: Date = Date()) -> Bool { now < coolingUntil }

    var lines: [String] {
        let mark = isCurrent ? ", this one" : ""
        // To the second: people tell devices of the same name apart by when they used them.
        let used = "enrolled \(enrolledAt.formatted(.iso8601)), last used \(lastUsedAt.formatted(.iso8601))"
        let cooling = isCooling() ? ", new until \(coolingUntil.formatted(.iso8601))" : ""
        let push = hasPushAddress ? ", with a push address" : ""
        return ["\(deviceID)  \(name) (\(platform)\(mark)), \(state), \(used)\(push)\(cooling)"]
    }
}

struct DeviceListReport: Report {
    let devices: [DeviceReport]
    var lines: [String] { devices.isEmpty ? ["No devices."] : devices.flatMap(\.lines) }
}

extension DeviceID {
    /// - Throws: ``Failure`` if the text cannot be a device id.
    static func typed(_ text: String) throws -> DeviceID {
        do { return try DeviceID(text) } catch {
            throw Failure(
                code: WalletError.Code.deviceNotFound.rawValue, message: "\"\(text)\" is not a device id",
                advice: "see: wallet device list")
        }
    }
}
