internal import Core
internal import Kernel
internal import Logging
internal import Store
package import WalletAuthWire

/// Long-lived sessions: a token on an enrolled device. It signs in together with the device's key and a PIN or biometrics;
/// alone it opens nothing.
///
/// This folder owns long-lived sessions of devices, from issue to sign-in and end.
package struct DeviceAuthenticationTokens: Sendable {
    let database: any Database
    let issuer: Issuer
    let sealing: SealingKeys
    let auditLog: AuditLog
    let challenges: DeviceChallenges
    let passwords: PasswordVerification
    let stepUp: StepUp
    let logger: Logger

    /// Issues a token for the calling device. It replaces the previous one.
    ///
    /// Requires the password once more: a stranger who finds an open app must not turn an hour into months.
    /// - Parameters:
    ///   - presented: the request and the device's signature.
    ///   - call: the app's call.
    package func issue(
        _ presented: PresentedDeviceTokenRequest, call: AppCaller
    ) async throws -> Result<DeviceTokenResponse, DeviceTokenRefusal> {
        guard let device = try await device(of: call) else { return .failure(.device(.notFound)) }
        if let refusal = StepUpPolicy(stepUp, call).refusalAfterScan { return .failure(.device(refusal)) }
        guard maySignInForLong(call) else { return .failure(.unsupported) }
        guard presented.request.deviceID.rawValue == device.id.uuid else { return .failure(.device(.notFound)) }
        let binding = DeviceChallenges.Binding(
            purpose: .deviceToken, thumbprint: call.thumbprint, account: call.account.id.uuid,
            device: device.id.uuid)
        guard
            let challenge =
                challenges
                .open(presented.request.challengeID, for: binding, now: call.now)
        else { return .failure(.device(.invalidChallenge)) }
        guard try isSigned(presented, by: device, over: challenge.nonce, now: call.now) else {
            return .failure(.credentials(.invalid))
        }
        let outcome = try await passwords.verify(
            presented.request.password, username: presented.request.username,
            brand: try call.client.accountBrand, device: .enrolled(device), origin: call.origin, now: call.now,
            ifReached: { $0 == call.account.id })
        switch outcome {
        case .refused(let refusal): return .failure(.credentials(refusal))
        case .verified(let account):
            // Another person's correct password is wrong here, and was not even compared.
            guard account.id == call.account.id else { return .failure(.credentials(.invalid)) }
            let expiry = try await database.read { try account.passwordExpiry(on: $0) }
            guard account.passwordState == .current, expiry.map({ call.now < $0 }) ?? true else {
                return .failure(.passwordChangeRequired)
            }
            return try await issue(for: device, of: account, over: challenge, call: call)
        }
    }

    /// The state of the long-lived session on the calling device. Where none can be started, the refusal comes before a password is typed.
    package func consent(call: AppCaller) async throws -> Result<DeviceTokenConsent, DeviceTokenRefusal> {
        guard let device = try await device(of: call) else { return .failure(.device(.notFound)) }
        guard maySignInForLong(call) else { return .failure(.unsupported) }
        let record = try await database.read { try DeviceTokens.find(of: device.id, on: $0) }
        return .success(Self.consent(record, version: call.account.securityVersion, now: call.now))
    }

    /// Records that the holder wants no long-lived session on the calling device. Harmless to repeat.
    package func decline(call: AppCaller) async throws -> Result<DeviceTokenConsent, DeviceTokenRefusal> {
        guard let device = try await device(of: call) else { return .failure(.device(.notFound)) }
        if let refusal = StepUpPolicy(stepUp, call).refusalAfterScan { return .failure(.device(refusal)) }
        let entry = try entry(.declined, of: device, call)
        return try await database.write { connection in
            if let refusal = try call.deviceRefusalOfChange(on: connection) { return .failure(.device(refusal)) }
            let isNews = try DeviceTokens.decline(
                for: device.id, of: call.account.id, version: call.account.securityVersion, now: call.now,
                on: connection)
            if isNews { try entry.write(on: connection) }
            return .success(DeviceTokenConsent(state: .declined))
        }
    }

    /// Ends the token of the calling device. Sessions opened with it continue.
    package func expire(call: AppCaller) async throws -> Result<Void, DeviceTokenRefusal> {
        guard let device = try await device(of: call) else { return .failure(.device(.notFound)) }
        if let refusal = StepUpPolicy(stepUp, call).refusalAfterScan { return .failure(.device(refusal)) }
        let entry = try entry(.expired, of: device, call)
        return try await database.write { connection in
            if let refusal = try call.deviceRefusalOfChange(on: connection) { return .failure(.device(refusal)) }
            let isEnded = try DeviceTokens.expire(
                of: device.id, version: call.account.securityVersion, now: call.now, on: connection)
            guard isEnded else { return .failure(.alreadyExpired) }
            try entry.write(on: connection)
            return .success(())
        }
    }

    // MARK: - Steps

    private func issue(
        for device: DeviceRecord, of account: AccountRecord, over challenge: DeviceChallenges.Opened, call: AppCaller
    ) async throws -> Result<DeviceTokenResponse, DeviceTokenRefusal> {
        let token = try DeviceAuthenticationToken(Base64URL.encode(sealing.random.bytes(32)))
        let digest = token.digest
        let name = try DeviceVault(sealing).shownName(of: device)
        let entry = try entry(.issued, of: device, call, message: .issued(name))
        let refusal = try await database.write { connection -> DeviceRefusal? in
            if let refusal = try call.deviceRefusalOfChange(on: connection) { return refusal }
            guard try challenge.use(now: call.now, on: connection) else { return .invalidChallenge }
            guard
                try DeviceTokens.issue(
                    digest, for: device.id, of: account.id, version: account.securityVersion, now: call.now,
                    until: call.now + DeviceAuthenticationToken.lifetime, on: connection)
            else { return .accountChanged }
            try entry.write(on: connection)
            return nil
        }
        if let refusal { return .failure(.device(refusal)) }
        return .success(DeviceTokenResponse(token: token, expiresIn: DeviceAuthenticationToken.lifetime.wholeSeconds))
    }

    /// Whether the operator allows it to the app, and the account has a password to ask for.
    private func maySignInForLong(_ call: AppCaller) -> Bool {
        call.client.mayUseDeviceTokens && call.account.password != nil
    }

    /// The enrolled device on which the call's session was opened.
    private func device(of call: AppCaller) async throws -> DeviceRecord? {
        guard let id = call.session.facts.deviceID,
            let device = try await database.read({ try Devices.find(id, on: $0) }),
            device.accountID == call.account.id, device.clientID == call.client.id.rawValue, device.state != .removed
        else { return nil }
        return device
    }

    private func isSigned(
        _ presented: PresentedDeviceTokenRequest, by device: DeviceRecord, over nonce: Nonce, now: Timestamp
    ) throws -> Bool {
        guard let signature = presented.signature else { return false }
        let expected = DeviceRequestSignature.Expectation(
            audience: issuer, deviceID: presented.request.deviceID, method: "POST",
            target: try HTTPTarget(issuer.url(path: Endpoints.deviceAuthenticationTokens.path)),
            body: presented.body, idempotencyKey: try presented.request.signatureKey)
        do {
            let signed = try DeviceRequestSignature.verified(
                signature, by: device.key, for: expected, now: NumericDate(clamping: now.seconds))
            return signed.nonce == nonce
        } catch {
            logger.debug("refused a device's signature", metadata: ["reason": "\(error)"])
            return false
        }
    }

    private func entry(
        _ event: DeviceTokenEvent, of device: DeviceRecord, _ call: AppCaller, message: DeviceTokenMessage? = nil
    ) throws -> AuditLog.Entry {
        let email = AccountVault(sealing).open(call.account.email, .email, of: call.account.id)
        return try auditLog.entry(
            event, account: call.account.id, client: call.client.id.rawValue, origin: call.origin, now: call.now,
            details: .naming(device.id), message: message, email: email)
    }

    private static func consent(
        _ record: DeviceTokenRecord?, version: Int64, now: Timestamp
    ) -> DeviceTokenConsent {
        switch record?.state {
        case nil: DeviceTokenConsent(state: .none)
        case .declined: DeviceTokenConsent(state: .declined)
        case .expired: DeviceTokenConsent(state: .expired)
        case .active:
            if let record, record.securityVersion == version, record.expiresAt > now {
                DeviceTokenConsent(state: .active, expiresIn: (record.expiresAt - now).wholeSeconds)
            } else {
                DeviceTokenConsent(state: .expired)
            }
        }
    }
}

