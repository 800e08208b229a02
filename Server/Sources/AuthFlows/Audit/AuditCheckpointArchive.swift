/// Where checkpoints of the audit record go: a place that whoever writes the database does not write.
public protocol AuditCheckpointArchive: Sendable {
    /// Adds a checkpoint behind those that are there; when this returns, it has reached the disk.
    ///
    /// - Parameter checkpoint: one line of text, a compact JWS.
    /// - Throws: where it cannot be kept; it is offered again.
    func append(_ checkpoint: String) throws
}
