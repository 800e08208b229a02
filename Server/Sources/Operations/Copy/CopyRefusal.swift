package import Core

/// Why a database is not copied.
package enum CopyRefusal: Error, Sendable, Hashable {
    /// There is no database of this program in the source.
    case noSource
    /// The source's schema, of this version, is older than the program's.
    case sourceIsNotMigrated(Int64)
    case sourceIsUnfinished
    /// The source was restored from a backup, and the effects have not been applied yet.
    case sourceIsRestored
    /// The destination holds something else than an unfinished copy.
    case destinationIsTaken
    /// The destination is an unfinished copy of another source, or of this one before it was used again.
    case copyOfAnother
    /// The destination is a finished copy, which a server may have used since. Its time is `nil` if the mark is not readable.
    case copyIsFinished(Timestamp?)
    /// Something else has written to the destination since the copy began.
    case destinationChanged(table: String)
    /// The tables whose rows are not the same in both databases.
    case differs(tables: [String])
    /// A text has a U+0000, which the destination's engine does not store.
    case textWithZero(table: String, column: String)
}
