internal import AuthCore
internal import AuthStore
internal import Logging
internal import WalletAuthWire

/// Verifying that somebody used a passkey, whatever it was used for.
///
/// Whoever brings something wrong learns nothing of what it was: not whether the key is known, nor whose it is.
struct PasskeyAuthentication: Sendable {
    let context: ServerContext

    /// A use that was verified. It counts once ``spend(on:)`` has said so.
    struct Proof: Sendable {
        /// Whose passkey it is, as the account stood when it was verified.
        let account: AccountRecord
        /// The passkey, as it stood before.
        let passkey: PasskeyRecord
        /// What it is in `amr`.
        let methods: [String]
        private let challenge: PasskeyChallenges.Opened
        private let assertion: PasskeyAssertion
        private let now: Timestamp

        fileprivate init(
            account: AccountRecord, passkey: PasskeyRecord, challenge: PasskeyChallenges.Opened,
            assertion: PasskeyAssertion, now: Timestamp
        ) {
            self.account = account
            self.passkey = passkey
            methods =
                now < passkey.coolingUntil ? AuthenticationStrength.newPasskey : AuthenticationStrength.passkey
            self.challenge = challenge
            self.assertion = assertion
            self.now = now
        }

        /// Uses up the challenge and moves the counter, in the write of what the passkey was used for.
        /// - Returns: `false` where another use came first, or the passkey is gone: it counts for nothing then.
        func spend(on connection: any SQLConnection) throws -> Bool {
            guard try challenge.use(on: connection) else { return false }
            return try Passkeys.record(
                Passkeys.Use(counter: assertion.counter, isBackedUp: assertion.isBackedUp), of: passkey.id,
                after: passkey.counter, now: now, on: connection)
        }
    }

    /// Verifies a use.
    /// - Parameters:
    ///   - response: what the browser brought.
    ///   - use: what its challenge has to be for.
    ///   - origin: where it came from.
    ///   - now: the present moment.
    /// - Returns: `nil` for whatever is wrong with it; the log says what.
    func verify(
        _ response: PasskeyAssertionResponse, for use: PasskeyChallenges.Use, origin: RequestOrigin, now: Timestamp
    ) async throws -> Proof? {
        guard let party = context.passkeyParty else { return nil }
        let challenge: PasskeyChallenges.Opened
        do throws(PasskeyFault) {
            let signed = try PasskeyClientData(json: response.clientData).challenge
            guard let opened = PasskeyChallenges(context: context).open(signed, for: use, now: now) else {
                throw PasskeyFault.wrongChallenge
            }
            challenge = opened
        } catch {
            log(error)
            return nil
        }
        let found = try await context.database.read { connection -> (PasskeyRecord, AccountRecord)? in
            guard let passkey = try Passkeys.find(credential: response.id, of: party.id, on: connection),
                let account = try Accounts.find(passkey.accountID, on: connection)
            else { return nil }
            return (passkey, account)
        }
        // §7.2 step 6: nobody named the account, so the authenticator has to, and it is the key's.
        guard let (passkey, account) = found, response.userHandle == account.id.bytes else {
            log(.wrongCredential)
            return nil
        }
        do throws(PasskeyFault) {
            let assertion = try PasskeyAssertion.verify(
                response, challenge: challenge.bytes, party: party, by: PasskeyAssertion.Known(passkey))
            return Proof(account: account, passkey: passkey, challenge: challenge, assertion: assertion, now: now)
        } catch {
            log(error)
            if error == .counterBehind {
                try await tellOfCopy(passkey, account, challenge, origin: origin, now: now)
            }
            return nil
        }
    }

    /// The key signed, and its counter does not fit: somebody has a copy of it (WebAuthn §6.1.1). Its holder is told, once a
    /// day: whoever has the copy must not be able to flood them.
    private func tellOfCopy(
        _ passkey: PasskeyRecord, _ account: AccountRecord, _ challenge: PasskeyChallenges.Opened,
        origin: RequestOrigin, now: Timestamp
    ) async throws {
        let email = AccountVault(context: context).open(account.email, .email, of: account.id)
        let auditLog = AuditLog(context: context)
        let name = try PasskeyVault(context: context).name(of: passkey) ?? DeviceName("…")
        let told = try auditLog.entry(
            .passkeyCounterBehind, account: account.id, origin: origin, now: now, message: .passkeyCopied(name),
            email: email)
        let recorded = try auditLog.entry(.passkeyCounterBehind, account: account.id, origin: origin, now: now)
        let daily = Digests.of("passkey-copied", passkey.id.bytes)
        try await context.database.write { connection in
            guard try challenge.use(on: connection) else { return }
            let isFirst = try SeenJTIs.remember(daily, until: now + .hours(24), on: connection)
            try (isFirst ? told : recorded).write(on: connection)
        }
    }

    private func log(_ fault: PasskeyFault) {
        context.logger.info("a passkey was not taken", metadata: ["fault": "\(fault)"])
    }
}

extension PasskeyAssertion.Known {
    /// The passkey as its row stands.
    init(_ record: PasskeyRecord) {
        self.init(
            credentialID: record.credentialID, publicKey: record.publicKey, counter: record.counter,
            isBackupEligible: record.isBackupEligible)
    }
}
