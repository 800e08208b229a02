import Foundation

/// Detects that a file was changed or replaced.
package struct FileStamp: Equatable, Sendable {
    private let modified: Date?
    private let size: Int?
    private let inode: Int?

    /// - Parameter path: of the file, which may be missing.
    package init(path: String) {
        // Resolved first, because certificate tools renew by changing the target of a symbolic link.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        modified = attributes?[.modificationDate] as? Date
        size = attributes?[.size] as? Int
        inode = attributes?[.systemFileNumber] as? Int
    }
}
