internal import AuthCore
internal import AuthStore
internal import Crypto
internal import WalletAuthWire

/// Agreeing to an operation with a passkey: what it signs over is made for this event, these bytes and this browser (RTS article 5,
/// dynamic linking), and counts once.
extension ConsentVisit {
    private func use(binding: String) -> PasskeyChallenges.Use {
        .consent(
            browser: PageSeal.digest(of: binding), event: record.id,
            operationHash: Array(SHA256.hash(data: content.payload)))
    }

    /// What the browser is asked to sign; `nil` where there are no passkeys.
    /// - Parameter binding: the cookie that the page is bound to.
    func passkeyOptions(binding: String) throws -> PasskeyRequestOptions? {
        guard let party = context.passkeyParty else { return nil }
        let challenge = try PasskeyChallenges(context: context).issue(use(binding: binding), now: call.now)
        return PasskeyRequestOptions(
            relyingPartyID: party.id, challenge: challenge, timeout: PasskeyManagement.patience.wholeMilliseconds)
    }

    /// Takes a passkey's use: of the account whose operation it is, past its cooling period.
    func agree(by response: PasskeyAssertionResponse?, binding: String?) async throws -> Shown {
        guard ticket.verification == .passkey else { return .over(.superseded) }
        return try await prove(.passkey, as: .passkey) {
            guard let response, let binding,
                let proof = try await PasskeyProving(context: context).verify(
                    response, for: use(binding: binding), origin: call.origin, now: call.now),
                proof.account.id == call.account.id, proof.methods == AuthenticationStrength.passkey
            else { return nil }
            return Comparison.Proved(methods: proof.methods, evidence: try evidence(of: response, by: proof.passkey)) {
                try proof.spend(on: $0)
            }
        }
    }

    /// What is kept: everything that it takes to verify the signature again.
    private func evidence(of response: PasskeyAssertionResponse, by passkey: PasskeyRecord) throws -> [UInt8] {
        var object = JSONObject()
        object["assertion"] = .object(response.json)
        object.set("passkey_id", passkey.id.uuid)
        object.set("public_key", Base64URL.encode(passkey.publicKey))
        object.set("relying_party", passkey.relyingParty)
        return try OperationVault(context: context).seal(evidence: object, of: record.id)
    }
}
