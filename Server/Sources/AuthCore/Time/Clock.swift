/// Where the use cases read the time. Rules never do: they are given a `Timestamp`.
package protocol Clock: Sendable {
    /// The present moment by the wall clock, which may be moved; nothing here may assume that it only goes forward.
    func now() -> Timestamp
}

/// Where the use cases take unpredictable bytes from. Rules never do: they are given bytes.
package protocol RandomBytes: Sendable {
    /// - Parameter count: how many bytes are wanted.
    /// - Returns: bytes of a cryptographically secure generator.
    func bytes(_ count: Int) -> [UInt8]
}