/// A request for a device authentication token, as read by the edge.
package struct PresentedDeviceTokenRequest: Sendable {
    package var request: DeviceTokenRequest
    /// The exact bytes that the device signed.
    package var body: [UInt8]
    /// The device's signature over the request; `nil` if it sent none.
    package var signature: String?
}

package enum DeviceTokenRefusal: Error, Sendable, Hashable {
    /// Refused for a reason that is common to device calls.
    case device(DeviceRefusal)
    /// User name, password or device signature prove nothing. For a wrong signature it is `invalid`, as for the others.
    case credentials(CredentialRefusal)
    /// The client may not use long-lived sessions, or the account signs in with another provider.
    case unsupported
    /// The password has expired: the person must sign in and choose a new one first.
    case passwordChangeRequired
    /// There is no token to end.
    case alreadyExpired

    /// One of each kind.
    static let all: [DeviceTokenRefusal] =
        [.unsupported, .passwordChangeRequired, .alreadyExpired] + DeviceRefusal.all.map { .device($0) }
        + [
            .invalid, .walletDeactivated, .deviceSuspended, .deviceDeactivated, .tooManyAttempts(retryAfter: 1),
            .busy(retryAfter: 1),
        ].map { .credentials($0) }
}

extension DeviceAuthenticationToken {
    /// How long an unused token is valid.
    package static let lifetime = Duration.days(90)

    /// The digest the token is stored under: 256 random bits need no more than a plain hash.
    package var digest: [UInt8] { Digests.of("device-token", Array(reveal().utf8)) }
}
