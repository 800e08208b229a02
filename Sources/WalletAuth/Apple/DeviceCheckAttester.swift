#if canImport(DeviceCheck)
    import DeviceCheck
    public import Foundation

    /// Attests the app by App Attest. The app needs the capability "App Attest".
    public struct DeviceCheckAttester: AppAttester {
        /// Creates an attester that asks the system.
        public init() {}

        /// Makes a new key and has Apple attest it, which takes the network.
        /// - Parameter clientDataHash: what Apple signs, 32 bytes.
        /// - Returns: nil in a simulator, in most extensions, and where Apple refuses.
        /// - Throws: ``AppAttesterFailure`` if Apple's service does not answer.
        public func attest(_ clientDataHash: Data) async throws -> Data? {
            let service = DCAppAttestService.shared
            guard service.isSupported else { return nil }
            do {
                let key = try await service.generateKey()
                return try await service.attestKey(key, clientDataHash: clientDataHash)
            } catch let error as DCError where error.code == .serverUnavailable {
                throw AppAttesterFailure(reason: "Apple's App Attest service does not answer")
            } catch {
                // The system refuses this app or device, and would again.
                return nil
            }
        }
    }
#endif
