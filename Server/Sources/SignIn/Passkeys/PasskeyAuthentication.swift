package import Core
package import Kernel
internal import Logging
package import Store
package import WalletAuthWire

/// Verifies the use of a passkey, for any purpose, and the registration of one.
///
/// This folder owns passkeys. It does not decide what a proof opens; sign-in and consent do.
///
/// After a failure the caller does not learn why: not whether the key is known, nor whose it is.
package struct PasskeyAuthentication: Sendable {
    let database: any Database
    /// `nil` if there are no passkeys.
    let party: PasskeyRelyingParty?
    let challenges: PasskeyChallenges
    let auditLog: AuditLog
    let logger: Logger

    /// A verified use. It counts only once ``spend(on:)`` returns true.
    package struct Proof: Sendable {
        /// The passkey's account when it was verified.
        package let account: AccountRecord
        /// The passkey before this use.
        package let passkey: PasskeyRecord
        /// Its values in `amr`.
        package let methods: [String]
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

        /// Whether the passkey is past its cooling period.
        package var isSettled: Bool { now >= passkey.coolingUntil }

        /// Uses up the challenge and advances the counter, in the write of the purpose.
        /// - Returns: `false` if another use came first or the passkey is gone. The proof then counts for nothing.
        package func spend(on connection: any SQLConnection) throws -> Bool {
            guard try challenge.use(on: connection) else { return false }
            return try Passkeys.record(
                Passkeys.Use(counter: assertion.counter, isBackedUp: assertion.isBackedUp), of: passkey.id,
                after: passkey.counter, now: now, on: connection)
        }
    }

    /// The site's id; `nil` if there are no passkeys.
    package var relyingPartyID: String? { party?.id }

    /// Whether a response is by one of an account's passkeys, as it says itself. It proves nothing.
    package func isOwn(_ response: PasskeyAssertionResponse, of account: UniqueID) async throws -> Bool {
        guard let party else { return false }
        return try await database.read {
            try Passkeys.find(credential: response.id, of: party.id, on: $0)?.accountID == account
        }
    }

    /// Verifies a use.
    /// - Parameters:
    ///   - use: the required purpose of its challenge.
    ///   - app: the app that asked for it; `nil` for a page of this server.
    /// - Returns: `nil` if it is invalid; the log says why.
    package func verify(
        _ response: PasskeyAssertionResponse, for use: PasskeyChallenges.Use, from app: RegisteredClient? = nil,
        origin: RequestOrigin, now: Timestamp
    ) async throws -> Proof? {
        guard let party = site(asking: app) else { return nil }
        let challenge: PasskeyChallenges.Opened
        do throws(PasskeyFault) {
            let signed = try PasskeyClientData(json: response.clientData).challenge
            guard let opened = challenges.open(signed, for: use, now: now) else {
                throw PasskeyFault.wrongChallenge
            }
            challenge = opened
        } catch {
            log("a passkey was refused", error)
            return nil
        }
        let found = try await database.read { connection -> (PasskeyRecord, AccountRecord)? in
            guard let passkey = try Passkeys.find(credential: response.id, of: party.id, on: connection),
                let account = try Accounts.find(passkey.accountID, on: connection)
            else { return nil }
            return (passkey, account)
        }
        // §7.2 step 6: the request named no account, so the authenticator has to, and it must be the key's.
        guard let (passkey, account) = found, response.userHandle == account.id.bytes else {
            log("a passkey was refused", .wrongCredential)
            return nil
        }
        do throws(PasskeyFault) {
            let assertion = try PasskeyAssertion.verify(
                response, challenge: challenge.bytes, party: party, by: PasskeyAssertion.Known(passkey))
            return Proof(account: account, passkey: passkey, challenge: challenge, assertion: assertion, now: now)
        } catch {
            log("a passkey was refused", error, originSent(in: response.clientData, by: app, to: party))
            if error == .counterBehind {
                try await tellOfCopy(passkey, account, challenge, origin: origin, now: now)
            }
            return nil
        }
    }

    /// The site, with the origins of the app that asks, or of the site's own pages.
    private func site(asking app: RegisteredClient?) -> PasskeyRelyingParty? {
        guard let app, var party else { return self.party }
        party.origins = Set(app.passkeyOrigins)
        // All associated apps state it, so it counts for clients that have one.
        if !app.settings.appleAppIDs.isEmpty { party.origins.insert(party.appleOrigin) }
        return party
    }

    /// Verifies the registration of a new passkey against the options that were issued.
    /// - Parameter app: the app that asked for it; `nil` for a page of this server.
    /// - Returns: `nil` if it is invalid; the log says why.
    func verify(
        _ response: PasskeyRegistrationResponse, for use: PasskeyChallenges.Use, from app: RegisteredClient? = nil,
        now: Timestamp
    ) -> (PasskeyChallenges.Opened, PasskeyRegistration)? {
        guard let party = site(asking: app) else { return nil }
        do throws(PasskeyFault) {
            let signed = try PasskeyClientData(json: response.clientData).challenge
            guard let challenge = challenges.open(signed, for: use, now: now) else { throw PasskeyFault.wrongChallenge }
            return (challenge, try PasskeyRegistration.verify(response, challenge: signed, party: party))
        } catch {
            log("a new passkey was refused", error, originSent(in: response.clientData, by: app, to: party))
            return nil
        }
    }

    /// Notifies the holder of a cloned passkey: the signature is valid, but the counter is not (WebAuthn §6.1.1). At most once a day,
    /// so that the owner of the clone cannot flood them.
    private func tellOfCopy(
        _ passkey: PasskeyRecord, _ account: AccountRecord, _ challenge: PasskeyChallenges.Opened,
        origin: RequestOrigin, now: Timestamp
    ) async throws {
        let name = try PasskeyVault(auditLog.sealing).name(of: passkey) ?? DeviceName("…")
        let notice = try auditLog.entry(
            PasskeyEvent.counterBehind, account: account.id, origin: origin, now: now,
            message: PasskeyMessage.copied(name), email: AccountVault(auditLog.sealing).email(of: account))
        let recorded = try auditLog.entry(PasskeyEvent.counterBehind, account: account.id, origin: origin, now: now)
        let daily = Digests.of("passkey-copied", passkey.id.bytes)
        try await database.write { connection in
            guard try challenge.use(on: connection) else { return }
            let isFirst = try SeenJTIs.remember(daily, until: now + .hours(24), on: connection)
            try (isFirst ? notice : recorded).write(on: connection)
        }
    }

    /// - Parameter place: for a wrong origin, which one it is and which ones count.
    private func log(
        _ message: Logger.Message, _ fault: PasskeyFault, _ place: @autoclosure () -> Logger.Metadata = [:]
    ) {
        var metadata: Logger.Metadata = ["fault": "\(fault)"]
        if fault == .wrongOrigin { metadata.merge(place()) { own, _ in own } }
        logger.info(message, metadata: metadata)
    }

    private func originSent(
        in clientData: [UInt8], by app: RegisteredClient?, to party: PasskeyRelyingParty
    ) -> Logger.Metadata {
        // Anyone may send it: no origin is longer.
        let origin = (try? PasskeyClientData(json: clientData))?.origin.prefix(255) ?? ""
        var metadata: Logger.Metadata = [
            "origin": "\(origin)", "registered": "\(party.origins.sorted().joined(separator: " "))",
        ]
        guard let app else { return metadata }
        metadata["client"] = "\(app.id.rawValue)"
        metadata["remedy"] =
            "if it is the client's own: walletauth client update with --add-passkey-origin, --add-android-app or --add-apple-app-id"
        return metadata
    }
}

