import WalletAuth
import WalletAuthWire

/// What waits on a person's device, and their approval of what another session requested (protocol section 4).
extension ServerCore {
    /// Adds an operation that the person began in another session, and that waits for their approval.
    mutating func requestApproval(
        _ consent: ScriptedServer.RequiredConsent, of subject: String, now: NumericDate
    ) throws -> String {
        let id = try addEvent(for: consent, of: subject, in: nil, now: now).rawValue
        events[id]?.challenged = .push
        events[id]?.challenges = 1
        return id
    }

    /// The list of what waits on the device of the session.
    mutating func approvals(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let claims = try authorize(request, now: now)
        guard let device = device(of: claims) else { return problem(404, "device_not_found") }
        var entries = try transactions.values.sorted { $0.number < $1.number }.compactMap { transaction in
            try entry(transaction, for: device, subject: claims.subject, now: now)
        }
        for id in events.keys.sorted() {
            guard let event = events[id], event.challenged == .push, waits(event, for: claims, now) else { continue }
            let challenge = try newChallenge()
            approvalChallenges[id] = challenge
            entries.append(
                try ApprovalEntry(
                    event: SCAEventID(id), operationID: event.operationID, payload: event.payload,
                    requester: ApprovalRequester(service: "Shop", browser: "Firefox", system: "Windows"),
                    allowedSecondFactors: [.biometric], challenge: challenge, expiresAt: event.expiresAt))
        }
        return .json(ApprovalPage(approvals: entries, cursor: nil).json)
    }

    private func entry(
        _ transaction: ServerTransaction, for device: DeviceID, subject: String, now: NumericDate
    ) throws -> ApprovalEntry? {
        guard over(transaction, now: now) == nil, let request = transaction.request, let secret = transaction.secret
        else { return nil }
        if transaction.device == device {
            return ApprovalEntry(
                transactionID: transaction.id, expiresAt: transaction.expiresAt, link: nil, claimed: view(transaction))
        }
        guard transaction.device == nil, request.account?.rawValue == subject else { return nil }
        let link = TransactionLink(issuer: try Issuer(issuer), transactionID: transaction.id, secret: secret)
        return ApprovalEntry(
            transactionID: transaction.id, expiresAt: transaction.expiresAt, link: link, claimed: nil)
    }

    /// Validates an approval by the device of the session.
    mutating func approve(_ request: HTTPRequest, _ id: String, now: NumericDate) throws -> HTTPResponse {
        let claims = try authorize(request, now: now)
        let approval = try ApprovalAttempt(request.json)
        guard let device = device(of: claims) else { return problem(404, "device_not_found") }
        guard var event = events[id], isOther(event, than: claims), event.operationID == approval.operationID else {
            return problem(404, "event_not_found")
        }
        if event.isVerified {
            return event.approvedBy == device ? try answer(.verified, .valid, event) : problem(409, "already_verified")
        }
        if let over = over(event, now) { return over }
        guard event.challenged == .push else { return try answer(.failed, .notChallenged, event) }
        guard let challenge = approvalChallenges.removeValue(forKey: id),
            isSigned(approval.assertion, event, id, by: device, challenge.challengeID, challenge.nonce, now: now)
        else {
            event.failed += 1
            events[id] = event
            return event.failed >= 5
                ? problem(409, "data_error", remainingAttempts: 0) : try answer(.failed, .invalidValue, event)
        }
        prove(.push, in: id)
        events[id]?.approvedBy = device
        event.proved.append(.push)
        return event.isVerified
            ? try answer(.verified, .valid, event) : try answer(.failed, .additionalFactorRequired, event)
    }

    /// Ends an event that the person did not start, from the device of the session.
    mutating func refuseApproval(_ request: HTTPRequest, _ id: String, now: NumericDate) throws -> HTTPResponse {
        let claims = try authorize(request, now: now)
        let asked = try SCARefusalRequest(request.json)
        guard device(of: claims) != nil else { return problem(404, "device_not_found") }
        guard let event = events[id], isOther(event, than: claims), event.operationID == asked.operationID,
            event.isRefused || event.challenged == .push || event.proved.contains(.push)
        else { return problem(404, "event_not_found") }
        if !event.isRefused, let over = over(event, now) { return over }
        events[id]?.isRefused = true
        return HTTPResponse(status: 204)
    }

    private func device(of claims: AccessTokenClaims) -> DeviceID? { claims.sessionID.flatMap { sessions[$0]?.device } }

    private func isOther(_ event: ConsentEvent, than claims: AccessTokenClaims) -> Bool {
        event.subject == claims.subject && event.session != claims.sessionID
    }

    private func waits(_ event: ConsentEvent, for claims: AccessTokenClaims, _ now: NumericDate) -> Bool {
        isOther(event, than: claims) && !event.isVerified && over(event, now) == nil
    }
}
