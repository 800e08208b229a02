#if canImport(Security) && canImport(CryptoKit) && canImport(LocalAuthentication) && !os(tvOS)
    import CryptoKit
    import Dispatch
    import Foundation
    import LocalAuthentication
    import Security

    /// A Secure Enclave key behind face or fingerprint (`.biometryCurrentSet`). The enclave signs only after a match,
    /// and never again once the enrolled faces or fingerprints change.
    struct SecureEnclavePresenceKey: DevicePresenceKey {
        /// The enclave's encrypted blob of the key.
        let blob: Data
        let publicKey: Data

        /// Creates a key. This shows no prompt.
        init() throws {
            guard SecureEnclave.isAvailable else {
                throw DeviceKeyFailure(.unsupported, reason: "this device has no Secure Enclave")
            }
            guard LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil) else {
                throw DeviceKeyFailure(.unsupported, reason: "no face or fingerprint is set up on this device")
            }
            guard
                let access = SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryCurrentSet], nil)
            else { throw DeviceKeyFailure(.failed, reason: "the key's access control could not be created") }
            do {
                try self.init(SecureEnclave.P256.Signing.PrivateKey(accessControl: access))
            } catch {
                throw DeviceKeyFailure(.failed, reason: "the Secure Enclave created no key: \((error as NSError).code)")
            }
        }

        /// Opens a stored key.
        init(blob: Data) throws {
            do {
                try self.init(SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: blob))
            } catch {
                throw DeviceKeyFailure(.invalidated, reason: "the enclave does not know the key")
            }
        }

        private init(_ key: SecureEnclave.P256.Signing.PrivateKey) {
            blob = key.dataRepresentation
            publicKey = key.publicKey.x963Representation
        }

        /// The enclave's prompt blocks the signing thread, so signing gets a thread of its own.
        private static let queue = DispatchQueue(label: "wallet-auth.presence", qos: .userInitiated)

        func sign(_ message: Data, reason: String) async throws -> Data {
            try Task.checkCancellation()
            // `invalidate()` is the documented way to dismiss the prompt from another thread.
            nonisolated(unsafe) let context = LAContext()
            context.localizedReason = reason
            do {
                return try await withTaskCancellationHandler {
                    try await withCheckedThrowingContinuation { continuation in
                        Self.queue.async { [blob] in
                            continuation.resume(with: Result { try Self.signature(message, blob, context) })
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

        private static func signature(_ message: Data, _ blob: Data, _ context: LAContext) throws -> Data {
            do {
                return try SecureEnclave.P256.Signing.PrivateKey(
                    dataRepresentation: blob, authenticationContext: context
                ).signature(for: message).rawRepresentation
            } catch {
                throw DeviceKeyFailure(presence: error)
            }
        }
    }

    extension DeviceKeyFailure {
        /// Maps a refusal of the enclave. It has no code for a key whose enrolled set has changed, so any failure that
        /// is neither the person's choice nor a locked device means that the key must be created again.
        fileprivate init(presence error: any Error) {
            switch (error as? LAError)?.code {
            case .biometryLockout?: self.init(.lockedOut)
            case .biometryNotAvailable?, .notInteractive?: self.init(.unavailable)
            case .biometryNotEnrolled?, .passcodeNotSet?:
                self.init(.invalidated, reason: "face and fingerprint are no longer set up on this device")
            case .some: self.init(.refused)
            case nil:
                let code = (error as NSError).code
                let isLocked = code == Int(errSecInteractionNotAllowed)
                self.init(isLocked ? .locked : .invalidated, reason: "the Secure Enclave returned \(code)")
            }
        }
    }
#endif
