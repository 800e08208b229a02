// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What each symbol does is for Apple's documentation to say.
// Stubs: CryptoKit, the Secure Enclave's keys. Bodies never run.
public import Foundation
public import LocalAuthentication
public import Security

public enum P256 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var x963Representation: Data { Data() }
        }
        public struct ECDSASignature: Sendable {
            public var rawRepresentation: Data { Data() }
        }
    }

    public enum KeyAgreement {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(x963Representation: D) throws {}
        }
    }
}

public struct SharedSecret: ContiguousBytes, Sendable {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

public enum SecureEnclave {
    public static var isAvailable: Bool { false }

    public enum P256 {
        public enum Signing {
            // Not Sendable here: older SDKs do not say that it is.
            public struct PrivateKey {
                private let blob: NSData

                public init(
                    compactRepresentable: Bool = true, accessControl: SecAccessControl,
                    authenticationContext: LAContext? = nil
                ) throws { blob = NSData() }

                public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
                    blob = NSData(data: dataRepresentation)
                }

                public var dataRepresentation: Data { Data() }
                public var publicKey: CryptoKit.P256.Signing.PublicKey { CryptoKit.P256.Signing.PublicKey() }
                public func signature<D: DataProtocol>(for data: D) throws -> CryptoKit.P256.Signing.ECDSASignature {
                    CryptoKit.P256.Signing.ECDSASignature()
                }
            }
        }

        public enum KeyAgreement {
            public struct PrivateKey {
                private let blob: NSData

                public init(
                    compactRepresentable: Bool = true, accessControl: SecAccessControl,
                    authenticationContext: LAContext? = nil
                ) throws { blob = NSData() }

                public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
                    blob = NSData(data: dataRepresentation)
                }

                public var dataRepresentation: Data { Data() }
                public func sharedSecretFromKeyAgreement(
                    with publicKeyShare: CryptoKit.P256.KeyAgreement.PublicKey
                ) throws -> SharedSecret { SharedSecret() }
            }
        }
    }
}
