import Foundation
import WalletAuth
import WalletAuthWire

/// Consents to operations, and the resources that require them, with the limits of the real server (protocol section
/// 4).
extension ServerCore {
    private enum ConsentLimits {
        /// The time between two codes of an event, whatever is challenged in between, in seconds.
        static let interval: Int64 = 30
        /// The maximum number of codes per event.
        static let sends = 3
        /// The maximum number of challenges per event, for all methods.
        static let challenges = 20
        /// The number of wrong values that locks an event.
        static let tries = 5
        /// The lifetime of a code, in seconds.
        static let codeLifetime: Int64 = 300
    }

    struct ConsentEvent: Sendable {
        let subject: String
        let session: SessionID?
        let operationID: WalletOperationID
        let consent: ScriptedServer.RequiredConsent
        let payload: [UInt8]
        let expiresAt: NumericDate
        var challenged: SCA.Verification?
        var deviceChallenge: SCAChallengeResponse.DeviceChallenge?
        var page: String?
        var returnURL: String?
        var proved: [SCA.Verification] = []
        var sends = 0
        var sentAt: NumericDate?
        var challenges = 0
        var failed = 0
        var carriedOut = 0
        var isRefused = false
        var isWithdrawn = false
        /// The device that approved it for another session.
        var approvedBy: DeviceID?

        var isVerified: Bool { proved.count >= consent.proofs }
        var available: [SCA.Verification] { isVerified ? [] : consent.ways.filter { !proved.contains($0) } }

        /// The expiry of the last code sent.
        var codeExpiresAt: NumericDate? {
            sentAt.map { min($0.advanced(by: .seconds(ConsentLimits.codeLifetime)), expiresAt) }
        }

        /// The seconds until another code may be sent; 0 if it may be sent now.
        func wait(at now: NumericDate) -> Int64 {
            sentAt.map { max(0, $0.secondsSince1970 + ConsentLimits.interval - now.secondsSince1970) } ?? 0
        }
    }

    // MARK: - The resource

    /// Answers a request to a resource that requires consent.
    mutating func consentedResource(
        _ consent: ScriptedServer.RequiredConsent, _ request: HTTPRequest, now: NumericDate
    ) throws -> HTTPResponse {
        let claims = try authorize(request, now: now)
        let key = request.headers["Idempotency-Key"]
        if let key, let answer = consentAnswers[key] { return answer }
        let body = try request.json
        guard let member = body["scaDetails"]?.object else {
            return try ask(for: consent, of: claims, now: now)
        }
        let details = try SCADetails(member)
        guard var event = events[details.eventID.rawValue], event.operationID == details.operationID,
            event.subject == claims.subject
        else { return try ask(for: consent, of: claims, now: now) }
        guard !event.isRefused else { return problem(409, "operation_cancelled") }
        guard event.isVerified else { return problem(409, "sca_not_verified") }
        guard event.carriedOut == 0 else { return problem(409, "sca_already_used") }
        event.carriedOut += 1
        events[details.eventID.rawValue] = event
        var answer = JSONObject()
        answer.set("walletOperationId", event.operationID)
        answer.set("status", "DONE")
        let response = HTTPResponse.json(answer, status: 201)
        if let key { consentAnswers[key] = response }
        return response
    }

    private mutating func ask(
        for consent: ScriptedServer.RequiredConsent, of claims: AccessTokenClaims, now: NumericDate
    ) throws -> HTTPResponse {
        let event = try addEvent(for: consent, of: claims.subject, in: claims.sessionID, now: now)
        let operation = try WalletOperationID("operation-\(events.count)")
        return .json(
            SCARequired(
                eventID: event, operationID: operation, availableVerifications: try wire(consent.ways)
            ).json, status: SCARequired.httpStatus)
    }

