internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// What a client's tokens say about the app on the session's device, if the client wants that.
struct AttestationClaim: Sendable {
    let database: any Database
    let environment: ServerSettings.Environment

    /// - Parameter client: the client that has the tokens.
    /// - Returns: `nil` also if the app of another client enrolled the device, since that says nothing about this client's, and in
    ///   production for a development build, which a sandbox's database may know.
    func attestation(of session: NewSession, for client: RegisteredClient) async throws -> AppAttestation? {
        guard client.settings.attestationClaim, let id = session.deviceID,
            let device = try await database.read({ try Devices.find(id, on: $0) }),
            device.accountID == session.accountID, device.clientID == session.signedInTo,
            let app = device.attestation?.app, app.environment == .production || environment == .sandbox
        else { return nil }
        return app
    }
}
