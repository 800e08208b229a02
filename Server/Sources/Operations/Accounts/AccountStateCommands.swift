internal import ArgumentParser
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

struct AccountDeactivate: AdminCommand {
    static let title = "account deactivate"
    static let access = CommandAccess.changing(.support)
    static let abstract = "End every session and refuse every sign-in until the account is reactivated."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try await accounts.change(
            account.reference, AccountEvent.deactivated, message: AccountMessage.deactivated,
            said: "deactivated; its sessions ended"
        ) { id, now, connection in
            try accounts.requireOtherOwner(than: id, on: connection)
            guard try Accounts.deactivate(id, by: .operator, on: connection) else {
                return .refused("It is not active.")
            }
            // What the holder had closed is not erased any more, until an operator decides.
            try AccountClosings.remove(of: id, on: connection)
            try Sessions.endAll(of: id, because: .accountClosed, now: now, on: connection)
            try BrowserSessions.endAll(of: id, on: connection)
            return .done
        }
    }
}

struct AccountReactivate: AdminCommand {
    static let title = "account reactivate"
    static let access = CommandAccess.changing(.support)
    static let abstract = "Let a deactivated account sign in again, or end the waits of an active one."
    static let discussion = """
        It resets the counts of wrong passwords, codes and answers, and of codes that were sent. An active account keeps \
        its sessions. What a network or a PIN counts is not reset.
        """

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try await accounts.reactivate(account.reference)
    }
}

struct AccountKeep: AdminCommand {
    static let title = "account keep"
    static let access = CommandAccess.changing(.support)
    static let abstract = "Take back the closing of an account by its holder, so that it is not erased."
    static let discussion = """
        The person signs in as before; sessions that the closing ended stay ended. Verify who is asking, on a channel \
        that you know is theirs. People can do it themselves with the code that they got.
        """

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try await accounts.change(
            account.reference, AccountEvent.kept, message: OwnAccountMessage.kept,
            said: "is not erased, and can sign in again"
        ) { id, now, connection in
            guard try Accounts.keep(id, on: connection) else { return .refused("Its holder did not close it.") }
            try AccountClosings.takeBack(of: id, now: now, on: connection)
            return .done
        }
    }
}

extension AccountAdministration {
    /// Reopens an account, or resets the counts of one that is open.
    fileprivate func reactivate(_ reference: AccountReference) async throws -> AdministrationAnswer {
        let now = clock.now()
        let id = try await database.read { try reference.find(on: $0).id }
        let reopened = try auditLog.entry(AccountEvent.reactivated, account: id, now: now)
        let reset = try auditLog.entry(AccountEvent.failuresReset, account: id, now: now)
        let said = try await database.write { connection -> String? in
            let isReopened = try Accounts.reactivate(id, on: connection)
            if isReopened { try AccountClosings.takeBack(of: id, now: now, on: connection) }
            guard let account = try Accounts.find(id, on: connection), account.state == .active else { return nil }
            let devices = try DeviceList.devices(of: id, at: now, on: connection).map(\.device)
            let isReset = try verification.resetCounters(
                of: account, devices: devices, keyRing: keyRing, on: connection)
            guard isReopened || isReset else { return nil }
            try (isReopened ? reopened : reset).write(on: connection)
            return isReopened ? "can sign in again" : "has no failures counted against it any more"
        }
        guard let said else {
            throw AdministrationRefusal(
                "Account \(id.uuid) was not changed. It is not deactivated, and nothing is counted against it.",
                code: "no_change")
        }
        return .done("Account \(id.uuid) \(said).", JSONObject(strings: ["accountId": id.uuid]))
    }
}
