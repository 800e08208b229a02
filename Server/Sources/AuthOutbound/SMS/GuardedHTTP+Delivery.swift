extension GuardedHTTP {
    /// Posts a message.
    /// - Parameters:
    ///   - request: the post.
    ///   - name: what the receiver is called in reasons.
    /// - Throws: `CancellationError`.
    func outcome(of request: Request, named name: String) async throws -> DeliveryOutcome {
        do {
            let answer = try await answer(to: request)
            let reason = "\(name): \(answer.status)"
            switch answer.status {
            case 200..<300: return .delivered
            // Of this message, and not of us: it will not get better.
            case 400, 413, 422: return .refused(reason)
            default: return .postponed(reason, retryAfter: answer.header("Retry-After").flatMap(Self.delay))
            }
        } catch let fault as OutboundFault {
            return .postponed("\(name): \(fault)")
        }
    }

    /// Why a URL cannot be asked now; `nil` where it can.
    func fault(of url: String) async -> String? {
        do {
            try await examine(url)
            return nil
        } catch {
            return (error as? OutboundFault)?.description ?? "it was given up"
        }
    }

    /// Seconds; a date is not read, and the usual back-off holds then.
    private static func delay(_ text: String) -> Duration? {
        Int64(text).flatMap { (0...3600).contains($0) ? .seconds($0) : nil }
    }
}
