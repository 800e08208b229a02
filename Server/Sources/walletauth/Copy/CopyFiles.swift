import Kernel
import Operations
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files that belong to a database and are not in it: they have to be next to the copy as well.
struct CopyFiles: Sendable {
    let source: DatabaseLocation
    let destination: DatabaseLocation
    let masterKey: MasterKeySource
    /// The configured file of the audit log's checkpoints.
    let checkpoints: String

    init(_ configuration: ServerConfiguration, to destination: DatabaseLocation) {
        source = configuration.database
        self.destination = destination
        masterKey = configuration.masterKey
        checkpoints = configuration.auditCheckpoints
    }

    /// Whether the checkpoints are next to the source. A configured file serves both databases.
    private var checkpointsMove: Bool { checkpoints == source.checkpointsPath }

    /// The file of the checkpoints that the copy is verified with.
    var copiedCheckpoints: String { checkpointsMove ? destination.checkpointsPath : checkpoints }

    /// The sandbox's own key; `nil` for one that an operator keeps.
    private var generatedKey: String? {
        guard case .generated(let path) = masterKey else { return nil }
        return path
    }

    /// What is copied as it is.
    private var copied: [(from: String, to: String)] {
        var files: [(from: String, to: String)] = []
        if checkpointsMove { files.append((source.checkpointsPath, destination.checkpointsPath)) }
        if let generatedKey { files.append((generatedKey, destination.generatedMasterKeyPath)) }
        return files
    }

    /// Refuses a source without its key. Reading the key would generate one, which opens nothing.
    ///
    /// - Throws: `Refusal`.
    func requireMasterKey() throws(Refusal) {
        guard let generatedKey, FileStatus(path: generatedKey) == nil else { return }
        throw Refusal(
            "there is no master key at \(generatedKey): put the key's file back, or set the key with "
                + Settings.masterKeyFile.spellings)
    }

    /// Refuses files at the destination that belong to another database.
    ///
    /// - Parameter epoch: the source's.
    /// - Throws: `Refusal`.
    func requirePlace(epoch: Int64) throws(Refusal) {
        for (from, to) in copied where (FileStatus(path: to)?.size ?? 0) > 0 {
            guard FileManager.default.contentsEqual(atPath: from, andPath: to) else { throw taken(to) }
        }
        if destination.isPostgreSQL {
            // Of a database that was served from this folder: the copy would look older than that one.
            guard FileStatus(path: destination.marksPath) == nil else { throw taken(destination.marksPath) }
            return
        }
        guard FileStatus(path: destination.epochPath) != nil else { return }
        guard try RestoreEpoch(database: destination).read() == epoch else { throw taken(destination.epochPath) }
    }

    private func taken(_ path: String) -> Refusal {
        Refusal("\(path) belongs to another database: move it away, or choose another folder")
    }

    /// The restore epoch that the source was last opened with; 0 if it was never restored, or never opened.
    ///
    /// - Throws: `Refusal` if the source was restored and no server has opened it since.
    func epoch(of database: any Database) async throws -> Int64 {
        let recorded = try await Restoration.recordedEpoch(of: database)
        // PostgreSQL has it only in the database.
        let kept = source.isPostgreSQL ? nil : try RestoreEpoch(database: source).read()
        if let recorded, let kept, recorded != kept { throw CopyRefusal.sourceIsRestored }
        return recorded ?? kept ?? 0
    }

    /// Refuses a database that lacks what this machine has seen of it: nothing has revoked what a restore brought back, and the copy
    /// would have no marks to notice it by.
    ///
    /// - Throws: `Refusal`, or `CopyRefusal.sourceIsRestored`.
    func requireCurrent(_ database: any Database) async throws {
        guard source.isPostgreSQL else {
            let verdict = try await OwnedDatabase.fileVerdict(on: database, at: source)
            guard verdict == .current else { throw OlderDatabase(description: verdict.explanation(ofFile: source)) }
            return
        }
        guard let seen = try SeenMarksFile(path: source.marksPath).read() else { return }
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        switch seen.verdict(on: found, now: SystemClock().now()) {
        case .current: break
        case .older, .restorePending: throw CopyRefusal.sourceIsRestored
        case .otherDatabase:
            throw Refusal(
                "\(source.marksPath) belongs to a database other than \(source.shown): name that one, or this one's "
                    + "folder with \(Settings.postgreSQLFolder.spellings)")
        }
        guard found.epoch == seen.epoch else {
            throw Refusal(
                "a restore of \(source.shown) was declared that this machine has not seen: run this on the machine "
                    + "where it was declared; or start the server here once, stop it, and run this again")
        }
    }

    /// In production, refuses a source of which this machine has seen nothing.
    ///
    /// - Throws: `Refusal`.
    func requireMarks(in environment: ServerSettings.Environment) throws(Refusal) {
        guard environment == .production, blindness != nil else { return }
        throw Refusal(
            "there is no \(source.marksPath), so a restore that was not declared could not be noticed: run this where a server "
                + "of the database runs, with its \(Settings.postgreSQLFolder.spellings); or start one here once, stop it, and "
                + "run this again")
    }

    /// Says that a restore of the source would not be noticed; `nil` if it would be.
    var blindness: String? {
        guard source.isPostgreSQL, FileStatus(path: source.marksPath) == nil else { return nil }
        return "There is no \(source.marksPath), so a restore that was not declared could not be noticed."
    }

    /// Writes the files next to the copy. They are on the disk when this returns. Harmless to repeat.
    ///
    /// - Throws: `Refusal` if one cannot be written.
    func write(epoch: Int64) throws(Refusal) {
        for (from, to) in copied where FileStatus(path: from) != nil {
            let data: Data
            do {
                data = try Data(contentsOf: URL(filePath: from))
            } catch {
                throw Refusal("\(from) cannot be read: \(error)")
            }
            try write(data, to: to)
        }
        if keepsEpoch(epoch) { try write(Data("\(epoch)\n".utf8), to: destination.epochPath) }
    }

    /// Whether the epoch is kept in a file next to the copy.
    private func keepsEpoch(_ epoch: Int64) -> Bool { epoch != 0 && !destination.isPostgreSQL }

    private func write(_ data: Data, to path: String) throws(Refusal) {
        do {
            try DurableFile.replace(path, with: data)
        } catch {
            throw Refusal("\(path) cannot be written: \(error). Nothing copied is lost: run the same command again")
        }
    }

    /// Where the files are now, as sentences.
    func lines(epoch: Int64) -> [String] {
        var lines: [String] = []
        if generatedKey != nil {
            lines.append("The sandbox's master key is at \(destination.generatedMasterKeyPath).")
        } else {
            lines.append("The master key stays the same: keep its setting.")
        }
        if checkpointsMove {
            lines.append("The audit log's checkpoints are at \(destination.checkpointsPath).")
        } else {
            lines.append("The audit log's checkpoints stay at \(checkpoints): keep that setting.")
        }
        if keepsEpoch(epoch) { lines.append("The restore epoch is at \(destination.epochPath).") }
        if let blindness { lines.append(blindness) }
        if destination.isPostgreSQL {
            lines.append("If the server runs on another machine, copy these files into its postgresql.folder there.")
        }
        return lines
    }
}
