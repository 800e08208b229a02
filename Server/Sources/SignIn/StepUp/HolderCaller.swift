internal import Core
internal import Kernel
internal import Store

/// The holder, in a session of their own: an app or the account's page. The session continues when a change ends the others.
protocol HolderCaller: FactorCaller {
    /// Lets the calling session continue under the account's new security version, in the write that raised it.
    func continueSession(on connection: any SQLConnection) throws

    /// Ends every other session of the account, in apps and browsers, in a write that raised the security version.
    /// - Parameter now: the time of the write.
    func endOtherSessions(because why: SessionEnd, now: Timestamp, on connection: any SQLConnection) throws
}

extension AppCaller: HolderCaller {
    func continueSession(on connection: any SQLConnection) throws {
        try Sessions.follow(sessionID, on: connection)
    }

    func endOtherSessions(because why: SessionEnd, now: Timestamp, on connection: any SQLConnection) throws {
        try Sessions.endAll(of: account.id, sparing: sessionID, because: why, now: now, on: connection)
        try BrowserSessions.endAll(of: account.id, on: connection)
        try continueSession(on: connection)
    }
}

extension PageCaller: HolderCaller {
    func continueSession(on connection: any SQLConnection) throws {
        try BrowserSessions.follow(session.idHash, on: connection)
    }

    func endOtherSessions(because why: SessionEnd, now: Timestamp, on connection: any SQLConnection) throws {
        try Sessions.endAll(of: account.id, because: why, now: now, on: connection)
        try BrowserSessions.endAll(of: account.id, sparing: session.idHash, on: connection)
        try continueSession(on: connection)
    }
}
