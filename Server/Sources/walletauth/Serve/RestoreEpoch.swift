#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The number of restores, kept in a file beside the database and never in it.
///
/// A restored database is older than what was acknowledged since: it would revive sessions that were ended and codes
/// that were used. The number tells the server that this happened, and it voids them.
struct RestoreEpoch {
    private let path: String

    init(database: DatabaseLocation) {
        path = database.path + ".epoch"
    }

    /// The number; 0 where nothing was ever restored.
    ///
    /// - Throws: `Refusal` where the file holds something else: to take that for 0 would revive what was ended.
    func read() throws(Refusal) -> Int64 {
        guard FileStatus(path: path) != nil else { return 0 }
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= 32,
            let epoch = Int64(String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }), epoch >= 0
        else {
            throw Refusal("\(path) cannot be read as a number: put the number of restores there, or a higher one")
        }
        return epoch
    }

    /// Raises the number, on the disk before it returns.
    func raise() throws(Refusal) {
        let next = try read() + 1
        do {
            try DurableFile.replace(path, with: Data("\(next)\n".utf8))
        } catch {
            throw Refusal("\(path) cannot be written: \(error)")
        }
    }
}
