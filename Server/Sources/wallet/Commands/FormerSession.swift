/// The session of a profile before a sign-in.
enum FormerSession {
    /// No one is signed in, or with --again no profile is remembered.
    case absent
    /// It is signed in and meets the request.
    case kept(SavedSession)
    /// With --again: it is not checked, and may have ended.
    case left(SavedSession)

    var kept: SavedSession? { if case .kept(let session) = self { session } else { nil } }

    var left: SavedSession? { if case .left(let session) = self { session } else { nil } }

    var session: SavedSession? { kept ?? left }
}
