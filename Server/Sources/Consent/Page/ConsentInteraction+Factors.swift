internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Consent to an operation with a passkey. The challenge is made for this event, these bytes and this browser (RTS article 5,
/// dynamic linking), and counts once.
extension ConsentInteraction {
    /// The purpose that the passkey signs. Evidence contains the browser as a digest for this event alone, so that two documents do not
    /// reveal whether it was the same browser.
    private func consent(binding: String) -> PasskeyConsent {
        PasskeyConsent(
            eventID: content.operation.eventID, payloadHash: .operation(content.payload),
            browser: Digests.of("passkey-consent-browser", PageSeal.digest(of: binding) + record.id.bytes))
    }

    /// The request to the browser; `nil` if there are no passkeys.
    /// - Parameter binding: the cookie that the page is bound to.
    func passkeyOptions(binding: String) throws -> PasskeyRequestOptions? {
        guard let party = context.passkeyParty else { return nil }
        let challenge = try PasskeyChallenges(context: context).issue(
            .consent(consent(binding: binding)), now: call.now)
        return PasskeyRequestOptions(
            relyingPartyID: party.id, challenge: challenge, timeout: PasskeyOverview.patience.wholeMilliseconds)
    }

    /// Verifies a passkey of the operation's account, past its cooling period.
    func agree(by response: PasskeyAssertionResponse?, binding: String?) async throws -> Shown {
        guard ticket.verification == .passkey else { return .over(.superseded) }
        return try await prove(.passkey, as: .passkey) {
            guard let response, let binding,
                let party = context.passkeyParty,
                let proof = try await PasskeyAuthentication(context: context).verify(
                    response, for: .consent(consent(binding: binding)), origin: call.origin, now: call.now),
                proof.account.id == call.account.id, proof.methods == AuthenticationStrength.passkey
            else { return nil }
            let signature = PasskeySignature(
                credentialID: response.id, publicKey: proof.passkey.publicKey, relyingPartyID: party.id,
                // The server has only one, and the client data were verified against it.
                origin: party.origins.first ?? "", browser: consent(binding: binding).browser,
                clientData: response.clientData, authenticatorData: response.authenticatorData,
                signature: response.signature)
            return ConsentProof(
                methods: proof.methods, evidence: try evidence(signature, by: proof.passkey),
                condition: .passkey(proof))
        }
    }

    /// Everything needed to verify the signature again without this server.
    private func evidence(_ signature: PasskeySignature, by passkey: PasskeyRecord) throws -> [UInt8] {
        var object = JSONObject()
        object["passkey"] = .object(signature.json)
        object.set("passkey_id", passkey.id.uuid)
        return try OperationVault(context.sealing).seal(object.bytes, .evidence, of: record.id)
    }
}

/// Consent by account PIN. A guess costs the same as at sign-in, and one of the event's tries.
extension ConsentInteraction {
    /// - Parameter pin: `nil` for text that cannot be a PIN. It counts as wrong and is compared with nothing.
    func agree(byPIN pin: AccountPIN?) async throws -> Shown {
        guard ticket.verification == .hostedPIN else { return .over(.superseded) }
        // The slot comes first: a guess that cannot be compared costs no try.
        guard let slot = context.passwords.slot(for: .known(to: call.account.id, from: call.origin)) else {
            return .asking(.pin, .busy(retryAfter: PasswordHasher.retryAfter))
        }
        let account = call.account
        let guesses = AccountPINGuesses(context: context, origin: call.origin, now: call.now)
        let subject = try guesses.subject([account.id.uuid])
        return try await prove(.hostedPIN, as: .pin) {
            guard let pin else { return nil }
            let charge = try await context.database.write { connection in
                let isOn = try Brands.takesAccountPINs(account.brandID, on: connection)
                return try guesses.charge(isOn ? account.id : nil, under: subject, on: connection)
            }
            guard let proof = try await guesses.compare(pin, charged: charge, to: account, in: slot) else {
                return nil
            }
            return ConsentProof(methods: [AuthenticationStrength.pin], condition: .accountPIN(proof))
        }
    }
}
