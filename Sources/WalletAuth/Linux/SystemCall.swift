#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A call to the kernel that failed.
    struct SystemCallFailure: Error {
        /// The call.
        let call: String
        /// Its `errno`.
        let number: Int32

        /// What the C library says about it.
        var text: String { String(cString: strerror(number)) }

        /// Runs a call again for as long as a signal interrupts it.
        /// - Returns: what the call returned, never -1.
        @discardableResult
        static func check<Answer: SignedInteger>(
            _ call: String, _ body: () -> Answer
        ) throws(SystemCallFailure) -> Answer {
            while true {
                let answer = body()
                if answer != -1 { return answer }
                let number = errno
                if number != EINTR { throw SystemCallFailure(call: call, number: number) }
            }
        }
    }

    extension SystemCallFailure {
        /// Runs a call that may fail for one reason which is no trouble.
        /// - Parameter number: the `errno` of that reason.
        /// - Returns: what the call returned, nil when it failed for that reason.
        @discardableResult
        static func check<Answer: SignedInteger>(
            _ call: String, expecting number: Int32, _ body: () -> Answer
        ) throws(SystemCallFailure) -> Answer? {
            while true {
                let answer = body()
                if answer != -1 { return answer }
                let failure = SystemCallFailure(call: call, number: errno)
                if failure.number == number { return nil }
                if failure.number != EINTR { throw failure }
            }
        }
    }

    /// An open file or socket, closed when nobody refers to it any more. None is inherited by a program that is started.
    final class OpenFile: Sendable {
        /// The kernel's number for it.
        let descriptor: Int32

        /// Takes over a descriptor.
        init(_ descriptor: Int32) { self.descriptor = descriptor }

        /// Opens a path, below a folder where one is given.
        init(_ path: String, in folder: OpenFile? = nil, flags: Int32, mode: mode_t = 0) throws(SystemCallFailure) {
            descriptor = try SystemCallFailure.check("open") {
                openat(folder?.descriptor ?? AT_FDCWD, path, flags | O_CLOEXEC, mode)
            }
        }

        /// Opens a path, below a folder where one is given.
        /// - Returns: nil when there is no such thing.
        static func ifThere(
            _ path: String, in folder: OpenFile? = nil, flags: Int32
        ) throws(SystemCallFailure) -> OpenFile? {
            try SystemCallFailure.check("open", expecting: ENOENT) {
                openat(folder?.descriptor ?? AT_FDCWD, path, flags | O_CLOEXEC)
            }.map(OpenFile.init)
        }

        deinit { close(descriptor) }

        /// Makes reading return at once, and keeps programs that are started from having it.
        func neverBlockNorInherit() throws(SystemCallFailure) {
            try SystemCallFailure.check("fcntl") { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            let flags = try SystemCallFailure.check("fcntl") { fcntl(descriptor, F_GETFL) }
            try SystemCallFailure.check("fcntl") { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        }

        /// What the kernel knows about it.
        func status() throws(SystemCallFailure) -> stat {
            var status = stat()
            try SystemCallFailure.check("fstat") { fstat(descriptor, &status) }
            return status
        }

        /// Reads to the end, or to one byte more than `limit`.
        func readAll(limit: Int) throws(SystemCallFailure) -> [UInt8] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while bytes.count <= limit {
                let count = try SystemCallFailure.check("read") { read(descriptor, &buffer, buffer.count) }
                if count == 0 { break }
                bytes += buffer[..<count]
            }
            return bytes
        }

        /// Writes everything.
        func writeAll(_ bytes: [UInt8]) throws(SystemCallFailure) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = try SystemCallFailure.check("write") {
                    rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                }
                rest = rest.dropFirst(count)
            }
        }

        /// Waits until what was written, or the names in a folder, are on the disk.
        func synchronize() throws(SystemCallFailure) {
            try SystemCallFailure.check("fsync") { fsync(descriptor) }
        }
    }
#endif
