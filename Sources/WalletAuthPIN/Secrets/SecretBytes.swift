import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// Bytes that are overwritten when nobody holds them any more. They never change, and never grow into a second place in
/// memory as an array would.
///
/// What the cryptographic library copies for itself is its own to clear: BoringSSL and CryptoKit do so for keys, not for
/// every intermediate value.
final class SecretBytes: Sendable {
    let count: Int
    // Written in the initializers alone, and let go with the object.
    private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

    /// Takes some bytes; the source stays as it is.
    convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { memory in memory.copyBytes(from: bytes) }
    }

    /// Takes what is written into fresh, zeroed memory.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        self.count = count
        memory = .allocate(byteCount: count, alignment: 16)
        if let start = memory.baseAddress { start.initializeMemory(as: UInt8.self, repeating: 0, count: count) }
        do { try fill(memory) } catch {
            // No deinitializer runs for what was never made.
            Self.release(memory)
            throw error
        }
    }

    deinit { Self.release(memory) }

    private static func release(_ memory: UnsafeMutableRawBufferPointer) {
        overwrite(memory)
        memory.deallocate()
    }

    /// Writes zeros that no optimizer may leave out.
    static func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress, memory.count > 0 else { return }
        #if canImport(Darwin)
            _ = memset_s(start, memory.count, 0, memory.count)
        #else
            explicit_bzero(start, memory.count)
        #endif
    }

    /// Lends the bytes for the time of a call.
    func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(memory)) }
    }

    /// Lends the bytes as `Data` over this very memory. It must not be kept.
    func withData<T>(_ body: (Data) throws -> T) rethrows -> T {
        try withExtendedLifetime(self) {
            guard let start = memory.baseAddress else { return try body(Data()) }
            return try body(Data(bytesNoCopy: start, count: count, deallocator: .none))
        }
    }

    /// One behind the other, in memory that is cleared as well.
    static func joining(_ parts: SecretBytes...) -> SecretBytes {
        SecretBytes(count: parts.reduce(0) { $0 + $1.count }) { memory in
            var offset = 0
            for part in parts {
                part.withBytes { UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).copyMemory(from: $0) }
                offset += part.count
            }
        }
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
