internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Consent with a passkey that the app itself asks for. The challenge is made for this event, these bytes and the session's key (RTS
/// article 5, dynamic linking), and counts once.
struct AppPasskeyConsents: Sendable {
    let passkeys: PasskeyAuthentication
    let challenges: PasskeyChallenges
    let vault: OperationVault

    /// Identifies the event's present challenge.
    static func digest(of challenge: [UInt8]) -> [UInt8] { Digests.of("passkey-consent-challenge", challenge) }

    /// The purpose that the passkey signs. Evidence contains the app's key as a digest for this event alone.
    private func consent(
        to record: WalletOperationRecord, _ content: OperationContent, by key: JWKThumbprint
    ) -> PasskeyConsent {
        PasskeyConsent(
            eventID: content.payload.eventID, payloadHash: .operation(content.bytes),
            browser: Digests.of("passkey-consent-app", key.bytes + record.id.bytes))
    }

    /// What the passkey signs; `nil` for a session without a key.
    func options(
        for record: WalletOperationRecord, _ content: OperationContent, call: ConsentingApp
    ) throws -> PasskeyRequestOptions? {
        guard let key = call.thumbprint, let party = passkeys.relyingPartyID else { return nil }
        return PasskeyRequestOptions(
            relyingPartyID: party,
            challenge: try challenges.issue(.consent(consent(to: record, content, by: key)), now: call.now),
            timeout: PasskeyOverview.patience.wholeMilliseconds)
    }

    /// Verifies a passkey of the operation's account, past its cooling period.
    func decide(on value: SCAValue, of attempt: ChargedAttempt) async throws -> AttemptVerification.Decision {
        let (record, call) = (attempt.record, attempt.call)
        guard let key = call.thumbprint, let response = try? PasskeyAssertionResponse(text: value.reveal()),
            let signed = try? PasskeyClientData(json: response.clientData),
            record.challenge.id == Self.digest(of: signed.challenge)
        else { return .wrong }
        guard try await passkeys.isOwn(response, of: call.account.id) else { return .foreign }
        let consent = consent(to: record, try vault.open(record), by: key)
        guard
            let proof = try await passkeys.verify(
                response, for: .consent(consent), from: call.client, origin: call.origin, now: call.now),
            proof.account.id == call.account.id, proof.isSettled
        else { return .wrong }
        let signature = PasskeySignature(response, by: proof, origin: signed.origin, consent: consent)
        return .right(
            ConsentProof(
                methods: proof.methods, evidence: try vault.seal(signature, by: proof.passkey, for: record.id),
                condition: .passkey(proof)))
    }
}

extension PasskeySignature {
    /// A verified signature, with everything needed to verify it again without this server.
    init(
        _ response: PasskeyAssertionResponse, by proof: PasskeyAuthentication.Proof, origin: String,
        consent: PasskeyConsent
    ) {
        self.init(
            credentialID: response.id, publicKey: proof.passkey.publicKey,
            relyingPartyID: proof.passkey.relyingParty, origin: origin, browser: consent.browser,
            clientData: response.clientData, authenticatorData: response.authenticatorData,
            signature: response.signature)
    }
}

extension OperationVault {
    /// Evidence of a passkey's signature over an event.
    func seal(_ signature: PasskeySignature, by passkey: PasskeyRecord, for event: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object["passkey"] = .object(signature.json)
        object.set("passkey_id", passkey.id.uuid)
        return try seal(object.bytes, .evidence, of: event)
    }
}
