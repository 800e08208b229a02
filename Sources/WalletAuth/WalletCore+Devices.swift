import Foundation
import WalletAuthWire

extension WalletCore {
    func register(mfa: MFAChallenge, answer: String) async throws -> Wallet.Registration {
        let login = try await mfa.answer(answer)
        guard case .authenticated = login else { return Wallet.Registration(login: login, link: .signInUnfinished) }
        guard configuration.linksDevice else { return Wallet.Registration(login: login, link: .notWanted) }
        do {
            let device = try await log.during(.enrollDevice) {
                try await enroller.enroll(
                    name: configuration.deviceName ?? DevicePlatform.usualName, platform: DevicePlatform.here,
                    username: mfa.continuation.attempt.username)
            }
            return Wallet.Registration(login: login, link: .linked(device))
        } catch let error as WalletError {
            return Wallet.Registration(login: login, link: .failed(error))
        }
    }

    /// Removes a device at the server, and what this device keeps of it.
    func removeDevice(_ id: DeviceID) async throws {
        let holding = try await tokens.holding(during: .removeDevice)
        let isOwn = await isDevice(id, of: holding.session)
        do {
            // In this session or not at all: to the next person the server says that there is no such device.
            try await calls.remove(
                Endpoints.device.path(id), missing: .deviceNotFound, in: holding.generation, during: .removeDevice)
            try await forgetEnrollment(id, endingSession: isOwn)
        } catch let error as WalletError where error.code == .deviceNotFound {
            // After a removal elsewhere, the local remains are removed all the same.
            guard try await forgetEnrollment(id, endingSession: isOwn) else { throw error }
        }
    }

    /// Whether it is this device, enrolled for the session's account. Once it is removed, no session says so any more.
    private func isDevice(_ id: DeviceID, of session: Session) async -> Bool {
        // A list that cannot be read keeps no device at the server.
        let enrollments = (try? await enroller.enrollments.all()) ?? []
        return enrollments.contains { $0.deviceID == id && $0.account.rawValue == session.owner.subject }
    }

    /// Removes an enrollment from this device, with its keys and its account's history; where it is the session's, the session is
    /// over.
    /// - Parameter isSessions: whether it is the enrollment of a session that may have ended meanwhile.
    /// - Returns: whether the enrollment was here.
    @discardableResult
    private func forgetEnrollment(_ id: DeviceID, endingSession isSessions: Bool) async throws -> Bool {
        guard let listed = try await enroller.enrollments.all().last(where: { $0.deviceID == id }) else { return false }
        let removed = try await deviceAuthentication.history.whileUnwritten(of: listed.account) { [enroller] history in
            try await enroller.enrollments.remove(id) { enrollment in
                await enroller.dropKeys(of: enrollment)
                try await history.removeAll()
            }
        }
        guard let removed else { return false }
        let holder = keeper.snapshot.holding?.session
        // The server may have ended it already. Someone else's is none of this.
        let isOver = holder.map { $0.owner.subject == removed.account.rawValue } ?? isSessions
        if isOver { _ = try await logout() }
        return true
    }
}
