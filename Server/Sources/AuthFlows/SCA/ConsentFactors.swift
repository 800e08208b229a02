internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// By which ways a person can agree: what the account has, and what the session's device has.
struct ConsentFactors: Sendable {
    let context: ServerContext

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
        var methods: [SCAVerification: [String]] = [:]
        let usable = try SecondFactors.usable(
            by: account, brand: brand,
            isByProviderAlone: SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: session.facts.methods, authTime: session.facts.authTime
            ).isByProviderAlone,
            on: connection)
        // The password that the mailbox alone set, and a code to that mailbox, would be one category twice (RTS article 9).
        let isCooling = account.coolingUntil.map { now < $0 } ?? false
        for kind in usable.subtracting(context.settings.undeliverableFactors) {
            // A question proves no category, and recovery codes are for coming back, not for payments.
            switch kind {
            case .sms where !isCooling: methods[.sms] = [kind.authenticationMethod]
            case .email where !isCooling: methods[.email] = [kind.authenticationMethod]
            case .totp: methods[.authenticator] = [kind.authenticationMethod]
            case .sms, .email, .secretQuestion, .recoveryCode: break
            }
        }
        if let device = try Self.trustedDevice(of: session, now: now, on: connection) {
            let key = device.keyStorage.method
            if try PINs.find(device.id, on: connection)?.state.active != nil { methods[.devicePIN] = [key, "pin"] }
            if device.biometricKey?.counts(in: context.settings) ?? false { methods[.deviceBiometric] = [key, "bio"] }
        }
        // A hosted page comes back to the app, for which the app's client has to have a URL.
        let app = try Clients.find(session.facts.grantedTo ?? session.facts.clientID, on: connection)
        if let app, try !RegisteredClient(app).returnURLs.isEmpty {
            if account.passwordState == .current { methods[.password] = ["pwd"] }
            // A passkey that was just tricked in is worth no payment.
            if let party = context.passkeyParty,
                try Passkeys.holding(of: account.id, at: party.id, now: now, on: connection).hasSettled
            {
                methods[.passkey] = AuthenticationStrength.passkey
            }
        }
        return AvailableFactors(methods: methods)
    }

    /// The session's device, where it is open, past its cooling period, and its app has the key that the session is bound to.
    static func trustedDevice(
        of session: SessionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> DeviceRecord? {
        guard session.facts.dpopThumbprint != nil,
            let device = try session.facts.deviceID.flatMap({ try Devices.find($0, on: connection) }),
            device.state == .active, device.instance != .unverified, now >= device.coolingUntil
        else { return nil }
        return device
    }

    /// The ways that bring a consent on, as the app shows them.
    func offered(
        _ factors: AvailableFactors, beside proved: [String], to account: AccountRecord
    ) -> [AvailableVerification] {
        factors.needed(beside: proved).map { AvailableVerification($0, destination: destination(of: $0, account)) }
    }

    /// Where a code goes, masked.
    func destination(of verification: SCAVerification, _ account: AccountRecord) -> String? {
        let vault = AccountVault(context: context)
        return switch verification.channel {
        case .sms: vault.maskedDestination(of: .sms, account: account)
        case .email: vault.maskedDestination(of: .email, account: account)
        case .authenticator, .device, .redirect: nil
        }
    }
}

extension OperationSession {
    /// The session as its row and its device stand.
    ///
    /// What a device proved counts once it is past its cooling period, and so does a passkey: whoever tricked one in pays
    /// nothing by its key, nor by the PIN that they set on it.
    init(_ session: SessionRecord, trustedDevice: DeviceRecord?) {
        var methods = session.facts.amr.split(separator: " ").map(String.init)
        if trustedDevice == nil { methods.removeAll(where: AuthenticationStrength.deviceMethods.contains) }
        if Set(methods).isDisjoint(with: ["uv"]) { methods.removeAll { $0 == AuthenticationStrength.passkeyKey } }
        self.init(
            methods: methods, authTime: session.facts.authTime,
            activeAt: max(session.rotatedAt, session.facts.createdAt), isOnTrustedDevice: trustedDevice != nil)
    }

    /// The session as its row and its device stand at a moment.
    init(_ session: SessionRecord, at now: Timestamp, on connection: any SQLConnection) throws {
        self.init(session, trustedDevice: try ConsentFactors.trustedDevice(of: session, now: now, on: connection))
    }
}
