internal import Kernel
internal import Store
internal import WalletAuthWire

/// Devices that wait for a code, on the account's page. The code goes to the holder, so no further sign-in is needed: with the
/// password alone, an attacker can have it sent but cannot read it.
extension AccountInteraction {
    /// Confirms an installation with its code.
    func confirmDevice(
        _ id: String, by code: OneTimeCode?, on page: AccountPageState
    ) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        let notice: AccountPage.Notice
        if let device = try await device(id, of: person.account), device.awaitsCode {
            notice = try await confirm(device, by: code)
        } else {
            notice = .noSuchDevice
        }
        return try await overview(of: person, proved: page.proved, notice)
    }

    /// Sends the code of an installation again.
    func sendDeviceCode(_ id: String, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let device = try await device(id, of: person.account), device.awaitsCode else {
            return try await overview(of: person, proved: page.proved, .noSuchDevice)
        }
        let notice: AccountPage.Notice =
            switch try await host.instanceCodes.send(to: person.account, device: device, now: now) {
            case .sent: .deviceCodeSent
            case .tooSoon(let seconds): .deviceCodeSentRecently(retryAfter: seconds)
            }
        return try await overview(of: person, proved: page.proved, notice)
    }

    private func confirm(_ device: DeviceRecord, by code: OneTimeCode?) async throws -> AccountPage.Notice {
        guard let code else { return .wrongDeviceCode }
        return
            switch try await host.instanceCodes
            .confirm(code, device: device, origin: origin, now: now)
        {
        case .confirmed: .deviceConfirmed
        case .wrong: .wrongDeviceCode
        case .tooManyAttempts(let seconds): .tooManyAttempts(retryAfter: seconds)
        }
    }

    private func device(_ id: String, of account: AccountRecord) async throws -> DeviceRecord? {
        guard let unique = UniqueID(uuid: id) else { return nil }
        let found = try await database.read { try Devices.find(unique, on: $0) }
        return found.flatMap { $0.accountID == account.id ? $0 : nil }
    }
}
