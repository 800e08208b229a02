internal import Dispatch

/// A list on this machine: SHA-1 digests with their counts, ordered by digest, as in the download of Pwned Passwords.
/// It has tens of gigabytes, so it is searched in the file, with some forty reads of a few hundred bytes.
package struct BreachFile: BreachSource {
    package let name = "file"

    private let path: String
    /// A disk may be slow, and other threads must not wait for it.
    private let queue = DispatchQueue(label: "walletauth.breaches", attributes: .concurrent)

    /// - Parameter path: opened for each search, so that the file can be replaced at any time.
    package init(path: String) {
        self.path = path
    }

    /// - Throws: ``BreachFileFault``.
    package func count(of digest: BreachDigest) async throws -> Int {
        try await reading { try $0.count(of: Array(digest.hexadecimal.utf8)) }
    }

    /// Checks the file at a thousand places.
    package func examine() async -> String? {
        do {
            try await reading { try $0.examine() }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func reading<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing BreachFileReader) throws -> Value
    ) async throws -> Value {
        let path = path
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try body(try BreachFileReader(path: path)) })
            }
        }
    }
}

/// Why a list on this machine cannot be searched.
package enum BreachFileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// It does not exist or cannot be read.
    case unreadable
    /// It contains something other than entries.
    case malformed
    /// Its entries are not ordered by digest.
    case unordered
    case empty

    /// The rest of the sentence "the file …".
    package var description: String {
        switch self {
        case .unreadable: "does not exist or cannot be read"
        case .malformed: "has lines that are not 40 hexadecimal digits, a colon and a count"
        case .unordered: "is not ordered by hash"
        case .empty: "has no entries"
        }
    }
}