extension PasskeyAssertion.Known {
    init(_ record: PasskeyRecord) {
        self.init(
            credentialID: record.credentialID, publicKey: record.publicKey, counter: record.counter,
            isBackupEligible: record.isBackupEligible)
    }
}

/// A passkey's answer. The passkey names the account.
struct PasskeyMethod: SignInMethod {
    let response: PasskeyAssertionResponse
    /// The use that its challenge was issued for.
    let use: PasskeyChallenges.Use
    /// A name that the account must have; `nil` for any account.
    var username: Username?
    /// The device of an app's sign-in; `nil` on a page.
    var device: DeviceEvidence?

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        let enrolled = try await device?.recognized(for: attempt).enrolled
        guard
            let proof = try await attempt.checks.passkeys.verify(
                response, for: use, from: device == nil ? nil : attempt.intent.client, origin: attempt.intent.origin,
                now: attempt.now),
            proof.account.brandID == attempt.brand.rawValue, try await isExpected(proof.account.id, attempt),
            try await attempt.database.write({ try proof.spend(on: $0) })
        else { return .refused(.invalidCredentials) }
        let factors = SignInPolicy.Factors(
            securityVersion: proof.account.securityVersion, amr: proof.methods, authTime: attempt.now)
        return .proved(try await attempt.proof(of: proof.account.id, factors, on: enrolled))
    }

    private func isExpected(_ account: UniqueID, _ attempt: SignInAttempt) async throws -> Bool {
        guard let username else { return true }
        return try await attempt.database.read { connection in
            try Accounts.find(
                typed: username, brand: attempt.brand, sealing: attempt.checks.passkeys.auditLog.sealing,
                now: attempt.now, on: connection)?.id == account
        }
    }
}
