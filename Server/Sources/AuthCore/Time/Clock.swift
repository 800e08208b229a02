/// The time source of use cases. Rules never read it; they receive a `Timestamp`.
package protocol Clock: Sendable {
    /// The wall clock's time. It may be set back, so no code may assume that it only moves forward.
    func now() -> Timestamp
}

/// The source of unpredictable bytes for use cases. Rules never read it; they receive bytes.
package protocol RandomBytes: Sendable {
    /// Returns bytes of a cryptographically secure generator.
    func bytes(_ count: Int) -> [UInt8]
}
