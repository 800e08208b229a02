import Foundation
import WalletAuthWire

extension WalletCore {
    func register(mfa: MFAChallenge, answer: String) async throws -> Wallet.Registration {
        let login = try await mfa.answer(answer)
        guard case .authenticated = login else { return Wallet.Registration(login: login, link: .signInUnfinished) }
        guard configuration.linksDevice else { return Wallet.Registration(login: login, link: .notWanted) }
        do {
            let device = try await during(.enrollDevice) {
                try await enroller.enroll(
                    name: configuration.deviceName ?? DevicePlatform.usualName, platform: DevicePlatform.here,
                    username: mfa.continuation.attempt.username)
            }
            return Wallet.Registration(login: login, link: .linked(device))
        } catch let error as WalletError {
            return Wallet.Registration(login: login, link: .failed(error))
        }
    }

    /// Removes an enrollment from this device, and its keys with it; where it is the session's, the session is over.
    /// - Returns: whether the enrollment was here.
    @discardableResult
    func forgetEnrollment(_ id: DeviceID) async throws -> Bool {
        guard let removed = try await enroller.enrollments.remove(id) else { return false }
        await enroller.dropKeys(of: removed)
        if keeper.snapshot.holding?.session.owner.subject == removed.account.rawValue { _ = try await logout() }
        return true
    }
}
