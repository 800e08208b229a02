package import AuthCore

/// Asks a service for a range of its list, as the API of Pwned Passwords has it: five of the digest's forty digits go out,
/// everything that begins with them comes back, and is searched here. So the service does not learn which password it was
/// (k-anonymity); with padding, the answer's length does not tell which range either.
package struct BreachRange: BreachSource {
    /// What the log and the metrics call it.
    package let name = "url"

    private let base: String
    private let http: GuardedHTTP

    /// - Parameters:
    ///   - base: the service's URL; `range/` and five digits are put behind it.
    ///   - http: how it is asked: where it may be, how long it may take and how much it may say.
    package init(base: String, http: GuardedHTTP) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.http = http
    }

    /// How often a password was found in breaches.
    /// - Throws: ``OutboundFault``, or `CancellationError` where the task was cancelled.
    package func count(of digest: BreachDigest) async throws -> Int {
        let answer = try await http.answer(
            to: GuardedHTTP.Request(
                url: "\(base)/range/\(digest.prefix)",
                headers: [("Accept", "text/plain"), ("Add-Padding", "true"), ("User-Agent", "walletauth")]))
        guard answer.status == 200 else { throw OutboundFault.status(answer.status) }
        return try Self.count(of: Array(digest.suffix.utf8), in: answer.body)
    }

    /// What is wrong with the service; asked for the range of a digest that is nobody's secret.
    package func examine() async -> String? {
        do {
            _ = try await count(of: BreachDigest("password"))
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Every line has to be an entry: a page that some box on the way puts in the place of the answer is no "not found".
    private static func count(of suffix: [UInt8], in body: [UInt8]) throws -> Int {
        let lines = body.split(separator: UInt8(ascii: "\n")).map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        guard !lines.isEmpty else { throw OutboundFault.broken }
        // Padding has entries of its own, with the count 0.
        return try lines.reduce(0) { found, line in
            guard let entry = BreachEntry(line, digits: suffix.count) else { throw OutboundFault.broken }
            return entry.digits == suffix ? max(found, entry.count) : found
        }
    }
}
