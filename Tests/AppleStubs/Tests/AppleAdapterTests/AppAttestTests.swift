import AppleAdapters
import DeviceCheck
import Foundation
import Testing

@Suite("App Attest", .serialized)
struct AppAttestTests {
    private let hash = Data(repeating: 7, count: 32)

    @Test("The hash is attested by a new key")
    func attests() async throws {
        (AppAttestScript.isSupported, AppAttestScript.failure) = (true, nil)
        #expect(try await DeviceCheckAttester().attest(hash) == Data("key".utf8) + hash)
    }

    @Test("Without App Attest, and where Apple refuses, there is no attestation; Apple's silence is a failure")
    func without() async throws {
        (AppAttestScript.isSupported, AppAttestScript.failure) = (false, nil)
        #expect(try await DeviceCheckAttester().attest(hash) == nil)
        (AppAttestScript.isSupported, AppAttestScript.failure) = (true, .featureUnsupported)
        #expect(try await DeviceCheckAttester().attest(hash) == nil)
        AppAttestScript.failure = .serverUnavailable
        await #expect(throws: AppAttesterFailure.self) { try await DeviceCheckAttester().attest(hash) }
    }
}
