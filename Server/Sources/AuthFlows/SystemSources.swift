package import AuthCore
internal import Foundation

/// The machine's wall clock.
package struct SystemClock: Clock {
    /// The machine's wall clock.
    package init() {}

    /// The present moment.
    package func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// The operating system's cryptographically secure generator.
package struct SystemRandomBytes: RandomBytes {
    /// The operating system's generator.
    package init() {}

    /// - Parameter count: how many bytes are wanted.
    package func bytes(_ count: Int) -> [UInt8] {
        // In one piece: the standard library's generator asks the kernel for eight bytes at a time.
        let whole = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = count <= 256 && getentropy(buffer.baseAddress, count) == 0 ? count : 0
        }
        return whole.count == count ? whole : pieces(count)
    }

    /// For more bytes than the kernel gives at once, or where it would not.
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
