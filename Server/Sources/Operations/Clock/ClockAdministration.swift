internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

enum ClockCommands: CommandNoun {
    static let title = "clock"
    static let abstract = "Compare the clocks, and confirm the time after a leap."
    static let commands: [any AdminCommand.Type] = [ClockShow.self, ClockAccept.self]
}

extension ClockMonitor {
    /// Refuses to remove or rotate anything by a time that may be wrong.
    /// - Throws: ``AdministrationRefusal`` unless the clocks agree.
    func requireAgreement() async throws {
        let verdict = await compare()
        guard !verdict.allowsRemoval else { return }
        throw AdministrationRefusal(
            "Nothing was changed: \(verdict.explanation).",
            hint: "Set the clock or, if it is right, run `walletauth clock accept` first.", code: "clock")
    }
}

struct ClockAdministration: Sendable {
    let database: any Database
    let time: any Clock
    let monitor: ClockMonitor
    let auditLog: AuditLog
}

/// With several servers, the clocks of this process's machine.
struct ClockShow: AdminCommand {
    static let title = "clock show"
    static let access = CommandAccess.terminal
    static let abstract = "Show the time, and whether the clocks agree."

    var effect: CommandEffect { .reads }

    func execute(in clock: ClockAdministration) async -> AdministrationAnswer {
        let verdict = await clock.monitor.compare()
        let now = clock.time.now()
        var json = JSONObject()
        json.set("time", now.text)
        json.set("comparison", verdict.explanation)
        json["serves"] = .bool(verdict.allowsRequests)
        json["removes"] = .bool(verdict.allowsRemoval)
        return .facts(
            [
                ("time", now.text), ("comparison", verdict.explanation),
                ("requests", verdict.allowsRequests ? "served" : "refused"),
                ("expired data", verdict.allowsRemoval ? "removed" : "kept"),
            ], json)
    }
}

/// With several servers this process is not the one that is in doubt, so agreement here refuses nothing.
struct ClockAccept: AdminCommand {
    static let title = "clock accept"
    static let access = CommandAccess.terminal
    static let abstract =
        "Confirm that this machine's clock is right: requests are served and expired data is removed again."

    func execute(in clock: ClockAdministration) async throws -> AdministrationAnswer {
        let verdict = await clock.monitor.compare()
        if case .differsFromDatabase = verdict {
            throw AdministrationRefusal(
                "Nothing was changed: \(verdict.explanation).", hint: "Synchronize both with NTP.", code: "clock")
        }
        let isShared = clock.database.group != nil
        guard isShared || verdict != .agreed else {
            throw AdministrationRefusal("The clocks agree; nothing was changed.", code: "no_change")
        }
        let now = clock.time.now()
        var details = JSONObject()
        details.set("time", now.text)
        if verdict != .agreed { details.set("differenceSeconds", verdict.seconds) }
        let entry = try clock.auditLog.administration(
            AdministrationEvent.clockAccepted, details: details, now: now)
        try await clock.monitor.accept { try entry.write(on: $0) }
        // The others compare their clocks before they reload the keys.
        clock.database.group?.announce(.keys)
        var lines = ["\(now.text) is taken as the time. Expired data is removed again; evidence is kept for longer."]
        if isShared {
            lines.append("Servers with this time, within a minute, follow; others stay out of service.")
        }
        return .done(lines, details)
    }
}
