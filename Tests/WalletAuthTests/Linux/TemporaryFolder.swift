#if os(Linux)
    import Foundation

    /// A folder of a test's own, removed with everything in it when the test ends.
    final class TemporaryFolder: Sendable {
        let url: URL

        init() throws {
            url = FileManager.default.temporaryDirectory.appendingPathComponent("wallet-auth-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        /// The folder that a store in it is given: not there yet.
        var store: URL { url.appendingPathComponent("home/store") }

        func mode(_ path: String) throws -> Int? {
            let attributes = try FileManager.default.attributesOfItem(atPath: store.appendingPathComponent(path).path)
            return (attributes[.posixPermissions] as? NSNumber)?.intValue
        }

        func names() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: store.path))
        }
    }
#endif
