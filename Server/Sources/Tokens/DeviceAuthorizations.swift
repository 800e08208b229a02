internal import Core
package import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire

/// The device authorization endpoint (RFC 8628 §3.1): the codes of a device that asks for tokens and has no browser.
package struct DeviceAuthorizations: Sendable {
    let clock: any Clock
    let random: any RandomBytes
    let issuer: Issuer
    let keyRing: KeyRing
    let proofs: ProofOfPossession
    let clients: ClientAuthenticator
    let database: any Database
    let vault: DeviceGrantVault

    /// Draws that may meet a code in use. Even of a million devices, one in 25,000 needs a second one.
    private static let draws = 4

    package func begin(
        _ request: DeviceAuthorizationRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> Result<DeviceAuthorizationResponse, OAuthRefusal> {
        let now = clock.now()
        let checked: CheckedProof?
        switch proofs.check(proof, now: now) {
        case .success(let result): checked = result
        case .failure(let refusal): return .failure(refusal)
        }
        let client: RegisteredClient
        switch try await clients.authenticate(
            request.client, at: Endpoints.deviceAuthorization, proof: checked, now: now)
        {
        case .success(let result): client = result
        case .failure(let refusal): return .failure(refusal)
        }
        guard client.mayUseDeviceGrant else { return .failure(.unauthorizedClient) }
        // What administers the server must not hang on a code that a stranger can send to an operator.
        let offered = client.scope.tokens.filter { $0 != Operators.scope }
        let scope = try Scope(tokens: request.scope.map { $0.tokens.filter(offered.contains) } ?? offered)
        guard !scope.isEmpty || client.scope.isEmpty else {
            return .failure(.invalidScope(request.scope?.tokens ?? client.scope.tokens))
        }
        guard client.audience(for: request.resources, issuer: issuer) != nil else { return .failure(.invalidTarget) }
        let content = DeviceGrantContent(
            scope: scope, resources: request.resources, keyThumbprint: checked?.thumbprint.bytes,
            // A confidential client calls from its backend's network, which says nothing of the device.
            network: client.kind == .public ? NetworkAddress(origin.address)?.region : nil)
        if let checked, let refusal = try await proofs.use(checked, now: now) { return .failure(refusal) }
        return try await issue(content, to: client, counting: counters(of: client, origin, now: now), now: now)
    }

    private func counters(
        of client: RegisteredClient, _ origin: RequestOrigin, now: Timestamp
    ) throws -> SharedCounters {
        let key = try keyRing.active(.attempts)
        switch client.kind {
        case .public:
            return SharedCounters(
                "device-authorizations|\(client.id.rawValue)", of: origin, under: DeviceGrantLimits.ofNetwork, key: key,
                now: now)
        case .confidential:
            return SharedCounters(
                Digests.keyed("device-authorizations-of-backend", [client.id.rawValue], key: key),
                under: DeviceGrantLimits.ofBackend)
        }
    }

    private enum Outcome: Sendable {
        case added
        case taken
        case held(until: Timestamp?)
    }

    private func issue(
        _ content: DeviceGrantContent, to client: RegisteredClient, counting counters: SharedCounters, now: Timestamp
    ) async throws -> Result<DeviceAuthorizationResponse, OAuthRefusal> {
        func refused(_ until: Timestamp?) -> OAuthRefusal {
            .temporarilyUnavailable(
                retryAfter: RetryAfter.seconds(until: until ?? now + DeviceGrantLimits.lifetime, now: now))
        }
        // Refused without a write, so that a flood costs none.
        if let held = try await database.read({ try counters.heldUntil(now: now, on: $0) }) {
            return .failure(refused(held))
        }
        for _ in 0..<Self.draws {
            let id = try random.timeOrderedID(now)
            let (device, user) = (try DeviceCode("wad_" + Base64URL.encode(random.bytes(32))), UserCode(random))
            let record = DeviceGrantRecord(
                id: id, deviceCode: DeviceGrantRecord.digest(of: device),
                userCode: user.digest(key: try keyRing.active(.attempts)), clientID: client.id.rawValue,
                sealed: try vault.seal(content, of: id), createdAt: now, endsAt: now + DeviceGrantLimits.lifetime)
            let outcome = try await database.write { connection -> Outcome in
                if case .refuse(let until) = try counters.count(now: now, on: connection) {
                    return .held(until: until)
                }
                return try DeviceGrants.add(record, on: connection) ? .added : .taken
            }
            switch outcome {
            case .added: return .success(try response(device, user))
            case .taken: continue
            case .held(let until): return .failure(refused(until))
            }
        }
        return .failure(refused(now + .seconds(1)))
    }

    private func response(_ device: DeviceCode, _ user: UserCode) throws -> DeviceAuthorizationResponse {
        let page = issuer.url(path: Endpoints.devicePage.path)
        var query = FormParameters()
        query.append("user_code", user.text)
        return DeviceAuthorizationResponse(
            deviceCode: device, userCode: user.text, verificationURI: try WebURL(page),
            verificationURIComplete: try WebURL(page + "?" + query.encoded),
            expiresIn: DeviceGrantLimits.lifetime.wholeSeconds, interval: DeviceGrantLimits.interval)
    }
}
