import Foundation

/// A folder that is removed with its last owner, and at the latest when the process exits.
///
/// It is in memory where there is room. A server in a test waits for the disk at each commit, a hundred times and more, which takes longer
/// than everything else that the test does. Whether a commit reaches the disk is the subject of AuthStoreTests, which use the disk.
package final class TemporaryFolder: Sendable {
    private let url: URL

    package init() throws {
        url = ProcessFolder.inMemory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    package func path(_ name: String) -> String { url.appending(path: name).path }

    deinit { try? FileManager.default.removeItem(at: url) }
}
