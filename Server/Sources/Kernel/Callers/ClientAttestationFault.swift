package import WalletAuthWire

/// Why the attestation of an app's instance is refused.
package enum ClientAttestationFault: Sendable, Hashable {
    /// It is malformed, or no attester of the client signed it.
    case unproved(JOSEError)
    /// An attester of the client signed it, but a claim is missing or wrong.
    case claim(JOSEError)
    /// An attester of the client signed it, and it has expired.
    case expired
    /// An attester of the client signed it, for another key than the one that the request proves.
    case otherKey

    var code: String {
        switch self {
        case .unproved, .claim, .otherKey: OAuthError.Code.invalidClientAttestation.rawValue
        case .expired: OAuthError.Code.useFreshAttestation.rawValue
        }
    }

    /// Whether an attester of the client signed it, so that the sender may know the fault.
    var isAfterProof: Bool {
        if case .unproved = self { false } else { true }
    }

    /// In ASCII, without secrets.
    var sentence: String {
        switch self {
        case .unproved(.unknownKey):
            "The client attestation is signed by none of the attester's keys: no key has its kid, or its alg."
        case .unproved(let error): "The client attestation \(error)."
        case .claim(let error): "The client attestation \(error).\(Self.advice(error))"
        case .expired: "The client attestation has expired. Get another one from the attester."
        case .otherKey: "The client attestation is for another key than the one of the DPoP proof."
        }
    }

    private static func advice(_ error: JOSEError) -> String {
        guard case .claim(let name, let fault) = error else { return "" }
        return switch (name, fault) {
        case ("sub", _): " It must be the client's id."
        case ("exp", .tooFar): " It may be a day ahead."
        case ("cnf", _): " It must have the public key of the app's instance as jwk."
        case ("iat", .tooEarly), ("nbf", .tooEarly): " Compare the clock with the header Date."
        default: ""
        }
    }
}
