internal import Core
package import Kernel
internal import Store
package import WalletAuthWire

package enum LoginNonceRefusal: Error, Sendable, Hashable {
    /// The caller's brand has no such account. The caller may learn this, but nothing about other brands.
    case accountNotFound
    /// The caller's brand has no such first-party app.
    case clientNotFound
}

/// Login nonces: a backend that knows a person lets the person's app sign in without another password prompt.
///
/// An issuer of nonces can sign in as anyone of its brand, with the rights of one unproved factor, so it needs a separate scope.
/// A nonce is bound to one app, to its purpose and, if the backend knows it, to the app's key. It works once, within a minute, and
/// proves no category of factor.
package struct LoginNonceIssuer: Sendable {
    let database: any Database
    let clients: ClientDirectory
    let random: any RandomBytes
    let auditLog: AuditLog

    /// The scope that a backend needs.
    package static let scope = "login_nonces"
    /// The `amr` value of a nonce. It does not raise the authentication context class.
    static let method = "nonce"
    private static let lifetime = Duration.minutes(1)

    package func issue(
        _ request: LoginNonceRequest, call: BackendCaller
    ) async throws -> Result<LoginNonceResponse, LoginNonceRefusal> {
        let brand = try call.client.accountBrand
        guard let app = try await clients.find(request.clientID, now: call.now), app.isFirstParty,
            app.kind == .public, try app.accountBrand == brand
        else { return .failure(.clientNotFound) }
        guard let account = try await account(request.person, brand: brand) else { return .failure(.accountNotFound) }

        let nonce = try LoginNonce(Base64URL.encode(random.bytes(32)))
        let record = LoginNonceRecord(
            digest: Self.digest(of: nonce), accountID: account.id, securityVersion: account.securityVersion,
            issuerClientID: call.client.id.rawValue, clientID: app.id.rawValue, purpose: request.purpose.rawValue,
            keyThumbprint: request.keyThumbprint?.bytes, expiresAt: call.now + Self.lifetime)
        let entry = try auditLog.entry(
            LoginEvent.nonceIssued, account: account.id, client: call.client.id.rawValue, origin: call.origin,
            properties: ["app": app.id.rawValue, "purpose": request.purpose.rawValue], now: call.now)
        try await database.write { connection in
            try LoginNonces.add(record, on: connection)
            try entry.write(on: connection)
        }
        return .success(LoginNonceResponse(nonce: nonce, expiresIn: Self.lifetime.wholeSeconds))
    }

    /// An account of the brand that is not erased. Only its holder learns whether it may sign in.
    private func account(_ person: LoginNonceRequest.Person, brand: BrandID) async throws -> AccountRecord? {
        let account = try await database.read { connection -> AccountRecord? in
            switch person {
            case .account(let id):
                try UniqueID(bytes: id.bytes).flatMap { try Accounts.find($0, on: connection) }
            case .username(let name):
                try Accounts.find(named: name.rawValue, brand: brand.rawValue, on: connection)
            }
        }
        guard let account, account.brandID == brand.rawValue, account.state != .erased else { return nil }
        return account
    }

    /// The key of a stored nonce. With 256 random bits, a plain hash is enough.
    static func digest(of nonce: LoginNonce) -> [UInt8] {
        Digests.of("login-nonce", Array(nonce.reveal().utf8))
    }
}

/// A nonce that a backend requested for the person.
struct LoginNonceMethod: SignInMethod {
    let nonce: LoginNonce
    let purpose: LoginPurpose
    let device: DeviceEvidence
    let key: JWKThumbprint

    private enum Use: Sendable {
        case used(LoginNonceRecord)
        case refused
        case addressLocked(until: Timestamp?)
    }

    /// Uses the nonce up. Every invalid nonce gets the same response: wrong, spent, expired, or for another purpose.
    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        let (checks, intent, now) = (attempt.checks, attempt.intent, attempt.now)
        let device = try await device.recognized(for: attempt).enrolled
        let (digest, client) = (LoginNonceIssuer.digest(of: nonce), intent.client.id.rawValue)
        let counters = try checks.addresses.counters(of: intent.origin, now: now)
        let use = try await checks.database.write { connection -> Use in
            // Failures of others in its network do not hold up a device of the nonce's account.
            let isKnown =
                try LoginNonces.account(of: digest, on: connection)
                .map { try Devices.links(key.bytes, by: intent.client.id, to: $0, on: connection) } ?? false
            let address = isKnown ? nil : counters
            if case .refuse(let until)? = try address?.reserve(now: now, on: connection) {
                return .addressLocked(until: until)
            }
            let used = try LoginNonces.use(
                digest, by: client, for: purpose.rawValue, thumbprint: key.bytes, now: now, on: connection)
            guard let used else {
                try address?.fail(on: connection)
                return .refused
            }
            try address?.refund(on: connection)
            return .used(used)
        }
        switch use {
        case .addressLocked(let until):
            return .refused(.networkHeld(retryAfter: RetryAfter.seconds(until: until, now: now)))
        case .refused: return .refused(.invalidCredentials)
        case .used(let nonce):
            // The issuer may have lost the scope since.
            let issuer = try await checks.clients.find(ClientID(nonce.issuerClientID), now: now)
            guard issuer?.scope.contains(LoginNonceIssuer.scope) ?? false else { return .refused(.invalidCredentials) }
            let factors = SignInPolicy.Factors(
                securityVersion: nonce.securityVersion, amr: [LoginNonceIssuer.method], authTime: now)
            return .proved(try await attempt.proof(of: nonce.accountID, factors, on: device))
        }
    }
}
