internal import Core
package import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire

/// The backchannel authentication endpoint (OpenID CIBA Core 1.0 §7): a client names a person, who gets a transaction to sign. Its signature
/// is the approval, and nothing else is asked of them.
package struct BackchannelAuthentications: Sendable {
    let transactions: BackendTransactions
    let proofs: ProofOfPossession
    let clients: ClientAuthenticator
    let people: BackchannelPeople
    let vault: DeviceGrantVault

    private var ledger: TransactionLedger { transactions.ledger }

    package func begin(
        _ request: BackchannelAuthenticationRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> Result<BackchannelAuthenticationResponse, OAuthRefusal> {
        let now = ledger.clock.now()
        let checked: CheckedProof?
        switch proofs.check(proof, now: now) {
        case .success(let result): checked = result
        case .failure(let refusal): return .failure(refusal)
        }
        let client: RegisteredClient
        switch try await clients.authenticate(
            request.client, at: Endpoints.backchannelAuthentication, proof: checked, now: now)
        {
        case .success(let result): client = result
        case .failure(let refusal): return .failure(refusal)
        }
        if let refusal = refusal(of: request, by: client) { return .failure(refusal) }
        let name: BackchannelPeople.Name
        switch try await people.name(request.hint, by: client, now: now) {
        case .success(let result): name = result
        case .failure(let refusal): return .failure(refusal)
        }
        var content = DeviceGrantContent(
            scope: request.scope, resources: request.resources, keyThumbprint: checked?.thumbprint.bytes, network: nil)
        content.authorizationDetails = request.authorizationDetails
        let id = try AuthenticationRequestID("war_" + Base64URL.encode(transactions.random.bytes(32)))
        if client.backchannelMode == .ping, let token = request.notificationToken {
            content.notification = BackchannelNotification(requestID: id, token: token)
        }
        return try await ask(
            name, for: request, Asking(id: id, content: content),
            call: BackendCaller(client: client, origin: origin, now: now))
    }

    private func refusal(
        of request: BackchannelAuthenticationRequest, by client: RegisteredClient
    ) -> OAuthRefusal? {
        guard let mode = client.backchannelMode else { return .unauthorizedClient }
        guard mode == .poll || request.notificationToken != nil else {
            return .invalidRequest("client_notification_token is missing")
        }
        // What administers the server must not hang on an approval that a client asks for.
        let refused = request.scope.tokens.filter { !client.scope.contains($0) || $0 == Operators.scope }
        guard refused.isEmpty else { return .invalidScope(refused) }
        switch request.authorizationDetails.flatMap({ client.fault(in: $0, with: request.scope) }) {
        case nil: break
        case .type(let type): return .invalidAuthorizationDetails(type)
        case .scope(let others): return .invalidScope(others)
        }
        return client.audience(for: request.resources, issuer: transactions.issuer) == nil ? .invalidTarget : nil
    }

    /// What the client will wait with.
    private struct Asking: Sendable {
        let id: AuthenticationRequestID
        let content: DeviceGrantContent

        var digest: [UInt8] { DeviceGrantRecord.digest(of: id) }
    }

    private func ask(
        _ name: BackchannelPeople.Name, for request: BackchannelAuthenticationRequest, _ asking: Asking,
        call: BackendCaller
    ) async throws -> Result<BackchannelAuthenticationResponse, OAuthRefusal> {
        let (client, now) = (call.client, call.now)
        let key = try transactions.keyRing.active(.attempts)
        func limit(_ label: String, _ policy: AttemptPolicy) -> AttemptLimit {
            AttemptLimit(Digests.keyed(label, [client.id.rawValue], key: key), under: policy)
        }
        let all = limit("backchannel-requests", BackchannelLimits.ofClient)
        let unknown = limit("backchannel-unknown", BackchannelLimits.ofUnknown)
        @Sendable func busy(_ until: Timestamp?) -> OAuthRefusal {
            .temporarilyUnavailable(retryAfter: RetryAfter.seconds(until: until, now: now))
        }
        // Refused without a write, so that a flood costs none. After too many wrong names, the right ones are refused as well, so that no
        // one goes on trying.
        if let held = try await ledger.database.read({ try Attempts.heldUntil([all, unknown], now: now, on: $0) }) {
            return .failure(busy(held))
        }
        return try await ledger.database.retryingWrite("a sign-in by backchannel") {
            connection -> Result<BackchannelAuthenticationResponse, OAuthRefusal> in
            if case .refuse(let until) = try Attempts.count([all], now: now, on: connection) {
                return .failure(busy(until))
            }
            guard
                let account = try people.find(name, for: client, scope: request.scope, now: now, on: connection)
            else {
                _ = try Attempts.count([unknown], now: now, on: connection)
                return .failure(.unknownUserID)
            }
            if let until = try BackchannelAttempts.count(account.id, by: client, now: now, on: connection) {
                return .failure(busy(until))
            }
            if case .tooManyOpen(let seconds) = try transactions.refusal(of: account.id, call: call, on: connection) {
                return .failure(.temporarilyUnavailable(retryAfter: seconds))
            }
            let record: TransactionRecord
            do { record = try self.record(request, asking, of: account, call: call) } catch let fault as MalformedValue
            {
                return .failure(.invalidRequest(fault.description))
            }
            let waiting = DeviceGrantRecord(
                id: record.id, deviceCode: asking.digest, userCode: nil, clientID: client.id.rawValue,
                sealed: try vault.seal(asking.content, of: record.id), createdAt: now, endsAt: record.state.expiresAt)
            guard try Transactions.add(record, on: connection) == .added,
                try DeviceGrants.add(waiting, on: connection)
            else { throw WriteConflict() }
            try ledger.record(record, origin: call.origin, now: now, on: connection)
            try transactions.push(record, to: account.id, now: now, on: connection)
            return .success(
                BackchannelAuthenticationResponse(
                    requestID: asking.id, expiresIn: (record.state.expiresAt - now).wholeSeconds,
                    interval: DeviceGrantLimits.interval))
        }
    }

    /// The transaction that the person signs.
    private func record(
        _ request: BackchannelAuthenticationRequest, _ asking: Asking, of account: AccountRecord, call: BackendCaller
    ) throws -> TransactionRecord {
        let (client, id) = (call.client, try AccountID(bytes: account.id.bytes))
        let language = account.locale.flatMap(Language.init(tag:)) ?? .english
        let payment = request.authorizationDetails?.payment
        func lines(_ service: String) throws -> [TransactionLine] {
            let reference = try payment?.reference.map {
                try TransactionLine(label: language.consentText[.referenceLabel], value: $0)
            }
            return try Self.lines(request, to: service, language.backchannelText) + (reference.map { [$0] } ?? [])
        }
        func transaction(to service: String) throws -> TransactionRequest {
            try TransactionRequest(
                account: id, type: .backchannelSignIn, amount: payment?.amount, payee: payment?.operation.payee,
                lines: lines(service),
                data: Self.data(request, asking), expiresIn: Self.lifetime(request))
        }
        // Some names were registered before there were rules for what phones show.
        let content = try (try? transaction(to: client.name)) ?? transaction(to: client.id.rawValue)
        let secret = try TransactionSecret(Base64URL.encode(transactions.random.bytes(16)))
        return try transactions.record(
            content, secret, of: account.id, key: TransactionRecord.backchannelKey + Base64URL.encode(asking.digest),
            call: call)
    }

    private static func lines(
        _ request: BackchannelAuthenticationRequest, to service: String, _ texts: Texts<BackchannelText>
    ) throws -> [TransactionLine] {
        var lines = [try TransactionLine(label: texts[.serviceLabel], value: service)]
        if let message = request.bindingMessage {
            lines.append(try TransactionLine(label: texts[.messageLabel], value: message))
        }
        let scopes = request.scope.tokens.filter { $0 != "openid" }
        if !scopes.isEmpty {
            lines.append(try TransactionLine(label: texts[.scopeLabel], value: scopes.joined(separator: " ")))
        }
        return lines
    }

    /// What is signed besides, so that the evidence leads from the session to the request.
    private static func data(_ request: BackchannelAuthenticationRequest, _ asking: Asking) -> [UInt8] {
        var object = JSONObject()
        object.set("auth_req_id_sha256", Base64URL.encode(asking.digest))
        object.set("scope", request.scope)
        object.set("resource", request.resources)
        object.set("acr_values", request.acrValues)
        object.set("binding_message", request.bindingMessage)
        object[AuthorizationDetails.field] = request.authorizationDetails?.json
        return object.bytes
    }

    private static func lifetime(_ request: BackchannelAuthenticationRequest) -> Int64 {
        let range = TransactionRequest.lifetimes
        return min(
            max(request.requestedExpiry ?? TransactionRequest.defaultLifetime, range.lowerBound), range.upperBound)
    }
}

/// The labels of what the phone shows.
enum BackchannelText: String, TextKey {
    static let section = "backchannel"

    case serviceLabel, messageLabel, scopeLabel
}

extension TextSource {
    fileprivate var backchannelText: Texts<BackchannelText> { texts() }
}

extension TransactionRecord {
    /// The beginning of ``createKey`` where it is the digest of an `auth_req_id`. No other key has a colon.
    static let backchannelKey = "backchannel:"

    /// Whether a client waits for it that named the person.
    var isBackchannel: Bool { createKey?.hasPrefix(Self.backchannelKey) ?? false }
}

extension TransactionLedger {
    /// Tells the client that waits for a transaction what became of it, in the write of the last step.
    func decideBackchannel(_ record: TransactionRecord, now: Timestamp, on connection: any SQLConnection) throws {
        guard let account = record.accountID else { throw InvariantViolation() }
        let grants = DeviceGrantVault(vault.sealing)
        var grant: [UInt8]?
        switch record.state.phase {
        case .signed(let id, let factor, let at):
            guard let device = try UniqueID(uuid: id.rawValue).flatMap({ try Devices.find($0, on: connection) }),
                let holder = try Accounts.find(account, on: connection)
            else { throw InvariantViolation() }
            let opener = factor == .biometric ? AuthenticationStrength.biometric : AuthenticationStrength.pin
            grant = try grants.seal(
                BackchannelApproval(
                    account: account, securityVersion: holder.securityVersion,
                    methods: [opener, device.keyStorage.method], device: device.id, at: at),
                of: record.id)
        case .rejected(_, .unexpected, _):
            try BackchannelAttempts.refused(account, by: record.clientID, now: now, on: connection)
        case .created, .claimed, .confirmed, .rejected, .failed, .cancelled: break
        }
        guard try DeviceGrants.decide(record.id, by: account, grant: grant, now: now, on: connection) else { return }
        try PingNotice.write(
            record.id, of: record.clientID, until: record.state.expiresAt, now: now, on: connection)
    }
}
