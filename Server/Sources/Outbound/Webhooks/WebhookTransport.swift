package import Core
package import WalletAuthWire

/// An event on its way to one receiver.
package struct WebhookRequest: Sendable {
    package var url: String
    /// The `webhook-id`: the same at each attempt.
    package var id: String
    package var body: [UInt8]
    /// The receiver's secret and, during a rotation, the one before it. Empty for a body that proves its origin itself.
    package var signatures: [WebhookSignature]
    package var contentType = "application/json"
    /// What proves to a client that its notification is this server's.
    package var bearer: ClientNotificationToken?

    package init(url: String, id: String, body: [UInt8], signatures: [WebhookSignature]) {
        self.url = url
        self.id = id
        self.body = body
        self.signatures = signatures
    }

    /// The notification of a client that waits for a person (OpenID CIBA Core 1.0 §10.2).
    package init(url: String, id: String, body: [UInt8], bearer: ClientNotificationToken) {
        self.init(url: url, id: id, body: body, signatures: [])
        self.bearer = bearer
    }

    /// A logout token for a client (OpenID Connect Back-Channel Logout 1.0 §2.5).
    package init(url: String, id: String, form: FormParameters) {
        self.url = url
        self.id = id
        body = Array(form.encoded.utf8)
        signatures = []
        contentType = "application/x-www-form-urlencoded"
    }
}

/// The result of an attempt. Reasons are codes and words of this program, never text from the receiver.
package enum WebhookOutcome: Sendable, Hashable {
    case delivered
    /// A later attempt may succeed. `retryAfter` is the receiver's request.
    case failed(String, retryAfter: Duration? = nil)
    /// The receiver works, and refuses this event (400, 409, 413, 422). A later attempt may succeed.
    case rejected(String, retryAfter: Duration? = nil)
    /// Nothing left this server, for a reason of its own, so nothing is known of the receiver.
    case notSent(String)
    /// The receiver wants no more webhooks (410).
    case gone
}

/// Posts events to their receivers.
package protocol WebhookTransport: Sendable {
    /// - Throws: only `CancellationError`, when the server stops. It is unknown whether the receiver got the event.
    func post(_ request: WebhookRequest, now: Timestamp) async throws -> WebhookOutcome

    /// Why a URL cannot be requested now; `nil` if it can. Nothing is sent.
    /// - Throws: only `CancellationError`.
    func fault(of url: String) async throws -> OutboundFault?
}

/// Posts to public addresses only, or to networks that the operator permits. Redirects are not followed.
///
/// It shares no connections and no threads with sign-ins, which would otherwise wait for receivers.
package struct GuardedWebhooks: WebhookTransport {
    let http: GuardedHTTP

    /// - Parameter policy: the addresses that may be reached.
    package init(policy: AddressPolicy, timeout: Duration = .seconds(10)) {
        self.init(policy: policy, timeout: timeout, resolver: .ofWebhooks)
    }

    init(policy: AddressPolicy, timeout: Duration, resolver: HostResolver) {
        // Nothing in an answer is read. A receiver that sends more is broken, or wants to keep the connection busy.
        http = GuardedHTTP(
            policy: policy, maximumBody: 64 * 1024, timeout: timeout, resolver: resolver, clients: .ofWebhooks)
    }

    package func post(_ request: WebhookRequest, now: Timestamp) async throws -> WebhookOutcome {
        let began = ContinuousClock.now
        let outcome = try await attempt(request, now: now)
        // The receiver has just closed a connection that was kept. It may have got the event, and recognizes it by its id.
        guard outcome == .failed(OutboundFault.broken.description), ContinuousClock.now - began < Self.moment else {
            return outcome
        }
        return try await attempt(request, now: now)
    }

    private static let moment = Duration.seconds(1)

    private func attempt(_ request: WebhookRequest, now: Timestamp) async throws -> WebhookOutcome {
        var headers =
            request.signatures.isEmpty
            ? []
            : WebhookSignature.headers(
                id: request.id, time: now.seconds, body: request.body, by: request.signatures)
        if let bearer = request.bearer { headers.append(("Authorization", "Bearer \(bearer.reveal())")) }
        do {
            let answer = try await http.answer(
                to: GuardedHTTP.Request(
                    method: "POST", url: request.url, headers: [("Content-Type", request.contentType)] + headers,
                    body: request.body))
            return switch answer.status {
            case 200..<300: .delivered
            case 410: .gone
            case 400, 409, 413, 422: .rejected("status \(answer.status)", retryAfter: answer.retryAfter)
            default: .failed("status \(answer.status)", retryAfter: answer.retryAfter)
            }
        } catch OutboundFault.tooManyLookups {
            return .notSent(OutboundFault.tooManyLookups.description)
        } catch let fault as OutboundFault {
            return .failed(fault.description)
        }
    }

    package func fault(of url: String) async throws -> OutboundFault? {
        do { try await http.examine(url) } catch let fault as OutboundFault { return fault }
        return nil
    }
}
