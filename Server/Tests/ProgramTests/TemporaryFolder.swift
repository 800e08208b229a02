import Foundation
import TestSupport

/// A folder of a test's own, gone with it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "walletauth-\(UUID().uuidString)")
        try Leftovers.ofThisProcess.get().add(folder: url.path)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String {
        url.appending(path: name).path(percentEncoded: false)
    }

    /// Writes a file with a mode and answers its path.
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let path = path(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}

/// A key as `head -c 32 /dev/urandom | base64` prints it.
let sampleMasterKey = "3q2+7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs="
