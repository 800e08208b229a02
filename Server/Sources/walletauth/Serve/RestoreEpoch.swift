#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A number that the first start after each restore chooses, kept in a file next to the database and, as it was then, in the database.
///
/// A restored database is older than what was acknowledged since: it would revive sessions that were ended and codes
/// that were used. A database that does not know the file's number was put there since, and the server voids what it
/// would revive. The number is random and not a count: backups of a machine that restored before carry its count, and
/// another machine would arrive at the same one.
struct RestoreEpoch {
    private let path: String

    init(database: DatabaseLocation) {
        path = database.epochPath
    }

    /// The number; 0 where nothing was ever restored. Should the file get lost, the database knows another number than
    /// 0 and everybody signs in again: the safe side.
    ///
    /// - Throws: `Refusal` where the file holds something else.
    func read() throws(Refusal) -> Int64 {
        guard FileStatus(path: path) != nil else { return 0 }
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= 32,
            let epoch = Int64(String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }), epoch >= 0
        else {
            throw Refusal(
                "\(path) does not contain a number: write one there that it never contained; every session then ends")
        }
        return epoch
    }

    /// Chooses a new number, which is on the disk before this returns.
    func renew() throws(Refusal) {
        do {
            try DurableFile.replace(path, with: Data("\(Int64.random(in: 1...Int64.max))\n".utf8))
        } catch {
            throw Refusal("\(path) cannot be written: \(error)")
        }
    }
}
