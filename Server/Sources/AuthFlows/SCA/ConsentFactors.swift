internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// By which ways a person can agree: what the account has, and what the session's device has.
struct ConsentFactors: Sendable {
    let context: ServerContext

    /// The ways, with what each proves as `amr` says it (RFC 8176).
    private typealias Ways = [SCAVerification: [String]]

    /// Reads them.
    /// - Parameters:
    ///   - account: whose consent it is.
    ///   - session: where the operation comes from.
    ///   - now: the present moment.
    ///   - connection: the connection of a read or a write.
    func available(
        to account: AccountRecord, in session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> AvailableFactors {
        let brand = try Brands.find(account.brandID, on: connection).map { try BrandProfile(json: $0.settings) }
        // Each way comes from one of them alone.
        let ways = [
            try codes(of: account, in: session, brand: brand, now: now, on: connection),
            try deviceWays(in: session, now: now, on: connection),
            try pages(of: account, in: session, brand: brand, now: now, on: connection),
        ].reduce(into: Ways()) { $0.merge($1) { _, way in way } }
        guard account.cooling(at: now) != nil else { return AvailableFactors(methods: ways) }
        // What the mailbox alone set, and a code to that mailbox, would be one category twice (RTS article 9): nothing that
        // the account's holder knows counts, but what opens a key that is older than the recovery.
        return AvailableFactors(
            methods: ways.filter { AuthenticationStrength.categories(of: $0.value) != [.knowledge] })
    }

    /// By a code that is typed into the app: one that is sent, or one of the account's authenticator app.
    private func codes(
        of account: AccountRecord, in session: SessionRecord, brand: BrandProfile?, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Ways {
        let usable = try SecondFactors.usable(
            by: account, after: FirstFactor(provedBy: session.facts.methods), brand: brand, in: context, on: connection)
        let isCooling = account.cooling(at: now) != nil
        var ways: Ways = [:]
        for kind in usable.subtracting(context.settings.undeliverableFactors) {
            // A question proves no category, and recovery codes are for coming back, not for payments.
            switch kind {
            case .sms where !isCooling: ways[.sms] = [kind.authenticationMethod]
            case .email where !isCooling: ways[.email] = [kind.authenticationMethod]
            // Whoever had a minute at a signed-in phone, or a password alone, may have set it up.
            case .totp:
                if try !TOTPSecrets.isCooling(of: account.id, now: now, on: connection) {
                    ways[.authenticator] = [kind.authenticationMethod]
                }
            case .sms, .email, .secretQuestion, .recoveryCode: break
            }
        }
        return ways
    }

    /// By the key of the session's device, and what opens it.
    private func deviceWays(
        in session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> Ways {
        guard let device = try Self.trustedDevice(of: session, now: now, on: connection) else { return [:] }
        let key = device.keyStorage.method
        var ways: Ways = [:]
        if try PINs.find(device.id, on: connection)?.state.active != nil {
            ways[.devicePIN] = [key, AuthenticationStrength.pin]
        }
        if device.biometricKey?.counts(in: context.settings) ?? false {
            ways[.deviceBiometric] = [key, AuthenticationStrength.biometric]
        }
        return ways
    }

    /// By a hosted page, which comes back to the app: the app's client has to have a URL for it.
    private func pages(
        of account: AccountRecord, in session: SessionRecord, brand: BrandProfile?, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Ways {
        let app = try ClientID(session.facts.grantedTo ?? session.facts.clientID)
        guard let client = try context.clients.find(app, now: now, on: connection), !client.returnURLs.isEmpty else {
            return [:]
        }
        var ways: Ways = [:]
        if account.passwordState == .current {
            ways[.password] = [AuthenticationStrength.password]
            // As the password does, it proves what the person knows; one that is locked proves nothing, and one that was just
            // set may be whoever's had a minute at a signed-in browser.
            if brand?.accountPIN ?? false, let pin = try AccountPINs.find(account.id, on: connection), pin.isOpen,
                now >= pin.coolingUntil
            {
                ways[.hostedPIN] = [AuthenticationStrength.pin]
            }
        }
        // A passkey that was just tricked in is worth no payment.
        if let party = context.passkeyParty,
            try Passkeys.holding(of: account.id, at: party.id, now: now, on: connection).hasSettled
        {
            ways[.passkey] = AuthenticationStrength.passkey
        }
        return ways
    }

    /// The session's device, where it is open, past its cooling period, and its app has the key that the session is bound to.
    static func trustedDevice(
        of session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> DeviceRecord? {
        guard session.facts.dpopThumbprint != nil,
            let device = try session.facts.deviceID.flatMap({ try Devices.find($0, on: connection) }),
            device.hold(at: now) == nil
        else { return nil }
        return device
    }

    /// Ways as the app shows them: with where a code goes, masked.
    func described(_ ways: [SCAVerification], to account: AccountRecord) -> [AvailableVerification] {
        let vault = AccountVault(context: context)
        return ways.map { way in
            AvailableVerification(
                way, destination: way.sentFactor.flatMap { vault.maskedDestination(of: $0, account: account) })
        }
    }
}

extension SCAVerification {
    /// The account's factor whose code is sent for it; `nil` where none is sent.
    var sentFactor: FactorKind? {
        switch channel {
        case .sms: .sms
        case .email: .email
        case .authenticator, .device, .redirect: nil
        }
    }
}

extension OperationSession {
    /// The session as its row, its account and its device stand at a moment.
    ///
    /// What a device proved counts once it is past its cooling period, and so does a passkey: whoever tricked one in pays
    /// nothing by its key, nor by the PIN that they set on it. So does the account's own PIN, while it is there. `otp` does not
    /// tell by what it was made: it counts not while an authenticator app is new, nor `fed` while a restored identity is. A
    /// password that was set through a mailbox pays for nothing.
    init(
        _ session: SessionRecord, of account: AccountRecord, at now: Timestamp, on connection: any SQLConnection
    ) throws {
        let device = try ConsentFactors.trustedDevice(of: session, now: now, on: connection)
        var methods = session.facts.methods
        if AuthenticationStrength.includeAccountPIN(methods) {
            // The account's own PIN is no device's: it counts once it is past a cooling period of its own.
            if try !AccountPINs.isSettled(of: account.id, now: now, on: connection) {
                methods.removeAll { $0 == AuthenticationStrength.pin }
            }
        } else if device == nil {
            methods.removeAll(where: AuthenticationStrength.deviceMethods.contains)
        }
        if Set(methods).isDisjoint(with: ["uv"]) { methods.removeAll { $0 == AuthenticationStrength.passkeyKey } }
        let otp = FactorKind.totp.authenticationMethod
        if methods.contains(otp), try TOTPSecrets.isCooling(of: account.id, now: now, on: connection) {
            methods.removeAll { $0 == otp }
        }
        if methods.contains(NativeSignIn.federatedMethod),
            try FederatedIdentities.cooling(of: account.id, now: now, on: connection) != nil
        {
            methods.removeAll { $0 == NativeSignIn.federatedMethod }
        }
        let isRecoveredLately = account.cooling(at: now) != nil
        if isRecoveredLately { methods = AuthenticationStrength.outlastingRecovery(methods) }
        self.init(
            methods: methods, authTime: session.facts.authTime, countsUntil: session.facts.countsUntil,
            isOnTrustedDevice: device != nil, isRecoveredLately: isRecoveredLately)
    }
}
