#if os(Linux)
    import Foundation

    /// A failed system call.
    package struct SystemCallFailure: Error {
        /// The name of the call.
        package let call: String
        /// Its `errno`.
        package let number: Int32

        /// Creates a failure.
        package init(call: String, number: Int32) {
            self.call = call
            self.number = number
        }

        /// The C library's description of the error.
        package var text: String { String(cString: strerror(number)) }

        /// Repeats a call while signals interrupt it.
        /// - Returns: the result of the call, never -1.
        @discardableResult
        package static func check<Answer: SignedInteger>(
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
        /// Runs a call for which one error is expected.
        /// - Parameter number: the expected `errno`.
        /// - Returns: the result of the call, or nil if it failed with the expected error.
        @discardableResult
        package static func check<Answer: SignedInteger>(
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

    /// An open file or socket. It closes with its last reference, and child processes do not inherit it.
    package final class OpenFile: Sendable {
        /// The file descriptor.
        package let descriptor: Int32

        /// Takes over a descriptor.
        package init(_ descriptor: Int32) { self.descriptor = descriptor }

        /// Opens a path, relative to a folder if one is given.
        init(_ path: String, in folder: OpenFile? = nil, flags: Int32, mode: mode_t = 0) throws(SystemCallFailure) {
            descriptor = try SystemCallFailure.check("open") {
                openat(folder?.descriptor ?? AT_FDCWD, path, flags | O_CLOEXEC, mode)
            }
        }

        /// Opens a path, relative to a folder if one is given.
        /// - Returns: nil if it does not exist.
        static func ifThere(
            _ path: String, in folder: OpenFile? = nil, flags: Int32
        ) throws(SystemCallFailure) -> OpenFile? {
            try SystemCallFailure.check("open", expecting: ENOENT) {
                openat(folder?.descriptor ?? AT_FDCWD, path, flags | O_CLOEXEC)
            }.map(OpenFile.init)
        }

        deinit { close(descriptor) }

        /// Makes reads non-blocking, and keeps child processes from inheriting the descriptor.
        package func neverBlockNorInherit() throws(SystemCallFailure) {
            try SystemCallFailure.check("fcntl") { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            let flags = try SystemCallFailure.check("fcntl") { fcntl(descriptor, F_GETFL) }
            try SystemCallFailure.check("fcntl") { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        }

        /// The file's status (`fstat`).
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

        func writeAll(_ bytes: [UInt8]) throws(SystemCallFailure) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = try SystemCallFailure.check("write") {
                    rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                }
                rest = rest.dropFirst(count)
            }
        }

        /// Waits until the contents, or a folder's entries, are on disk (`fsync`).
        func synchronize() throws(SystemCallFailure) {
            try SystemCallFailure.check("fsync") { fsync(descriptor) }
        }
    }
#endif
