import WalletAuthTransport
import WalletAuthWire

/// The last events, for the diagnostics. It holds only operations, error codes and trace ids, and no text written by a
/// person or a server.
final class DiagnosticsLog: Sendable {
    private let clock: ServerClock
    private let entries = LockedValue<[Wallet.Diagnostics.Event]>([])

    init(clock: ServerClock) { self.clock = clock }

    var events: [Wallet.Diagnostics.Event] { entries.withLock { $0 } }

    func note(_ operation: WalletError.Operation, _ result: String, traceID: String? = nil) {
        let event = Wallet.Diagnostics.Event(at: clock.now.date, operation: operation, result: result, traceID: traceID)
        entries.withLock { entries in
            entries.append(event)
            entries.removeFirst(max(0, entries.count - 32))
        }
    }

    func note(_ error: any Error) {
        guard let error = error as? WalletError else { return }
        note(error.operation, error.code.rawValue, traceID: error.traceID)
    }

    /// Runs one call: its errors are ``WalletError``s of this operation, and are recorded.
    func during<T>(_ operation: WalletError.Operation, _ work: () async throws -> T) async throws -> T {
        do { return try await work() } catch {
            let error = WalletError.wrap(error, operation)
            note(error)
            throw error
        }
    }
}

/// Converts errors of the ports. All in one place, so that no port failure can turn into "signed out".
extension WalletError {
    /// Runs `work` and converts its errors into a ``WalletError`` of this operation; cancellation passes through.
    static func during<T>(_ operation: Operation, _ work: () async throws -> T) async throws -> T {
        do { return try await work() } catch { throw wrap(error, operation) }
    }

    /// Checks what the app passed: an error of `make` is a refusal of this operation, before anything is sent.
    static func argument<T>(
        _ operation: Operation, _ code: Code = .badRequest, reason: (any Error) -> String = { "\($0)" },
        _ make: () throws -> T
    ) throws(WalletError) -> T {
        do { return try make() } catch {
            // Credentials that no account can have get the same answer as wrong ones.
            let statusCode = code == .invalidCredentials ? ErrorCode.invalidCredentials.statusCode() : nil
            throw WalletError(code, .refused, during: operation, statusCode: statusCode, reason: reason(error))
        }
    }

    static func wrap(_ error: any Error, _ operation: Operation) -> any Error {
        switch error {
        // An app that calls ``Wallet/signIn()`` first has the metadata read by it, and has called nothing named `set_up`.
        case let found as WalletError where found.operation == .setUp && operation == .signIn: found.during(operation)
        case is WalletError, is CancellationError: error
        case let failure as SecureStoreFailure: store(failure, operation)
        case let failure as TransportFailure: transport(failure, operation)
        case let failure as DeviceKeyFailure: keys(failure, operation)
        case let failure as UserAgentFailure: userAgent(failure, operation)
        case let url as UnprovableURL:
            WalletError(
                .requestRefused, .misconfigured, during: operation,
                reason: "no DPoP proof can name the request's URL, which \(url.reason)")
        case let malformed as MalformedValue:
            WalletError(
                .malformedAnswer, .misconfigured, during: operation, reachedServer: true, reason: malformed.description)
        case let malformed as JOSEError:
            WalletError(
                .malformedAnswer, .misconfigured, during: operation, reachedServer: true,
                reason: "what the server signed \(malformed)")
        default:
            // The port broke its contract: the app can only try again.
            WalletError(
                .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: operation,
                reason: "one of the app's own ports failed with an unexpected error")
        }
    }

    private func during(_ operation: Operation) -> WalletError {
        var error = self
        error.operation = operation
        return error
    }

    private static func store(_ failure: SecureStoreFailure, _ operation: Operation) -> WalletError {
        WalletError(.storeUnavailable, .storeUnavailable(failure.kind), during: operation, reason: failure.reason)
    }

    private static func transport(_ failure: TransportFailure, _ operation: Operation) -> WalletError {
        switch failure.kind {
        case .offline: WalletError(.offline, .offline, during: operation, reason: failure.reason)
        case .unreachable, .lost:
            WalletError(
                .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: operation,
                reason: failure.reason)
        case .untrusted:
            WalletError(
                .untrustedConnection, .temporarilyUnavailable(retryAfter: nil), during: operation,
                reason: failure.reason)
        }
    }

    private static func keys(_ failure: DeviceKeyFailure, _ operation: Operation) -> WalletError {
        switch failure.kind {
        case .invalidated:
            WalletError(.keyLost, .keyLost(recovery: .signInAgain), during: operation, reason: failure.reason)
        case .presenceRefused:
            WalletError(.cancelledByPerson, .cancelledByPerson, during: operation, reason: failure.reason)
        case .presenceLockedOut:
            WalletError(.biometricsLockedOut, .refused, during: operation, reason: failure.reason)
        case .unsupported:
            WalletError(.keysUnavailable, .misconfigured, during: operation, reason: failure.reason)
        case .locked, .failed:
            WalletError(
                .keysUnavailable, .temporarilyUnavailable(retryAfter: nil), during: operation, reason: failure.reason)
        }
    }

    private static func userAgent(_ failure: UserAgentFailure, _ operation: Operation) -> WalletError {
        switch failure.kind {
        case .cancelledByPerson, .timedOut:
            WalletError(.cancelledByPerson, .cancelledByPerson, during: operation, reason: failure.reason)
        case .unavailable, .failed:
            WalletError(.userAgentUnavailable, .misconfigured, during: operation, reason: failure.reason)
        }
    }

    /// No one is signed in.
    static func signedOut(_ reason: SignOutReason, _ operation: Operation, reachedServer: Bool = false) -> WalletError {
        WalletError(
            .signedOut, .signedOut(reason), during: operation, reachedServer: reachedServer,
            reason: reason.explanation)
    }

    /// Another person signed in where this one was to sign in again. This one stays signed in.
    static func anotherPerson(during operation: Operation) -> WalletError {
        WalletError(
            .anotherPerson, .refused, during: operation, reachedServer: true,
            reason: "the person who signed in is not the one the call was made for")
    }
}

extension WalletError.SignOutReason {
    fileprivate var explanation: String {
        switch self {
        case .neverSignedIn: "no one has signed in on this device"
        case .loggedOut: "the person signed out"
        case .sessionEnded: "the server has ended the session"
        case .tokenExpired:
            "the token has expired, and there is no refresh token; many servers issue one for the scope offline_access"
        case .replacedByAnotherSignIn: "another sign-in replaced the session"
        case .keyLost: "this device has lost the key of the session"
        case .appleCredentialRevoked: "the person stopped using their Apple Account with this app"
        }
    }
}
