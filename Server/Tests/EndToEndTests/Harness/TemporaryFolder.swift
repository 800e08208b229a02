import Foundation
import TestSupport

/// A folder of one test, gone afterwards. Its path is short: the address of a Unix socket holds 107 bytes.
struct TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        let name = "wa-" + String(UInt32.random(in: 0 ... .max), radix: 36)
        url = URL(filePath: "/tmp").appending(path: name)
        try Leftovers.ofThisProcess.get().add(folder: url.path)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}

extension TemporaryFolder {
    /// Writes a master key into the folder, as production needs one.
    /// - Returns: the path of its file.
    func writeMasterKey() throws -> String {
        let path = url.appending(path: "key").path
        let bytes = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        try Data((bytes.base64EncodedString() + "\n").utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }
}
