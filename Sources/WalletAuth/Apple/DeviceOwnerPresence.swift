#if canImport(LocalAuthentication) && !os(tvOS)
    import Foundation
    import LocalAuthentication

    /// Asks the device's owner for face, fingerprint or passcode.
    public struct DeviceOwnerPresence: UserPresence {
        /// Creates the adapter.
        public init() {}

        /// The strongest check that this device can make right now.
        public func capability() async -> UserPresenceCapability {
            // A context remembers earlier answers, so each question gets its own.
            if LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil) {
                return .biometrics
            }
            return LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) ? .passcode : .none
        }

        /// Asks for biometrics, with the passcode as a fallback. Info.plist must contain `NSFaceIDUsageDescription`.
        /// - Parameter reason: shown to the person in the prompt, in their language.
        /// - Throws: ``UserPresenceFailure``; `CancellationError` when the task was cancelled, which dismisses the
        ///   prompt.
        public func confirm(reason: String) async throws {
            try Task.checkCancellation()
            // `invalidate()` is the documented way to end an evaluation from another thread.
            nonisolated(unsafe) let context = LAContext()
            do {
                try await withTaskCancellationHandler {
                    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason) {
                            isConfirmed, error in
                            continuation.resume(
                                with: isConfirmed ? .success(()) : .failure(UserPresenceFailure(error)))
                        }
                    }
                } onCancel: {
                    context.invalidate()
                }
            } catch {
                // The system reports a prompt that the cancellation dismissed like one that the person closed.
                try Task.checkCancellation()
                throw error
            }
        }
    }

    extension UserPresenceFailure {
        fileprivate init(_ error: (any Error)?) {
            switch (error as? LAError)?.code {
            case .biometryLockout?: self = .lockedOut
            case .passcodeNotSet?, .biometryNotAvailable?, .biometryNotEnrolled?, .notInteractive?: self = .unavailable
            default: self = .refused
            }
        }
    }
#endif
