// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What each symbol does is for Apple's documentation to say.
// Stubs: DeviceCheck.
public import Foundation

public struct DCError: Error, Sendable {
    public enum Code: Int, Sendable {
        case unknownSystemFailure = 0
        case featureUnsupported = 1
        case invalidInput = 2
        case invalidKey = 3
        case serverUnavailable = 4
    }
    public let code: Code
}

// Not Sendable.
open class DCAppAttestService: NSObject {
    open class var shared: DCAppAttestService { DCAppAttestService() }
    open var isSupported: Bool { AppAttestScript.isSupported }
    open func generateKey() async throws -> String { "key" }
    open func attestKey(_ keyId: String, clientDataHash: Data) async throws -> Data {
        if let failure = AppAttestScript.failure { throw DCError(code: failure) }
        return Data(keyId.utf8) + clientDataHash
    }
}

/// No part of Apple's framework: what a test has Apple answer. One test at a time.
public enum AppAttestScript {
    public nonisolated(unsafe) static var isSupported = true
    public nonisolated(unsafe) static var failure: DCError.Code?
}
