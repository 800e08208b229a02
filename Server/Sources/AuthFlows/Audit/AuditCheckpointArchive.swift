/// Where checkpoints of the audit log go: a place that whoever writes the database does not write.
package protocol AuditCheckpointArchive: Sendable {
    /// The file that ``append(_:)`` writes, for reading it back; `nil` where there is none to read.
    var file: String? { get }

    /// Whether it has no line yet.
    var isEmpty: Bool { get }

    /// Adds a line behind those that are there; when this returns, it has reached the disk.
    ///
    /// - Parameter line: a checkpoint, or an endorsement of the key that signs the next ones: a compact JWS.
    /// - Throws: ``AuditArchiveFailure`` where it cannot be kept; it is offered again.
    func append(_ line: String) throws
}

/// A line could not be added to the checkpoints.
package struct AuditArchiveFailure: Error, Sendable, CustomStringConvertible {
    /// What happened and what to do, for the operator.
    package let description: String

    /// - Parameter description: what happened and what to do.
    package init(_ description: String) {
        self.description = description
    }
}
