import Core
import FlowSupport
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

extension TestDevice {
    /// Begins a recovery with the enrolled key's proof.
    func recover(as id: DeviceID, _ username: String = "ada") async throws -> NativeSignInOutcome {
        let server = app.client.server
        let content = DeviceProofContent(
            audience: server.context.settings.issuer, deviceID: id, thumbprint: app.key.thumbprint,
            codeChallenge: CodeChallenge(verifier: TestClient.verifier),
            nonce: try Nonce(server.context.proofs.currentNonce()),
            issuedAt: NumericDate(clamping: server.clock.now().seconds))
        let login = RecoveryLogin(
            username: try Username(username), deviceID: id,
            deviceProof: try await content.signed(by: deviceKey.signer))
        return try await app.step(.begin(.recovery(login)))
    }
}
