import Foundation
import WalletAuth
import WalletAuthWire

extension Wallet {
    /// Whether it holds a session, even one whose token cannot be renewed because of the network or the server.
    func keepsSession() async throws -> Bool {
        do { try await setUp() } catch let error as WalletError {
            if case .signedOut = error.outcome { return false }
        }
        return true
    }

    /// This device's enrollment for the account that is signed in; nil if there is none.
    func ownEnrollment() async throws -> EnrolledAccount? {
        guard let subject = identity?.subject else { return nil }
        return try await accounts.first { $0.id.rawValue == subject }
    }

    /// Refuses a command that needs an enrolled device before the person types a secret.
    /// - Throws: ``Failure`` `device_not_enrolled`.
    func requireOwnEnrollment() async throws {
        guard try await ownEnrollment() != nil else {
            try await requireEnrollments()
            let enroll = "wallet device enroll DEVICE-NAME"
            throw Failure(
                code: WalletError.Code.deviceNotEnrolled.rawValue,
                message: "this device is not enrolled for the account",
                advice: Failure.allowsChanges(signIn: (identity?.authenticatedAt, identity?.acr), now: serverTime)
                    ? "enroll it: \(enroll)" : "\(Failure.withTwoFactors), then: \(enroll); \(Failure.ofOneFactor)")
        }
    }

    /// Refuses a command that needs an enrolled device if the server does not support enrollment.
    /// - Throws: ``Failure`` `unsupported_by_server`.
    func requireEnrollments() async throws {
        do { try await checkRegistration() } catch let error as WalletError
            where !error.reachedServer || error.operation == .setUp
        {
            // Nothing is known of the server.
            throw error
        } catch let error as WalletError where error.code == .unsupportedByServer {
            let isSignedIn = (try? await keepsSession()) ?? true
            throw Failure(
                code: error.code.rawValue,
                message: "this server does not support devices and PINs; only a walletauth server does",
                advice: isSignedIn ? "you stay signed in" : "sign in on its pages with: wallet sign-in --browser")
        } catch is WalletError {}
    }

    /// Refuses a change to this device during the cooling period of a recovery, or after too old or weak a sign-in, before the person
    /// types a secret for it.
    /// - Throws: ``Failure`` `recovery_cooling`, `insufficient_user_authentication`.
    func requireSettled(withTwoFactorsFor operation: WalletError.Operation) async throws {
        let list = try await factors.list()
        if let cooling = CoolingPeriod(list) {
            throw Failure(
                code: WalletError.Code.recoveryCooling.rawValue, message: cooling.sentence, advice: "try again then")
        }
        let signIn = (time: identity?.authenticatedAt, acr: identity?.acr)
        if let failure = Failure.ofTwoFactors(list, signIn: signIn, during: operation, now: serverTime) {
            throw failure
        }
    }

    /// Why a recent sign-in with two factors did not do: the server counts a new device's key and PIN only after its waiting time.
    /// - Returns: nil if this is not known to be the reason.
    func newDevice(refusedAs error: WalletError) async -> Failure? {
        guard error.code == .insufficientUserAuthentication, (try? await keepsSession()) == true,
            Failure.allowsChanges(signIn: (identity?.authenticatedAt, identity?.acr), now: serverTime),
            let device = try? await devices.list().first(where: \.isCurrent)
        else { return nil }
        return Failure(error, ofDeviceNewUntil: device.coolingUntil.date, now: serverTime)
    }

    /// The time by which the server compares: a device's clock may be some minutes off.
    private var serverTime: Date { Date(timeIntervalSinceNow: TimeInterval(diagnostics.clockOffset ?? 0)) }

    /// Refuses to close the account during a waiting time, or after too old or weak a sign-in, before the person is asked whether to close
    /// it.
    func requireClosable() async throws {
        let list = try await factors.list()
        let signIn = (time: identity?.authenticatedAt, acr: identity?.acr)
        if let failure = Failure.ofClosing(list, signIn: signIn, now: serverTime) { throw failure }
    }

    /// Refuses a new password or new answers during a waiting time, or after too weak a sign-in, before the person types them. The current
    /// password counts as a recent sign-in.
    func requireChangeable(by operation: WalletError.Operation) async throws {
        let time = operation == .changePassword ? nil : identity?.authenticatedAt
        let signIn = (time: time, acr: identity?.acr)
        let failure = Failure.ofChange(try await factors.list(), signIn: signIn, during: operation, now: serverTime)
        if let failure { throw failure }
    }
}
