#if canImport(Security) && canImport(CryptoKit) && canImport(LocalAuthentication) && !os(tvOS)
    import CryptoKit
    import Dispatch
    import Foundation
    import LocalAuthentication
    import Security

    /// A key of the Secure Enclave behind face or finger (`.biometryCurrentSet`): the enclave signs only after the sensor
    /// matched, and never again once the enrolled set has changed.
    struct SecureEnclavePresenceKey: DevicePresenceKey {
        /// The enclave's encrypted blob of the key.
        let blob: Data
        let publicKey: Data

        /// Makes a key. Nobody is asked for that.
        init() throws {
            guard SecureEnclave.isAvailable else {
                throw DeviceKeyFailure(.unsupported, reason: "this device has no Secure Enclave")
            }
            guard LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil) else {
                throw DeviceKeyFailure(.unsupported, reason: "no face or finger is set up on this device")
            }
            guard
                let access = SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryCurrentSet], nil)
            else { throw DeviceKeyFailure(.failed, reason: "the key's access control could not be made") }
            do {
                try self.init(SecureEnclave.P256.Signing.PrivateKey(accessControl: access))
            } catch {
                throw DeviceKeyFailure(.failed, reason: "the Secure Enclave made no key: \((error as NSError).code)")
            }
        }

        /// Takes what was kept.
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

        /// The enclave's sheet blocks whoever signs, so it gets a thread of its own.
        private static let queue = DispatchQueue(label: "wallet-auth.presence", qos: .userInitiated)

        func sign(_ message: Data, reason: String) async throws -> Data {
            try Task.checkCancellation()
            // `invalidate()` is what takes the question away from another thread.
            nonisolated(unsafe) let context = LAContext()
            context.localizedReason = reason
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    Self.queue.async { [blob] in
                        continuation.resume(with: Result { try Self.signature(message, blob, context) })
                    }
                }
            } onCancel: {
                context.invalidate()
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
        /// What the enclave's refusal means. A key whose enrolled set has changed is refused without a code of its own, so
        /// what is neither the person's doing nor a locked device's makes the key one to be set anew.
        fileprivate init(presence error: any Error) {
            switch (error as? LAError)?.code {
            case .biometryLockout?: self.init(.lockedOut)
            case .biometryNotAvailable?, .notInteractive?: self.init(.unavailable)
            case .biometryNotEnrolled?, .passcodeNotSet?:
                self.init(.invalidated, reason: "no face or finger is set up on this device any more")
            case .some: self.init(.refused)
            case nil:
                let code = (error as NSError).code
                let isLocked = code == Int(errSecInteractionNotAllowed)
                self.init(isLocked ? .locked : .invalidated, reason: "the Secure Enclave answered \(code)")
            }
        }
    }
#endif
