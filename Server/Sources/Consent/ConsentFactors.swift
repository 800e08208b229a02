internal import Core
internal import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire

/// The methods by which a person can consent, from the factors of the account and of the session's device.
struct ConsentFactors: Sendable {
    let secondFactors: SecondFactorReader
    /// Factors whose codes nothing delivers.
    let undeliverable: Set<FactorKind>
    let biometricKeys: BiometricKeyRule
    /// The relying party of passkeys; `nil` if there are none.
    let party: PasskeyRelyingParty?
    let clients: ClientDirectory
    let accounts: AccountVault
    let pushes: ApprovalPushes

    /// Reads the available methods. A session that was approved from another device has none.
    /// - Parameter session: the session of the operation.
    func available(
        to account: AccountRecord, in session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> AvailableVerifications {
        guard !AuthenticationStrength.isCrossDevice(session.facts.methods) else {
            return AvailableVerifications(amrByVerification: [:])
        }
        let brand = try Brands.find(account.brandID, on: connection).map { try BrandProfile(json: $0.settings) }
        // Each method appears in only one of them.
        let all: [SCAVerification: [String]] = [
            try codes(of: account, in: session, brand: brand, now: now, on: connection),
            try deviceVerifications(in: session, now: now, on: connection),
            try passkey(of: account, in: session, now: now, on: connection),
            try pages(of: account, in: session, brand: brand, now: now, on: connection),
            try otherDevices(of: account, in: session, now: now, on: connection),
        ].reduce(into: [:]) { $0.merge($1) { _, amr in amr } }
        guard account.cooling(at: now) != nil else { return AvailableVerifications(amrByVerification: all) }
        // A password set through the mailbox and a code to that mailbox would be one category twice (RTS article 9). After a recovery,
        // knowledge therefore counts only if it opens a key that is older than the recovery.
        return AvailableVerifications(
            amrByVerification: all.filter { AuthenticationStrength.categories(of: $0.value) != [.knowledge] })
    }

    /// Codes that are typed into the app, either sent or from an authenticator app.
    private func codes(
        of account: AccountRecord, in session: SessionRecord, brand: BrandProfile?, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> [SCAVerification: [String]] {
        let usable = try secondFactors.usable(
            by: account, after: FirstFactor(provedBy: session.facts.methods), brand: brand, on: connection)
        let isCooling = account.cooling(at: now) != nil
        var amr: [SCAVerification: [String]] = [:]
        for kind in usable.subtracting(undeliverable) {
            // A secret question proves no category, and recovery codes are for recovery, not for payments.
            switch kind {
            case .sms where !isCooling: amr[.sms] = [kind.authenticationMethod]
            case .email where !isCooling: amr[.email] = [kind.authenticationMethod]
            // A new one may come from a minute at a signed-in phone, or from a stolen password alone.
            case .totp:
                if try !TOTPSecrets.isCooling(of: account.id, now: now, on: connection) {
                    amr[.authenticator] = [kind.authenticationMethod]
                }
            case .sms, .email, .secretQuestion, .recoveryCode: break
            }
        }
        return amr
    }

    /// Methods that use the device's key, opened by PIN or biometrics.
    private func deviceVerifications(
        in session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> [SCAVerification: [String]] {
        guard let device = try Self.trustedDevice(of: session, now: now, on: connection) else { return [:] }
        let key = device.keyStorage.method
        var amr: [SCAVerification: [String]] = [:]
        if try PINs.find(device.id, on: connection).canAssert(at: now) {
            amr[.devicePIN] = [key, AuthenticationStrength.pin]
        }
        if device.biometricKey?.counts(under: biometricKeys) ?? false {
            amr[.deviceBiometric] = [key, AuthenticationStrength.biometric]
        }
        return amr
    }

    /// A passkey that the app itself asks for. One that a fraudster just registered authorizes no payment.
    private func passkey(
        of account: AccountRecord, in session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> [SCAVerification: [String]] {
        guard session.facts.grantedTo == nil, session.facts.dpopThumbprint != nil, let party,
            try clients.find(ClientID(session.facts.clientID), now: now, on: connection)?.asksForPasskeys ?? false,
            try Passkeys.holding(of: account.id, at: party.id, now: now, on: connection).hasSettled
        else { return [:] }
        return [.devicePasskey: AuthenticationStrength.passkey]
    }

    /// The push message to other devices. One of them has to be able to approve, by its PIN or its biometric key, and the holder must
    /// not have refused there what was asked for from where this session is.
    private func otherDevices(
        of account: AccountRecord, in session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> [SCAVerification: [String]] {
        guard try pushes.mayAsk(account.id, from: session.facts.deviceID, now: now, on: connection) else { return [:] }
        for device in try pushes.reachable(of: account.id, brand: account.brandID, now: now, on: connection)
        where device.id != session.facts.deviceID && device.restriction(at: now) == nil {
            let factors = try device.signingFactors(under: biometricKeys, now: now, on: connection)
            if let factor = factors.first { return [.push: [device.keyStorage.method, factor.authenticationMethod]] }
        }
        return [:]
    }

    /// Methods on a hosted page. The page returns to the app, so the app's client needs a return URL.
    private func pages(
        of account: AccountRecord, in session: SessionRecord, brand: BrandProfile?, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> [SCAVerification: [String]] {
        let app = try ClientID(session.facts.signedInTo)
        guard let client = try clients.find(app, now: now, on: connection), !client.consentReturnURLs.isEmpty
        else {
            return [:]
        }
        var amr: [SCAVerification: [String]] = [:]
        if account.passwordState == .current {
            amr[.password] = [AuthenticationStrength.password]
            // Like the password, it proves knowledge. A locked PIN proves nothing, and a new one may come from a minute at a signed-in
            // browser.
            if brand?.accountPIN ?? false, let pin = try AccountPINs.find(account.id, on: connection), pin.isOpen,
                now >= pin.coolingUntil
            {
                amr[.hostedPIN] = [AuthenticationStrength.pin]
            }
        }
        // A passkey that a fraudster just registered authorizes no payment.
        if let party,
            try Passkeys.holding(of: account.id, at: party.id, now: now, on: connection).hasSettled
        {
            amr[.passkey] = AuthenticationStrength.passkey
        }
        return amr
    }

    /// The session's device, if it is active, past its cooling period, and its app has the key that the session is bound to.
    static func trustedDevice(
        of session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> DeviceRecord? {
        guard session.facts.dpopThumbprint != nil,
            let device = try session.facts.deviceID.flatMap({ try Devices.find($0, on: connection) }),
            device.restriction(at: now) == nil
        else { return nil }
        return device
    }

    /// Methods as the app shows them, with masked destinations of codes.
    func described(_ verifications: [SCAVerification], to account: AccountRecord) -> [AvailableVerification] {
        verifications.map { verification in
            AvailableVerification(
                verification,
                destination: verification.sentFactor.flatMap {
                    accounts.maskedDestination(of: $0, account: account)
                })
        }
    }
}

extension SCAVerification {
    /// The factor whose code is sent; `nil` if none is sent.
    var sentFactor: FactorKind? {
        switch channel {
        case .sms: .sms
        case .email: .email
        case .authenticator, .device, .redirect, .pushNotification: nil
        }
    }
}

extension OperationSession {
    /// The session as of `now`, from its row, its account and its device.
    init(
        _ session: SessionRecord, of account: AccountRecord, at now: Timestamp, on connection: any SQLConnection
    ) throws {
        let device = try ConsentFactors.trustedDevice(of: session, now: now, on: connection)
        let isCrossDevice = AuthenticationStrength.isCrossDevice(session.facts.methods)
        let isRecoveredLately = account.cooling(at: now) != nil
        self.init(
            methods: try AuthenticationStrength.counting(
                session.facts.methods, of: account, onTrustedDevice: device != nil, at: now, on: connection),
            authTime: session.facts.authTime,
            countsUntil: session.facts.countsUntil, isOnTrustedDevice: device != nil && !isCrossDevice,
            isRecoveredLately: isRecoveredLately, isCrossDevice: isCrossDevice)
    }
}

/// The verifications by which a person can agree, given their account and session.
package struct AvailableVerifications: Hashable, Sendable {
    /// The `amr` values (RFC 8176) that each of them proves.
    package var amrByVerification: [SCAVerification: [String]]

    package init(amrByVerification: [SCAVerification: [String]]) { self.amrByVerification = amrByVerification }

    /// The verifications that advance the consent, the least demanding first.
    ///
    /// One of a category that is already proved does not advance it. If nothing is proved yet, a verification is
    /// included if it completes the consent alone or together with another one.
    /// - Parameter proved: the `amr` values of the sign-in and the event.
    package func needed(besides proved: [String]) -> [SCAVerification] {
        let have = AuthenticationStrength.categories(of: proved)
        let all = SCAVerification.all.compactMap { verification in
            amrByVerification[verification].map { (verification, AuthenticationStrength.categories(of: $0)) }
        }
        return all.compactMap { verification, categories in
            let reached = have.union(categories)
            guard reached.count > have.count || (have.count >= 2 && !categories.isEmpty) else { return nil }
            if reached.count >= 2 { return verification }
            return all.contains { $0.1.union(reached).count >= 2 } ? verification : nil
        }
    }
}
