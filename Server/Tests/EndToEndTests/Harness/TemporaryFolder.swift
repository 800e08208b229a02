import Foundation

/// A folder of one test, gone afterwards. Its path is short: the address of a Unix socket holds 107 bytes.
struct TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        let name = "wa-" + String(UInt32.random(in: 0 ... .max), radix: 36)
        url = URL(filePath: "/tmp").appending(path: name)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}
