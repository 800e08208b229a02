package import Core
internal import WalletAuthWire

/// Sends pushes by Apple's service: HTTP/2, all over one connection, authenticated by a provider token.
package struct APNsTransport: MessageTransport {
    private let token: APNsProviderToken
    private let topic: String?
    private let url: String?
    private let http: GuardedHTTP

    /// - Parameters:
    ///   - topic: the app's id at Apple; `nil` if each client has its own.
    ///   - url: of a substitute for Apple's service; `nil` for Apple.
    ///   - http: as ``GuardedHTTP/multiplexing(policy:trustRoots:timeout:)`` makes it.
    package init(_ key: APNsKey, topic: String?, url: String? = nil, http: GuardedHTTP) {
        token = APNsProviderToken(key)
        self.topic = topic
        self.url = url
        self.http = http
    }

    /// - Throws: `CancellationError`.
    package func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome {
        guard let target = message.push else { return .refused("apns: the message names no device") }
        guard let topic = target.topic ?? topic else {
            return .postponed("apns: the app has no topic: set push.apns.topic, or the client's --push-topic")
        }
        let payload = Self.payload(of: message, target)
        guard payload.count <= PushPayload.limit else { return .refused("apns: the payload is too large") }
        do {
            let first = try token.current(now: now)
            let request = request(message, target, topic: topic, payload)
            let answer = APNsAnswer(try await http.answer(to: request(first)))
            guard answer.reason == .expiredProviderToken, let second = try token.renewed(after: first, now: now) else {
                return answer.outcome
            }
            return APNsAnswer(try await http.answer(to: request(second))).outcome
        } catch is CancellationError {
            throw CancellationError()
        } catch let fault as OutboundFault {
            return .unavailable("apns: \(fault)")
        } catch {
            return .unavailable("apns: the provider token cannot be signed")
        }
    }

    /// Resolves the service's address, without sending anything.
    /// - Returns: the fault; `nil` if there is none.
    package func examine() async -> String? {
        await http.fault(of: base(isDevelopment: false))
    }

    private func base(isDevelopment: Bool) -> String {
        url ?? (isDevelopment ? "https://api.sandbox.push.apple.com" : "https://api.push.apple.com")
    }

    private static func payload(of message: OutgoingMessage, _ target: PushTarget) -> [UInt8] {
        var alert = JSONObject()
        alert.set("body", message.text)
        var aps = JSONObject()
        aps["alert"] = .object(alert)
        aps.set("sound", "default")
        var payload = JSONObject()
        payload["aps"] = .object(aps)
        payload.set("id", target.subject)
        payload.set("kind", target.subjectKind)
        return payload.bytes
    }

    private func request(
        _ message: OutgoingMessage, _ target: PushTarget, topic: String, _ payload: [UInt8]
    ) -> (APNsProviderToken.Token) -> GuardedHTTP.Request {
        let url = "\(base(isDevelopment: target.isDevelopment))/3/device/\(message.recipient)"
        return { token in
            GuardedHTTP.Request(
                method: "POST", url: url,
                headers: [
                    ("authorization", "bearer \(token.text)"), ("apns-topic", topic), ("apns-push-type", "alert"),
                    ("apns-priority", "10"), ("apns-expiration", String(message.expiresAt.seconds)),
                    ("apns-collapse-id", target.subject), ("apns-id", message.id), ("content-type", "application/json"),
                ],
                body: payload)
        }
    }
}

extension GuardedHTTP {
    /// For services that are asked often, over one connection.
    package static func multiplexing(
        policy: AddressPolicy, trustRoots: TrustRoots = .system, timeout: Duration
    ) -> GuardedHTTP {
        GuardedHTTP(
            policy: policy, trustRoots: trustRoots, maximumBody: 64 * 1024, timeout: timeout, isMultiplexed: true)
    }
}