    mutating func addEvent(
        for consent: ScriptedServer.RequiredConsent, of subject: String, in session: SessionID?, now: NumericDate
    ) throws -> SCAEventID {
        let number = events.count + 1
        let digits = String(number)
        let event = try SCAEventID(
            "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits)
        let operation = try WalletOperationID("operation-\(number)")
        let expiresAt = now.advanced(by: .seconds(900))
        let payload = OperationPayload(
            eventID: event, operationID: operation, clientID: try ClientID("com.example.backend"),
            account: try AccountID(subject), operation: consent.operation, expiresAt: expiresAt)
        events[event.rawValue] = ConsentEvent(
            subject: subject, session: session, operationID: operation, consent: consent,
            payload: payload.bytes, expiresAt: expiresAt)
        return event
    }

    // MARK: - The event

    /// Challenges a method.
    mutating func consentChallenge(_ request: HTTPRequest, _ id: String, now: NumericDate) throws -> HTTPResponse {
        let claims = try authorize(request, now: now)
        let asked = try SCAChallengeRequest(request.json)
        guard var event = event(id, asked.operationID, of: claims) else { return problem(404, "event_not_found") }
        if let over = over(event, now) { return over }
        if event.isVerified { return problem(409, "already_verified") }
        let verification = SCA.Verification(asked.verification)
        guard event.available.contains(verification) else {
            var answer = Problem(status: 409, code: "verification_unavailable", title: "Conflict").json
            answer["availableVerifications"] = .array(try wire(event.available).map { .object($0.json) })
            return .json(answer, status: 409)
        }
        let wait = event.wait(at: now)
        if verification.isSent, wait > 0, event.challenged == verification {
            // A code was sent recently: nothing changes, and the answer says when another can be sent.
            return try challenged(event, id, verification, resendAfter: wait, sent: false)
        }
        if let refusal = refusal(of: verification, to: event, wait: wait) { return refusal }
        event.challenges += 1
        event.challenged = verification
        event.page = nil
        event.deviceChallenge = nil
        if verification.isSent {
            event.sends += 1
            event.sentAt = now
        }
        if let url = asked.returnURL {
            event.page = "\(issuer)/sca/\(Self.randomText())"
            event.returnURL = url.rawValue
        }
        if verification == .deviceBiometric {
            event.deviceChallenge = SCAChallengeResponse.DeviceChallenge(
                id: try ChallengeID("challenge-" + Self.randomText()), nonce: try Nonce(Self.randomText()))
        }
        events[id] = event
        return try challenged(
            event, id, verification, resendAfter: ConsentLimits.interval, sent: verification.isSent ? true : nil)
    }

    /// The reason a method cannot be challenged: codes have a minimum distance and a maximum number, and challenges
    /// have a maximum number. The last challenge can still be answered.
    private func refusal(of verification: SCA.Verification, to event: ConsentEvent, wait: Int64) -> HTTPResponse? {
        if verification.isSent {
            guard event.sends < ConsentLimits.sends else { return problem(409, "no_code_left") }
            guard wait == 0 else {
                var answer = problem(429, "too_many_attempts")
                answer.headers["Retry-After"] = String(wait)
                return answer
            }
        }
        return event.challenges < ConsentLimits.challenges ? nil : problem(409, "no_code_left")
    }

    private func challenged(
        _ event: ConsentEvent, _ id: String, _ verification: SCA.Verification, resendAfter: Int64, sent: Bool?
    ) throws -> HTTPResponse {
        let maySend = verification.isSent && event.sends < ConsentLimits.sends
        return .json(
            SCAChallengeResponse(
                eventID: try SCAEventID(id), operationID: event.operationID,
                verification: try verification.wire,
                destination: verification.sendsCode ? "•••42" : nil,
                expiresAt: verification.sendsCode ? event.codeExpiresAt ?? event.expiresAt : event.expiresAt,
                resendAfter: maySend ? resendAfter : nil, redirectURL: try event.page.map { try WebURL($0) },
                payload: event.payload, deviceChallenge: event.deviceChallenge, sent: sent
            ).json)
    }

    /// Validates an answer.
    mutating func consentAttempt(_ request: HTTPRequest, _ id: String, now: NumericDate) throws -> HTTPResponse {
        let claims = try authorize(request, now: now)
        let attempt = try SCAAttemptRequest(request.json)
        guard var event = event(id, attempt.operationID, of: claims) else { return problem(404, "event_not_found") }
        if let over = over(event, now) { return over }
        if event.isVerified { return try answer(.verified, .valid, event) }
        let verification = SCA.Verification(attempt.verification)
        guard let value = attempt.value else {
            let reason: SCA.StatusReason =
                event.proved.contains(verification) ? .additionalFactorRequired : .notChallenged
            return try answer(.failed, reason, event)
        }
        guard event.challenged == verification else { return try answer(.failed, .notChallenged, event) }
        if verification.sendsCode, let end = event.codeExpiresAt, now >= end {
            return try answer(.failed, .codeExpired, event)
        }
        let isRight =
            verification == .deviceBiometric
            ? isSigned(value, event, id, now: now)
            : value.reveal() == event.consent.code
        guard isRight else {
            event.failed += 1
            events[id] = event
            return event.failed >= ConsentLimits.tries
                ? problem(409, "data_error", remainingAttempts: 0) : try answer(.failed, .invalidValue, event)
        }
        prove(verification, in: id)
        event.proved.append(verification)
        return event.isVerified
            ? try answer(.verified, .valid, event) : try answer(.failed, .additionalFactorRequired, event)
    }

    /// Ends an event that the person did not start, or no longer wants.
    mutating func consentRefusal(_ request: HTTPRequest, _ id: String, now: NumericDate) throws -> HTTPResponse {
        let claims = try authorize(request, now: now)
        let asked = try SCARefusalRequest(request.json)
        guard let event = event(id, asked.operationID, of: claims) else { return problem(404, "event_not_found") }
        if !event.isRefused, let over = over(event, now) { return over }
        events[id]?.isRefused = true
        events[id]?.isWithdrawn = asked.isWithdrawal
        return HTTPResponse(status: 204)
    }

    mutating func prove(_ verification: SCA.Verification, in id: String) {
        events[id]?.proved.append(verification)
        events[id]?.challenged = nil
    }

    /// Whether the enrolled device signed this event and its bytes. This server does not know the presence key: its
    /// signature must be there, but is not verified.
    private func isSigned(_ value: SCAValue, _ event: ConsentEvent, _ id: String, now: NumericDate) -> Bool {
        guard let text = try? SignedAssertion(value.reveal()), let presented = try? PresentedAssertion(text),
            let asked = event.deviceChallenge
        else { return false }
        return isSigned(text, event, id, by: presented.unverified.deviceID, asked.id, asked.nonce, now: now)
    }

    func isSigned(
        _ assertion: SignedAssertion, _ event: ConsentEvent, _ id: String, by signer: DeviceID,
        _ challenge: ChallengeID, _ nonce: Nonce, now: NumericDate
    ) -> Bool {
        guard let presented = try? PresentedAssertion(assertion), presented.unverified.deviceID == signer,
            let device = devices[signer], device.subject == event.subject, let issuer = try? Issuer(issuer),
            let account = try? AccountID(event.subject), let transaction = try? SCAEventID(id).transactionID
        else { return false }
        let verdict = presented.verdict(
            keys: AssertionKeys(device: device.key, seconds: device.key),
            for: PresentedAssertion.Expectation(
                audience: issuer, account: account, deviceID: signer, factor: .biometric,
                challengeID: challenge, nonce: nonce, act: .sca(transaction, .operation(event.payload))),
            now: now)
        return verdict == .wrongSecondFactor
    }

    private func event(
        _ id: String, _ operation: WalletOperationID, of claims: AccessTokenClaims
    ) -> ConsentEvent? {
        guard let event = events[id], event.subject == claims.subject, event.session == claims.sessionID,
            event.operationID == operation
        else { return nil }
        return event
    }

    func over(_ event: ConsentEvent, _ now: NumericDate) -> HTTPResponse? {
        if event.failed >= ConsentLimits.tries { return problem(409, "data_error", remainingAttempts: 0) }
        if event.isRefused { return problem(409, "data_error", refused: true) }
        return event.carriedOut > 0 || now >= event.expiresAt ? problem(409, "data_error") : nil
    }

    func answer(
        _ status: SCA.Status, _ reason: SCA.StatusReason, _ event: ConsentEvent
    ) throws -> HTTPResponse {
        .json(
            SCAAttemptResponse(
                status: status, reason: reason, remainingAttempts: Int64(max(0, ConsentLimits.tries - event.failed)),
                availableVerifications: reason == .additionalFactorRequired ? try wire(event.available) : []
            ).json)
    }

    private func wire(_ ways: [SCA.Verification]) throws -> [AvailableVerification] {
        try ways.map { AvailableVerification(try $0.wire, destination: $0.sendsCode ? "•••42" : nil) }
    }

    func problem(
        _ status: Int, _ code: String, remainingAttempts: Int? = nil, refused: Bool? = nil
    ) -> HTTPResponse {
        var problem = Problem(status: status, code: code, title: "Refused")
        problem.remainingAttempts = remainingAttempts
        problem.refused = refused
        return .json(problem.json, status: status)
    }
}
