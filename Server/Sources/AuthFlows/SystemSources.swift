public import AuthCore
internal import Foundation

/// The machine's wall clock.
public struct SystemClock: Clock {
    /// The machine's wall clock.
    public init() {}

    /// The present moment.
    public func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// The operating system's cryptographically secure generator.
public struct SystemRandomBytes: RandomBytes {
    /// The operating system's generator.
    public init() {}

    /// - Parameter count: how many bytes are wanted.
    public func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
