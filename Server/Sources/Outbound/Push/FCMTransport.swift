package import Core
internal import WalletAuthWire

/// Sends pushes by Firebase Cloud Messaging, version 1 of its HTTP API.
package struct FCMTransport: MessageTransport {
    private let url: String
    private let access: FCMAccess
    private let http: GuardedHTTP

    private static let usualURL = "https://fcm.googleapis.com"
    /// Google asks to wait so long after a 429 that does not say how long.
    private static let usualWait = Duration.minutes(1)
    private static let longestLife: Int64 = 28 * 86_400

    /// - Parameters:
    ///   - url: of a substitute for Firebase, which also gives access tokens; `nil` for Google.
    ///   - http: as ``GuardedHTTP/multiplexing(policy:trustRoots:timeout:)`` makes it.
    package init(_ credentials: FCMCredentials, url: String? = nil, http: GuardedHTTP) {
        self.url = "\(url ?? Self.usualURL)/v1/projects/\(credentials.project)/messages:send"
        access = FCMAccess(credentials, at: url.map { "\($0)/token" } ?? credentials.tokenURL, http: http)
        self.http = http
    }

    /// - Throws: `CancellationError`.
    package func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome {
        guard let target = message.push else { return .refused("fcm: the message names no device") }
        let (content, size) = Self.content(of: message, target, now: now)
        guard size <= PushPayload.limit else { return .refused("fcm: the payload is too large") }
        do {
            let first = try await access.token(now: now)
            let answer = try await send(content, first)
            guard answer.status == 401 else { return answer.outcome }
            let second = try await access.token(otherThan: first, now: now)
            return try await send(content, second).outcome
        } catch is CancellationError {
            throw CancellationError()
        } catch let fault as OutboundFault {
            return .unavailable("fcm: \(fault)")
        } catch let refusal as FCMAccess.Refusal {
            return .unavailable(refusal.reason, retryAfter: refusal.retryAfter)
        } catch {
            return .unavailable("fcm: the assertion cannot be signed")
        }
    }

    /// Resolves the service's address, without sending anything.
    /// - Returns: the fault; `nil` if there is none.
    package func examine() async -> String? {
        await http.fault(of: url)
    }

    private func send(_ content: [UInt8], _ token: String) async throws -> Answer {
        Answer(
            try await http.answer(
                to: GuardedHTTP.Request(
                    method: "POST", url: url,
                    headers: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")],
                    body: content)))
    }

    /// The request's body, and the size of what reaches the phone.
    private static func content(
        of message: OutgoingMessage, _ target: PushTarget, now: Timestamp
    ) -> (bytes: [UInt8], size: Int) {
        let lifetime = max(0, min(longestLife, (message.expiresAt - now).wholeSeconds))
        let shown = JSONObject(strings: ["body": message.text])
        let data = JSONObject(strings: ["id": target.subject, "kind": target.subjectKind])
        var android = JSONObject()
        android.set("collapse_key", target.subject)
        android.set("priority", "HIGH")
        android.set("ttl", "\(lifetime)s")
        // For an app that gets its pushes on an iPhone by Firebase.
        var apns = JSONObject()
        apns["headers"] = .object(
            JSONObject(strings: [
                "apns-collapse-id": target.subject, "apns-expiration": String(message.expiresAt.seconds),
            ]))
        var content = JSONObject()
        content.set("token", message.recipient)
        content["notification"] = .object(shown)
        content["data"] = .object(data)
        content["android"] = .object(android)
        content["apns"] = .object(apns)
        var body = JSONObject()
        body["message"] = .object(content)
        return (body.bytes, shown.bytes.count + data.bytes.count)
    }

    /// An answer of Firebase.
    private struct Answer {
        let status: Int
        let code: Code?
        let retryAfter: Duration?

        /// The codes that decide; others are reported by their status alone.
        enum Code: String {
            case unregistered = "UNREGISTERED"
            case senderMismatch = "SENDER_ID_MISMATCH"
            case quotaExceeded = "QUOTA_EXCEEDED"
            case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
            case invalidArgument = "INVALID_ARGUMENT"
        }

        init(_ answer: GuardedHTTP.Answer) {
            status = answer.status
            retryAfter = answer.retryAfter
            let error = (try? JSONValue.object(parsing: answer.body))?["error"]?.object
            var codes: [String] = []
            for detail in error?["details"]?.array ?? [] {
                if let code = detail.object?["errorCode"]?.string { codes.append(code) }
            }
            code = codes.compactMap { Code(rawValue: $0) }.first
        }

        var outcome: DeliveryOutcome {
            let why = "fcm: \(code?.rawValue ?? String(status))"
            switch (status, code) {
            case (200, _): return .delivered
            case (404, .unregistered): return .unregistered(why)
            case (_, .senderMismatch): return .refused("\(why): the app registered with another project")
            case (400, _), (413, _): return .refused(why)
            // Concerns the iPhones among its tokens.
            case (_, .thirdPartyAuthError): return .postponed("\(why): check Apple's key in the Firebase project")
            case (401, _), (403, _):
                return .unavailable("\(why): check push.fcm.credentialsFile and the account's roles")
            case (404, _): return .unavailable("\(why): check the project in push.fcm.credentialsFile")
            // It may be the device that got too many.
            case (_, .quotaExceeded): return .postponed(why, retryAfter: retryAfter ?? FCMTransport.usualWait)
            case (429, _): return .unavailable(why, retryAfter: retryAfter ?? FCMTransport.usualWait)
            case (500..., _): return .unavailable(why, retryAfter: retryAfter)
            default: return .postponed(why, retryAfter: retryAfter)
            }
        }
    }
}
