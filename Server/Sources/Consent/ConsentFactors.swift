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
    let environment: ServerSettings.Environment
    /// The relying party of passkeys; `nil` if there are none.
    let party: PasskeyRelyingParty?
    let clients: ClientDirectory
    let accounts: AccountVault
    let pushes: ApprovalPushes

    /// The methods, each with its `amr` values (RFC 8176).
    private typealias Ways = [SCAVerification: [String]]

    /// Reads the available methods. A session that was approved from another device has none.
    /// - Parameter session: the session of the operation.
    func available(
        to account: AccountRecord, in session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> AvailableFactors {
        guard !AuthenticationStrength.isCrossDevice(session.facts.methods) else {
            return AvailableFactors(methods: [:])
        }
        let brand = try Brands.find(account.brandID, on: connection).map { try BrandProfile(json: $0.settings) }
        // Each method appears in only one of them.
        let ways = [
            try codes(of: account, in: session, brand: brand, now: now, on: connection),
            try deviceWays(in: session, now: now, on: connection),
            try pages(of: account, in: session, brand: brand, now: now, on: connection),
            try otherDevices(of: account, in: session, now: now, on: connection),
        ].reduce(into: Ways()) { $0.merge($1) { _, way in way } }
        guard account.cooling(at: now) != nil else { return AvailableFactors(methods: ways) }
        // A password set through the mailbox and a code to that mailbox would be one category twice (RTS article 9). After a recovery,
        // knowledge therefore counts only if it opens a key that is older than the recovery.
        return AvailableFactors(
            methods: ways.filter { AuthenticationStrength.categories(of: $0.value) != [.knowledge] })
    }

    /// Codes that are typed into the app, either sent or from an authenticator app.
    private func codes(
        of account: AccountRecord, in session: SessionRecord, brand: BrandProfile?, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Ways {
        let usable = try secondFactors.usable(
            by: account, after: FirstFactor(provedBy: session.facts.methods), brand: brand, on: connection)
        let isCooling = account.cooling(at: now) != nil
        var ways: Ways = [:]
        for kind in usable.subtracting(undeliverable) {
            // A secret question proves no category, and recovery codes are for recovery, not for payments.
            switch kind {
            case .sms where !isCooling: ways[.sms] = [kind.authenticationMethod]
            case .email where !isCooling: ways[.email] = [kind.authenticationMethod]
            // A new one may come from a minute at a signed-in phone, or from a stolen password alone.
            case .totp:
                if try !TOTPSecrets.isCooling(of: account.id, now: now, on: connection) {
                    ways[.authenticator] = [kind.authenticationMethod]
                }
            case .sms, .email, .secretQuestion, .recoveryCode: break
            }
        }
        return ways
    }

    /// Methods that use the device's key, opened by PIN or biometrics.
    private func deviceWays(
        in session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> Ways {
        guard let device = try Self.trustedDevice(of: session, now: now, on: connection) else { return [:] }
        let key = device.keyStorage.method
        var ways: Ways = [:]
        if try PINs.find(device.id, on: connection).canAssert(at: now) {
            ways[.devicePIN] = [key, AuthenticationStrength.pin]
        }
        if device.biometricKey?.counts(in: environment) ?? false {
            ways[.deviceBiometric] = [key, AuthenticationStrength.biometric]
        }
        return ways
    }

    /// The push message to other devices. One of them has to be able to approve, by its PIN or its biometric key, and the holder must
    /// not have refused there what was asked for from where this session is.
    private func otherDevices(
        of account: AccountRecord, in session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> Ways {
        guard try pushes.mayAsk(account.id, from: session.facts.deviceID, now: now, on: connection) else { return [:] }
        for device in try pushes.reachable(of: account.id, brand: account.brandID, now: now, on: connection)
        where device.id != session.facts.deviceID && device.restriction(at: now) == nil {
            let factors = try device.signingFactors(in: environment, now: now, on: connection)
            if let factor = factors.first { return [.push: [device.keyStorage.method, factor.authenticationMethod]] }
        }
        return [:]
    }

    /// Methods on a hosted page. The page returns to the app, so the app's client needs a return URL.
    private func pages(
        of account: AccountRecord, in session: SessionRecord, brand: BrandProfile?, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Ways {
        let app = try ClientID(session.facts.signedInTo)
        guard let client = try clients.find(app, now: now, on: connection), !client.consentReturnURLs.isEmpty
        else {
            return [:]
        }
        var ways: Ways = [:]
        if account.passwordState == .current {
            ways[.password] = [AuthenticationStrength.password]
            // Like the password, it proves knowledge. A locked PIN proves nothing, and a new one may come from a minute at a signed-in
            // browser.
            if brand?.accountPIN ?? false, let pin = try AccountPINs.find(account.id, on: connection), pin.isOpen,
                now >= pin.coolingUntil
            {
                ways[.hostedPIN] = [AuthenticationStrength.pin]
            }
        }
        // A passkey that a fraudster just registered authorizes no payment.
        if let party = party,
            try Passkeys.holding(of: account.id, at: party.id, now: now, on: connection).hasSettled
        {
            ways[.passkey] = AuthenticationStrength.passkey
        }
        return ways
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
    func described(_ ways: [SCAVerification], to account: AccountRecord) -> [AvailableVerification] {
        ways.map { way in
            AvailableVerification(
                way, destination: way.sentFactor.flatMap { accounts.maskedDestination(of: $0, account: account) })
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
    ///
    /// Factors count only after their cooling period: a device's key and PIN, a passkey, and the account PIN while it exists. So a
    /// fraudster pays nothing with a factor that they just added. `otp` does not name its source, so it does not count while an
    /// authenticator app is new, nor `fed` while a restored identity is. A password that was set through a mailbox never counts.
    init(
        _ session: SessionRecord, of account: AccountRecord, at now: Timestamp, on connection: any SQLConnection
    ) throws {
        let device = try ConsentFactors.trustedDevice(of: session, now: now, on: connection)
        var methods = session.facts.methods
        if AuthenticationStrength.includeAccountPIN(methods) {
            // The account PIN belongs to no device, and has its own cooling period.
            if try !AccountPINs.isSettled(of: account.id, now: now, on: connection) {
                methods.removeAll { $0 == AuthenticationStrength.pin }
            }
        } else if device == nil {
            methods.removeAll(where: AuthenticationStrength.deviceMethods.contains)
        }
        // The key of a passkey counts together with its user verification.
        if !Set(AuthenticationStrength.passkey).isSubset(of: methods) {
            methods.removeAll { $0 == AuthenticationStrength.passkeyKey }
        }
        let otp = FactorKind.totp.authenticationMethod
        if methods.contains(otp), try TOTPSecrets.isCooling(of: account.id, now: now, on: connection) {
            methods.removeAll { $0 == otp }
        }
        if methods.contains(AuthenticationStrength.provider),
            try FederatedIdentities.cooling(of: account.id, now: now, on: connection) != nil
        {
            methods.removeAll { $0 == AuthenticationStrength.provider }
        }
        let isRecoveredLately = account.cooling(at: now) != nil
        if isRecoveredLately { methods = AuthenticationStrength.outlastingRecovery(methods) }
        let isCrossDevice = AuthenticationStrength.isCrossDevice(methods)
        self.init(
            methods: isCrossDevice ? [] : methods, authTime: session.facts.authTime,
            countsUntil: session.facts.countsUntil, isOnTrustedDevice: device != nil && !isCrossDevice,
            isRecoveredLately: isRecoveredLately, isCrossDevice: isCrossDevice)
    }
}

/// The factors with which a person can agree, given their account and session.
package struct AvailableFactors: Hashable, Sendable {
    /// The factors that the account and the session's device have, with their `amr` values (RFC 8176).
    package var methods: [SCAVerification: [String]]

    package init(methods: [SCAVerification: [String]]) { self.methods = methods }

    /// The factors that advance the consent, the least demanding first.
    ///
    /// A factor of a category that is already proved does not advance it. If nothing is proved yet, a factor is
    /// included if it completes the consent alone or together with another one.
    /// - Parameter proved: the `amr` values of the sign-in and the event.
    package func needed(besides proved: [String]) -> [SCAVerification] {
        let have = AuthenticationStrength.categories(of: proved)
        let all = SCAVerification.all.compactMap { way in
            methods[way].map { (way, AuthenticationStrength.categories(of: $0)) }
        }
        return all.compactMap { way, categories in
            let reached = have.union(categories)
            guard reached.count > have.count || (have.count >= 2 && !categories.isEmpty) else { return nil }
            if reached.count >= 2 { return way }
            return all.contains { $0.1.union(reached).count >= 2 } ? way : nil
        }
    }
}
