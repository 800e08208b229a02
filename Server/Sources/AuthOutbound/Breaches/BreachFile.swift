package import AuthCore
internal import Dispatch

/// A list on this machine: SHA-1 digests with their counts, ordered by digest, as the whole of Pwned Passwords can be
/// downloaded. It has tens of gigabytes, so it is searched where it lies, by some forty reads of a few hundred bytes.
package struct BreachFile: BreachSource {
    /// What the log and the metrics call it.
    package let name = "file"

    private let path: String
    /// A disk may take its time; the threads of others must not wait for it.
    private let queue = DispatchQueue(label: "walletauth.breaches", attributes: .concurrent)

    /// - Parameter path: the file's; it is opened for each search, so that another may take its place at any time.
    package init(path: String) {
        self.path = path
    }

    /// How often a password was found in breaches.
    /// - Throws: ``BreachFileFault``.
    package func count(of digest: BreachDigest) async throws -> Int {
        try await reading { try $0.count(of: Array(digest.hexadecimal.utf8)) }
    }

    /// What is wrong with the file: it is looked into at a thousand places.
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
    /// There is none, or it may not be read.
    case unreadable
    /// It has something in it that is no entry.
    case malformed
    /// Its entries are not in the order of their digests.
    case unordered
    /// It has no entry.
    case empty

    /// The end of the sentence "the file …".
    package var description: String {
        switch self {
        case .unreadable: "is not there, or cannot be read"
        case .malformed: "has lines that are not 40 hexadecimal digits, a colon and a count"
        case .unordered: "is not ordered by digest"
        case .empty: "has no entry"
        }
    }
}
