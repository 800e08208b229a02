/// Queries a service for a range of its list, with the API of Pwned Passwords.
///
/// Five of the digest's forty digits are sent. The service returns all entries that begin with them, and the search
/// happens here, so that it does not learn which password it was (k-anonymity). With padding, the length of the answer
/// does not reveal the range either.
package struct BreachRange: BreachSource {
    package let name = "url"

    private let base: String
    private let http: GuardedHTTP

    /// - Parameters:
    ///   - base: the service's URL; `range/` and five digits are appended.
    ///   - http: with the limits of addresses, time and size.
    package init(base: String, http: GuardedHTTP) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.http = http
    }

    /// - Throws: ``OutboundFault``, or `CancellationError` if the task was cancelled.
    package func count(of digest: BreachDigest) async throws -> Int {
        let answer = try await http.answer(
            to: GuardedHTTP.Request(
                url: "\(base)/range/\(digest.prefix)",
                headers: [("Accept", "text/plain"), ("Add-Padding", "true"), ("User-Agent", "walletauth")]))
        guard answer.status == 200 else { throw OutboundFault.status(answer.status) }
        return try Self.count(of: Array(digest.suffix.utf8), in: answer.body)
    }

    /// Requests the range of a well-known password.
    package func examine() async -> String? {
        do {
            _ = try await count(of: BreachDigest("password"))
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Every line has to be an entry: a page that a proxy returns instead of the answer does not mean "not found".
    private static func count(of suffix: [UInt8], in body: [UInt8]) throws -> Int {
        let lines = body.split(separator: UInt8(ascii: "\n")).map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        guard !lines.isEmpty else { throw OutboundFault.broken }
        // Padding consists of entries with the count 0.
        return try lines.reduce(0) { found, line in
            guard let entry = BreachEntry(line, digits: suffix.count) else { throw OutboundFault.broken }
            return entry.digits == suffix ? max(found, entry.count) : found
        }
    }
}
