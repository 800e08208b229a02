#if canImport(LocalAuthentication) && !os(tvOS)
    import Foundation
    import LocalAuthentication

    /// Asks the device's holder by face, finger or passcode.
    public struct DeviceOwnerPresence: UserPresence {
        /// Makes it.
        public init() {}

        /// What this device can ask for now.
        public func capability() async -> UserPresenceCapability {
            // A context remembers what it was told: each question gets one of its own.
            if LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil) {
                return .biometrics
            }
            return LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) ? .passcode : .none
        }

        /// Asks by biometrics, with the passcode as the way out. `NSFaceIDUsageDescription` is needed in Info.plist.
        /// - Throws: ``UserPresenceFailure``; `CancellationError` when the task was cancelled, which takes the question away.
        public func confirm(reason: String) async throws {
            try Task.checkCancellation()
            // `invalidate()` is what ends an evaluation from another thread.
            nonisolated(unsafe) let context = LAContext()
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason) { isConfirmed, error in
                        continuation.resume(
                            with: isConfirmed ? .success(()) : .failure(UserPresenceFailure(error)))
                    }
                }
            } onCancel: {
                context.invalidate()
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
