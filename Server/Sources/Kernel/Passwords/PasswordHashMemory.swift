internal import Foundation
internal import Synchronization

/// The memory for our password hashes: 19 MiB each, in large pages, reused only while another hash is being computed.
///
/// The kernel provides fresh memory page by page, which costs a third of the hash itself. Unused memory would be wasted when no one
/// signs in, so the last hash to finish returns all of it to the system.
enum PasswordHashMemory {
    private struct Block {
        var address: UInt
        var size: Int
    }

    private struct State {
        var computing = 0
        var idle: [Block] = []
    }

    private static let state = Mutex(State())
    /// The size of a large page; the kernel uses one only if the block is aligned to it.
    private static let alignment = 2 << 20

    /// Takes memory for one hash. The result is the library's status code: zero for success.
    static func take(_ size: Int, into pointer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32 {
        let kept = state.withLock { state -> Block? in
            state.computing += 1
            guard let index = state.idle.firstIndex(where: { $0.size == size }) else { return nil }
            return state.idle.remove(at: index)
        }
        if let kept {
            pointer?.pointee = UnsafeMutablePointer(bitPattern: kept.address)
            return 0
        }
        var fresh: UnsafeMutableRawPointer?
        guard posix_memalign(&fresh, alignment, size) == 0, let fresh else {
            state.withLock { $0.computing -= 1 }
            return -1
        }
        #if os(Linux)
            // Only a hint: without large pages it is just slower.
            _ = madvise(fresh, size, MADV_HUGEPAGE)
        #endif
        pointer?.pointee = fresh.assumingMemoryBound(to: UInt8.self)
        return 0
    }

    /// Whether memory of this size waits to be reused.
    static func isIdle(_ size: Int) -> Bool { state.withLock { $0.idle.contains { $0.size == size } } }

    /// Returns the memory of one hash. The library has already wiped it.
    static func give(_ pointer: UnsafeMutablePointer<UInt8>?, _ size: Int) {
        guard let pointer else { return }
        let unneeded = state.withLock { state -> [Block] in
            state.computing -= 1
            state.idle.append(Block(address: UInt(bitPattern: pointer), size: size))
            guard state.computing == 0 else { return [] }
            defer { state.idle = [] }
            return state.idle
        }
        for block in unneeded { free(UnsafeMutableRawPointer(bitPattern: block.address)) }
    }
}
