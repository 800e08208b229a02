public import Foundation

/// Creates and uses the person's passkeys: the system's sheet on Apple devices, ``SoftwarePasskeys`` on Linux.
///
/// An adapter verifies the person (face, fingerprint, passcode) each time, and states `https://` and the site as origin, or what
/// the operator registered for the app.
public protocol PasskeyAuthenticator: Sendable {
    /// Creates a passkey.
    /// - Parameter request: what the server asks for.
    /// - Throws: ``UserAgentFailure``, or `CancellationError` if the task was cancelled.
    func create(_ request: PasskeyCreationRequest) async throws -> CreatedPasskey

    /// Signs with a passkey that the person picks, or one that ``PasskeyUseRequest/userName`` names.
    /// - Parameter request: what the server asks for.
    /// - Throws: ``UserAgentFailure``, or `CancellationError` if the task was cancelled.
    func use(_ request: PasskeyUseRequest) async throws -> UsedPasskey
}

/// A server's request for a new passkey.
public struct PasskeyCreationRequest: Sendable, Hashable {
    /// The site: a domain.
    public var site: String
    /// What to sign.
    public var challenge: Data
    /// The account's bytes, without name or address.
    public var userHandle: Data
    /// The user name, shown when the person picks a passkey.
    public var userName: String
    /// The identifiers of the account's passkeys: a device that has one of them creates no second.
    public var existing: [Data]

    /// Creates a request. Each parameter sets the property of the same name.
    public init(site: String, challenge: Data, userHandle: Data, userName: String, existing: [Data]) {
        self.site = site
        self.challenge = challenge
        self.userHandle = userHandle
        self.userName = userName
        self.existing = existing
    }
}

/// A new passkey, as WebAuthn describes it.
public struct CreatedPasskey: Sendable, Hashable {
    /// The passkey's identifier.
    public var id: Data
    /// The exact bytes of `clientDataJSON`.
    public var clientData: Data
    /// The attestation object.
    public var attestationObject: Data

    /// Creates a value. Each parameter sets the property of the same name.
    public init(id: Data, clientData: Data, attestationObject: Data) {
        self.id = id
        self.clientData = clientData
        self.attestationObject = attestationObject
    }
}

/// A server's request for a signature by any passkey of its site.
public struct PasskeyUseRequest: Sendable, Hashable {
    /// The site: a domain.
    public var site: String
    /// What to sign.
    public var challenge: Data
    /// Whose passkey it must be, as the person typed it: a user name, an address or a number. Nil for anyone's. The server checks it,
    /// so an authenticator that cannot choose by name, such as Apple's, offers all.
    public var userName: String?

    /// Creates a request. Each parameter sets the property of the same name.
    public init(site: String, challenge: Data, userName: String? = nil) {
        self.site = site
        self.challenge = challenge
        self.userName = userName
    }
}

/// A passkey's signature, as WebAuthn describes it.
public struct UsedPasskey: Sendable, Hashable {
    /// The passkey's identifier.
    public var id: Data
    /// The exact bytes of `clientDataJSON`.
    public var clientData: Data
    /// The authenticator's data.
    public var authenticatorData: Data
    /// The signature.
    public var signature: Data
    /// The account's bytes.
    public var userHandle: Data

    /// Creates a value. Each parameter sets the property of the same name.
    public init(id: Data, clientData: Data, authenticatorData: Data, signature: Data, userHandle: Data) {
        self.id = id
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }
}
