#if os(Linux)
    import Foundation

    /// A folder that only its owner writes to, with crash-safe file operations.
    struct PrivateFolder: Sendable {
        /// The progress of a replacement.
        enum Step: Sendable, CaseIterable {
            /// The new contents are written, but perhaps not on disk yet.
            case written
            /// The new contents are on disk under a temporary name.
            case synchronized
            /// The new contents have the final name.
            case renamed
        }

        /// The largest file that is read.
        static let maximumBytes = 1 << 20

        let file: OpenFile

        /// Opens the folder.
        /// - Returns: nil if there is none.
        static func open(_ path: String) throws -> PrivateFolder? {
            guard let file = try OpenFile.ifThere(path, flags: O_RDONLY | O_DIRECTORY) else { return nil }
            let status = try file.status()
            guard status.st_uid == geteuid() else {
                throw SecureStoreFailure(.denied, reason: "\(path) belongs to another user")
            }
            guard status.st_mode & 0o022 == 0 else {
                throw SecureStoreFailure(
                    .denied, reason: "other users may write to \(path); fix it with: chmod 700 \(path)")
            }
            return PrivateFolder(file: file)
        }

        /// Opens the folder. Creates it and its missing parents with mode 0700.
        static func openOrCreate(_ path: String) throws -> PrivateFolder {
            if let folder = try open(path) { return folder }
            try create(path)
            guard let folder = try open(path) else { throw SystemCallFailure(call: "open", number: ENOENT) }
            return folder
        }

        private static func create(_ path: String) throws {
            let parent = (path as NSString).deletingLastPathComponent
            if !parent.isEmpty, parent != path, access(parent, F_OK) != 0 { try create(parent) }
            guard try SystemCallFailure.check("mkdir", expecting: EEXIST, { mkdir(path, 0o700) }) != nil else { return }
            // The folder's own entry must survive a crash too.
            try OpenFile(parent.isEmpty ? "." : parent, flags: O_RDONLY | O_DIRECTORY).synchronize()
        }

        /// Returns the contents of a file, or nil if there is none.
        func read(_ name: String) throws -> [UInt8]? {
            guard let file = try OpenFile.ifThere(name, in: file, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
                return nil
            }
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw SecureStoreFailure(.damaged, reason: "\(name) is not a file")
            }
            guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
                throw SecureStoreFailure(
                    .denied, reason: "\(name) is open to other users; fix it with: chmod 600 \(name)")
            }
            let bytes = try file.readAll(limit: Self.maximumBytes)
            guard bytes.count <= Self.maximumBytes else {
                throw SecureStoreFailure(.damaged, reason: "\(name) is too large")
            }
            return bytes
        }

        /// Replaces the contents of a file, or creates it. Readers, also after a crash at any moment, see either the
        /// old or the new contents in full.
        ///
        /// Writers exclude each other: the caller holds the folder's writing lock.
        /// - Parameter reached: called after each step.
        func replace(_ name: String, with bytes: [UInt8], reached: (Step) -> Void) throws {
            let draft = Self.draft(of: name)
            do {
                // A draft of a killed process is worthless: its write was never acknowledged.
                try unlink(draft)
                let file = try OpenFile(draft, in: file, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
                try file.writeAll(bytes)
                reached(.written)
                try file.synchronize()
                reached(.synchronized)
                try SystemCallFailure.check("rename") {
                    renameat(self.file.descriptor, draft, self.file.descriptor, name)
                }
            } catch {
                try? unlink(draft)
                throw error
            }
            reached(.renamed)
            try file.synchronize()
        }

        /// Creates a new file, in full or not at all.
        /// - Returns: false if the file already exists; it is left as is.
        func create(_ name: String, with bytes: [UInt8]) throws -> Bool {
            let draft = Self.draft(of: name)
            try unlink(draft)
            defer { try? unlink(draft) }
            let file = try OpenFile(draft, in: file, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            try file.writeAll(bytes)
            try file.synchronize()
            // Unlike a rename, a link never replaces an existing file.
            let linked = try SystemCallFailure.check("link", expecting: EEXIST) {
                linkat(self.file.descriptor, draft, self.file.descriptor, name, 0)
            }
            guard linked != nil else { return false }
            try self.file.synchronize()
            return true
        }

        /// Removes a file, and any draft that a killed process left.
        func remove(_ name: String) throws {
            try unlink(name)
            try unlink(Self.draft(of: name))
            try file.synchronize()
        }

        private func unlink(_ name: String) throws(SystemCallFailure) {
            try SystemCallFailure.check("unlink", expecting: ENOENT) { unlinkat(file.descriptor, name, 0) }
        }

        private static func draft(of name: String) -> String { name + ".new" }
    }
#endif
