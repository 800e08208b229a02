package import Core
internal import Foundation

package struct SystemClock: Clock {
    package init() {}

    package func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package func uptime() -> Duration {
        var time = timespec()
        #if os(Linux)
            // The monotonic clock stops while the machine is suspended.
            clock_gettime(CLOCK_BOOTTIME, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// The operating system's cryptographically secure generator.
package struct SystemRandomBytes: RandomBytes {
    package init() {}

    package func bytes(_ count: Int) -> [UInt8] {
        // In one call: the standard library's generator asks the kernel for eight bytes at a time.
        let whole = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = count <= 256 && getentropy(buffer.baseAddress, count) == 0 ? count : 0
        }
        return whole.count == count ? whole : pieces(count)
    }

    /// For requests larger than the kernel serves at once, and if that call fails.
    private func pieces(_ count: Int) -> [UInt8] {
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
