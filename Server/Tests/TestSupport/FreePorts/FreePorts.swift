import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ports of 127.0.0.1 for programs that have to know theirs before they start.
package enum FreePorts {
    package struct NoneFree: Error {}

    /// Below the ports that the system gives to outgoing connections. One of those could be taken between the choice and the start, or
    /// between a program's end and its restart.
    private static let range = 10_000..<32_768
    private static let last = Mutex(Int.random(in: range))

    /// A port on which nothing listens. No other caller in this process gets the same one.
    package static func next() throws -> Int {
        try last.withLock { last in
            for _ in range {
                last = range.contains(last + 1) ? last + 1 : range.lowerBound
                if isFree(last) { return last }
            }
            throw NoneFree()
        }
    }

    private static func isFree(_ port: Int) -> Bool {
        #if canImport(Glibc)
            let kind = CInt(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
