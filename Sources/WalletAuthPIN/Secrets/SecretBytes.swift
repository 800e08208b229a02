import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// Bytes that are overwritten when the last reference is released. They never change, and are never copied by growing
/// as an array would be.
///
/// The cryptographic library must clear its own copies: BoringSSL and CryptoKit do so for keys, but not for every
/// intermediate value.
final class SecretBytes: Sendable {
    let count: Int
    // Written only in the initializers, and freed with the object.
    private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

    /// Copies bytes. The source is not cleared.
    convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { memory in memory.copyBytes(from: bytes) }
    }

    /// Creates bytes by writing into new, zeroed memory.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        self.count = count
        memory = .allocate(byteCount: count, alignment: 16)
        if let start = memory.baseAddress { start.initializeMemory(as: UInt8.self, repeating: 0, count: count) }
        do { try fill(memory) } catch {
            // No deinitializer runs if the initializer throws.
            Self.release(memory)
            throw error
        }
    }

    deinit { Self.release(memory) }

    private static func release(_ memory: UnsafeMutableRawBufferPointer) {
        overwrite(memory)
        memory.deallocate()
    }

    /// Writes zeros in a way that the optimizer must not remove.
    static func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress, memory.count > 0 else { return }
        #if canImport(Darwin)
            _ = memset_s(start, memory.count, 0, memory.count)
        #else
            explicit_bzero(start, memory.count)
        #endif
    }

    /// Borrows the bytes for the duration of a call.
    func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(memory)) }
    }

    /// Borrows the bytes as `Data` over the same memory. The closure must not keep it.
    func withData<T>(_ body: (Data) throws -> T) rethrows -> T {
        try withExtendedLifetime(self) {
            guard let start = memory.baseAddress else { return try body(Data()) }
            return try body(Data(bytesNoCopy: start, count: count, deallocator: .none))
        }
    }

    /// Concatenates bytes, into memory that is cleared as well.
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
