extension GuardedHTTP {
    /// Posts a message.
    /// - Parameter name: the receiver's name in reasons.
    /// - Throws: `CancellationError`.
    func outcome(of request: Request, named name: String) async throws -> DeliveryOutcome {
        do {
            let answer = try await answer(to: request)
            let reason = "\(name): \(answer.status)"
            switch answer.status {
            case 200..<300: return .delivered
            // These statuses are about this message, so a retry does not help.
            case 400, 413, 422: return .refused(reason)
            // These are about the service, its address or our credentials.
            case 300..<400, 401, 403, 404, 405, 408, 500...:
                return .unavailable(reason, retryAfter: answer.retryAfter)
            default: return .postponed(reason, retryAfter: answer.retryAfter)
            }
        } catch let fault as OutboundFault {
            return .unavailable("\(name): \(fault)")
        }
    }

    /// Why a URL cannot be requested now; `nil` if it can.
    func fault(of url: String) async -> String? {
        do {
            try await examine(url)
            return nil
        } catch {
            return (error as? OutboundFault)?.description ?? "the attempt was cancelled"
        }
    }
}

extension GuardedHTTP.Answer {
    /// Seconds only. A date is ignored, and the usual back-off applies.
    var retryAfter: Duration? {
        header("Retry-After").flatMap { Int64($0) }.flatMap { (0...3600).contains($0) ? .seconds($0) : nil }
    }
}
