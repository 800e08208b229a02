import WalletAuth
import WalletAuthTransport
import WalletAuthWire

extension PINDevice {
    /// Signs in with the PIN.
    /// - Parameter usesDeviceToken: whether the token of the device's long-lived session goes with it.
    func signIn(
        _ pin: PIN, extras: LoginExtras, withDeviceToken usesDeviceToken: Bool = false
    ) async throws -> LoginOutcome {
        let signIn = try await authentication.beginSignIn(
            as: enrollment, extras: extras, withDeviceToken: usesDeviceToken, during: operation)
        let assertion = try await assertion(signIn.act, by: pin)
        let authentication = authentication
        return try await noting { try await authentication.finish(signIn, by: assertion) }
    }
}

/// The PIN sign-ins in progress in this process. Calls with the same PIN, such as a double tap, share one sign-in and
/// one attempt.
final class PINSignIns: Sendable {
    private struct Run: Sendable {
        var account: AccountID?
        var pin: PIN
        var flight: SingleFlight<LoginOutcome>
    }

    private let current = LockedValue<Run?>(nil)

    func run(
        _ pin: PIN, account: AccountID?, _ work: @escaping @Sendable () async throws -> LoginOutcome
    ) async throws -> LoginOutcome {
        let flight = current.withLock { run in
            if let run, run.account == account, run.pin.isSame(as: pin) { return run.flight }
            let flight = SingleFlight<LoginOutcome>(.endsWithItsLastCaller)
            run = Run(account: account, pin: pin, flight: flight)
            return flight
        }
        // The PIN is discarded with its sign-in.
        defer { current.withLock { if $0?.flight === flight { $0 = nil } } }
        return try await flight.run(work)
    }
}

extension PIN {
    /// Compares in a time that reveals only the lengths.
    fileprivate func isSame(as other: PIN) -> Bool {
        digits.withBytes { mine in
            other.digits.withBytes { theirs in
                mine.count == theirs.count && zip(mine, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
            }
        }
    }
}
