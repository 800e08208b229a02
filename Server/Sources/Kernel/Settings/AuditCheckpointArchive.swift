/// Stores checkpoints of the audit log where an attacker with write access to the database cannot change them.
package protocol AuditCheckpointArchive: Sendable {
    /// The file that ``append(_:)`` writes, for reading it back; `nil` if it cannot be read.
    var file: String? { get }

    /// Tells this archive from those of other processes on the same database, for operators.
    var name: String { get }

    var isEmpty: Bool { get }

    /// Appends a line. On return it has reached the disk.
    /// - Parameter line: a compact JWS: a checkpoint, or an endorsement of the key that signs the next ones.
    /// - Throws: ``AuditArchiveFailure`` if the line cannot be stored; the caller offers it again.
    func append(_ line: String) async throws
}

extension AuditCheckpointArchive {
    package var name: String { file ?? "" }
}

/// A checkpoint line could not be stored.
package struct AuditArchiveFailure: Error, Sendable, CustomStringConvertible {
    /// The cause and the remedy, for the operator.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
