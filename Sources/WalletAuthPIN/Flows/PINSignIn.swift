import WalletAuth
import WalletAuthTransport
import WalletAuthWire

/// Signs in with the PIN of an enrollment.
struct PINSignIn: Sendable {
    let device: PINDevice
    let extras: LoginExtras

    func run(_ pin: PIN) async throws -> LoginOutcome {
        let device = device
        return try await run(pin) { signIn, assertion in
            try await device.authentication.finish(signIn, as: device.enrollment, by: assertion)
        }
    }

    /// Runs the sign-in.
    ///
    /// - Parameter finish: sends the assertion, either as a sign-in with a PIN or as part of another sign-in.
    func run(
        _ pin: PIN, _ finish: @escaping @Sendable (DeviceSignIn, SignedAssertion) async throws -> LoginOutcome
    ) async throws -> LoginOutcome {
        let signIn = try await device.authentication.beginSignIn(
            as: device.enrollment, extras: extras, during: device.operation)
        let assertion = try await device.assertion(signIn.act, by: pin)
        return try await device.noting { try await finish(signIn, assertion) }
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
