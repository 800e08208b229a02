internal import Foundation
internal import Synchronization

/// The memory that password hashes are computed in: 19 MiB each, in large pages, kept from one hash to the next only while
/// another is being computed.
///
/// Fresh memory comes page by page, which costs a third of the hash itself; kept memory would stand by for nothing when
/// nobody signs in. So whoever is the last to finish gives all of it back to the system.
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
    /// A large page: the kernel gives them only where one fits.
    private static let alignment = 2 << 20

    /// Takes memory for one hash. The answer is the library's: zero for success, and nothing else is done with it.
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
            // Advice: where the kernel has no large pages to give, it is slower and nothing else.
            _ = madvise(fresh, size, MADV_HUGEPAGE)
        #endif
        pointer?.pointee = fresh.assumingMemoryBound(to: UInt8.self)
        return 0
    }

    /// Gives back what one hash was computed in; the library has wiped it.
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
