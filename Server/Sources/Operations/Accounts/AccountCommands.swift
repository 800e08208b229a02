internal import ArgumentParser
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

enum AccountCommands: CommandNoun {
    static let title = "account"
    static let abstract = "Create, change, close and erase people's accounts."
    static let commands: [any AdminCommand.Type] = [
        AccountCreate.self, AccountList.self, AccountShow.self, AccountExplain.self, AccountUpdate.self,
        AccountDeactivate.self, AccountReactivate.self, AccountKeep.self, AccountSetEmail.self, AccountVerifyEmail.self,
        AccountSetPhone.self, AccountExpirePassword.self, AccountSetPassword.self, AccountRemovePIN.self,
        AccountConsents.self, AccountExportCommand.self, AccountMerge.self, AccountErase.self, AccountImportBatch.self,
    ]
}

struct AccountCreate: AdminCommand {
    static let title = "account create"
    static let abstract = "Create an account."
    static let discussion = """
        A password is never an argument, because the process list and the shell history would show it:

          walletauth account create ada --email ada@example.com --password-stdin

        A person who is to administer the server gets a one-time link instead, which works for 15 minutes: on its page \
        they set a password and a second factor, and then have the role. The first operator is made this way:

          walletauth account create ada --operator owner --all-brands
        """

    @Argument(help: "The user name; after --, if it begins with a dash.")
    var username: String

    @Flag(
        name: .customLong("password-stdin"),
        help: "Set a password: the terminal asks for it twice; otherwise it is the first line of standard input.")
    var passwordFromInput = false

    @Option(help: ArgumentHelp("The e-mail address.", valueName: "address"))
    var email: String?

    @Flag(help: "Mark the e-mail address as confirmed, because you know that it is the person's.")
    var emailVerified = false

    @Option(help: ArgumentHelp("The phone number.", valueName: "number"))
    var phone: String?

    @OptionGroup var delivery: DeliveryOptions

    @Option(help: "The brand; `default` if omitted.")
    var brand: String?

    @Option(
        name: .customLong("operator"),
        help: ArgumentHelp(
            "Print a one-time link for a person with this role: \(OperatorRole.listed).", valueName: "role"),
        completion: .list(OperatorRole.allCases.map(\.rawValue)))
    var role: String?

    @OptionGroup var reach: RoleReachOptions

    @OptionGroup(title: "Profile") var profile: ProfileOptions

    var input: String?

    /// Only an owner of all brands makes operators.
    var target: CommandTarget { role == nil ? .brand(brand) : .administration(nil) }

    var makesOperatorLink: Bool { role != nil }

    func checkRequest() throws {
        guard role == nil || !passwordFromInput else {
            throw ValidationError("with --operator, the person sets the password: leave --password-stdin out")
        }
        guard role != nil || !reach.isGiven else {
            throw ValidationError("--for-brand and --all-brands need --operator")
        }
        try reach.check()
    }

    func precondition(isTyped: Bool) -> AdminRequest? {
        isTyped && passwordFromInput ? .show(brand: brand) : nil
    }

    func readInput(from reader: any CommandInputReader) throws -> String? {
        passwordFromInput ? try reader.secret("password", isChosen: true) : nil
    }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try accounts.requireDelivery(email: email != nil, phone: phone != nil, unless: delivery)
        var account = AccountRegistration(username: username, password: input)
        account.email = email
        account.emailVerified = emailVerified
        account.phone = phone
        account.brand = brand
        account.profile = profile.change
        account.invitation = try role.map(reach.named)
        return try await accounts.create(account)
    }
}

/// A page of a brand's user names in order. There may be millions: `after` is the last name of the previous page.
struct AccountList: AdminCommand {
    static let title = "account list"
    static let access = CommandAccess.reading(.support, .auditor)
    static let paging: (option: String, member: String)? = ("after", "next")
    static let abstract = "List the user names, a page at a time."
    static let discussion = "An erased account no longer has a name: find it with `account show --account ID`."

    @Option(help: "The brand; `default` if omitted.")
    var brand: String?

    @Option(help: ArgumentHelp("Only user names that begin with this.", valueName: "text"))
    var prefix: String?

    @Option(help: ArgumentHelp("The last user name of the previous page.", valueName: "username"))
    var after: String?

    @Option(help: ArgumentHelp("The page size, from 1 to 1000.", valueName: "number"))
    var limit = 100

    var target: CommandTarget { .brand(brand) }

    var effect: CommandEffect { .reads }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        let brand = try BrandID(brand ?? BrandSettings.defaultBrand).rawValue
        let after = try after.map { try Username($0).rawValue } ?? ""
        let limit = try Administration.accountsPerPage(limit)
        guard let prefix = Accounts.mappedPrefix(prefix ?? "") else {
            throw MalformedValue(field: "--prefix", reason: "has a character that no user name has")
        }
        let hidesAddresses = self.prefix != nil && accounts.hidesAddresses
        let (page, next) = try await accounts.database.read { connection in
            guard try Brands.find(brand, on: connection) != nil else {
                throw AdministrationRefusal.notFound("brand", brand)
            }
            return try Self.page(
                of: brand, prefix: prefix, after: after, limit: limit, hidesAddresses: hidesAddresses, on: connection)
        }
        var members = JSONObject()
        members.set("next", next)
        return .list(
            "accounts", columns: ["USERNAME", "ACCOUNT", "STATE", "PASSWORD", "LAST SIGN-IN"],
            page.map(Self.row), empty: after.isEmpty ? "No accounts." : "No accounts after \(after).", with: members,
            then: next.map { ["There are more: --after \(CommandLineSyntax.quoted($0))"] } ?? [])
    }

    private static func row(of entry: NamedAccount) -> AdministrationAnswer.Row {
        let account = entry.account
        var json = JSONObject()
        json.set("username", entry.typed)
        json.set("accountId", account.id.uuid)
        json.set("brand", account.brandID)
        json.set("state", account.state.rawValue)
        json.set("passwordState", account.passwordState.rawValue)
        json.set("createdAt", account.createdAt.text)
        json.set("lastLoginAt", account.lastLoginAt?.text)
        let cells = [
            entry.typed, account.id.uuid, account.state.rawValue, account.passwordState.rawValue,
            account.lastLoginAt?.text ?? "never",
        ]
        return (cells, json)
    }
}

/// Everything about an account except its password, and the obstacles to a sign-in.
struct AccountShow: AdminCommand {
    static let title = "account show"
    static let access = CommandAccess.reading(.support, .auditor)
    static let abstract = "Show an account, and what keeps it from signing in."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    var effect: CommandEffect { .reads }

    func execute(in report: AccountReport) async throws -> AdministrationAnswer {
        try await report.show(account.reference)
    }
}

struct AccountVerifyEmail: AdminCommand {
    static let title = "account verify-email"
    static let abstract = "Mark the e-mail address as confirmed."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    /// The address could be the operator's own, and leads into the account.
    var takesTwo: Bool { true }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try await accounts.change(
            account.reference, AccountEvent.emailVerified, said: "has a confirmed e-mail address"
        ) { id, now, connection in
            guard let account = try Accounts.find(id, on: connection), account.email != nil else {
                return .refused(
                    "It has no e-mail address. `walletauth account set-email --verified` sets one that you know is the "
                        + "person's.")
            }
            return try ConfirmedEmail(accounts.auditLog).verify(account, now: now, on: connection)
                ? .done : .refused("Its e-mail address is already confirmed.")
        }
    }
}

struct AccountExpirePassword: AdminCommand {
    static let title = "account expire-password"
    static let access = CommandAccess.changing(.support)
    static let abstract = "Require a new password at the next sign-in; every session ends."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try await accounts.change(
            account.reference, AccountEvent.passwordExpired, said: "must choose a new password; its sessions ended"
        ) { id, now, connection in
            guard try Accounts.expirePassword(of: id, on: connection) else {
                return .refused("It has no current password.")
            }
            try Accounts.raiseSecurityVersion(of: id, on: connection)
            try Sessions.endAll(of: id, because: .administrator, now: now, on: connection)
            return .done
        }
    }
}

struct AccountSetPassword: CommandWithInput {
    static let title = "account set-password"
    static let access = CommandAccess.terminal
    static let abstract = "Set a new password; every session ends."
    static let discussion = """
        The terminal asks for it twice; otherwise it is the first line of standard input. A password is never an \
        argument, because the process list and the shell history would show it.
        """

    @OptionGroup var account: AccountOptions

    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input, in a script.")
    var passwordFromInput = false

    var input: String?

    func precondition(isTyped: Bool) throws -> AdminRequest? {
        AdminRequest(["account", "show"] + (try account.reference.words))
    }

    /// One that is closed keeps its password, however good the new one is.
    func check(_ answer: AdministrationAnswer) throws {
        guard try answer.document()["state"]?.string == AccountState.active.rawValue else {
            throw AdministrationRefusal(
                "The account is not active, so its password cannot be set.",
                hint: "See `walletauth account explain`, which says how to open it.", code: "no_change")
        }
    }

    func readInput(from reader: any CommandInputReader) throws -> String? {
        try reader.secret("new password", isChosen: true)
    }

    func execute(in accounts: AccountAdministration, input: String) async throws -> AdministrationAnswer {
        try await accounts.setPassword(of: account.reference, to: input)
    }
}

struct AccountRemovePIN: AdminCommand {
    static let title = "account remove-pin"
    static let access = CommandAccess.changing(.support)
    static let abstract = "Remove the account PIN; sessions signed in with it end, and the person gets a message."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try await accounts.change(
            account.reference, AccountPINEvent.removed, message: AccountPINMessage.removed,
            said: "no longer has a PIN; sessions signed in with it ended"
        ) { id, now, connection in
            guard try AccountPINs.remove(of: id, on: connection) else { return .refused("It has no PIN.") }
            try AccountPINs.voidSignIns(of: id, now: now, on: connection)
            return .done
        }
    }
}

struct AccountConsents: AdminCommand {
    static let title = "account consents"
    static let access = CommandAccess.reading([.support, .auditor], changing: [.support])
    static let abstract = "List the apps that a person gave access to, or withdraw that access."
    static let discussion = """
        First-party clients need no consent and are not listed. An app whose access is withdrawn is signed out at \
        once and has to ask the person again at the next sign-in.
        """

    @OptionGroup var account: AccountOptions

    @Option(help: ArgumentHelp("Withdraw this client's access; its sessions end.", valueName: "client"))
    var withdraw: String?

    var loggedTitle: String { withdraw == nil ? Self.title : Self.title + " --withdraw" }

    var target: CommandTarget { get throws { .account(try account.reference) } }

    var effect: CommandEffect { withdraw == nil ? .reads : .changes }

    func execute(in consents: ClientConsentAdministration) async throws -> AdministrationAnswer {
        guard let withdraw else { return try await consents.list(account.reference) }
        return try await consents.withdraw(account.reference, to: withdraw)
    }
}

/// All data about a person (GDPR articles 15 and 20).
struct AccountExportCommand: AdminCommand {
    static let title = "account export"
    static let access = CommandAccess.reading()
    static let abstract = "Export everything that is stored about a person, as JSON."

    @OptionGroup var account: AccountOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    var effect: CommandEffect { .reads }

    var isScan: Bool { true }

    func execute(in export: AccountExport) async throws -> AdministrationAnswer {
        try await export.document(of: account.reference)
    }
}

/// Erases what identifies the person (GDPR article 17).
struct AccountErase: AdminCommand {
    static let title = "account erase"
    static let abstract = "Erase all personal data and end every session. This is permanent."

    @OptionGroup var account: AccountOptions
    @OptionGroup var confirmed: ConfirmationOptions

    var takesTwo: Bool { true }

    func precondition(isTyped: Bool) throws -> AdminRequest? {
        confirmed.yes ? nil : AdminRequest(["account", "show"] + (try account.reference.words))
    }

    var confirmation: Confirmation? {
        get throws {
            confirmed.unlessGiven(
                "This erases the account and all personal data for good.", typing: try account.reference.typed)
        }
    }

    var target: CommandTarget { get throws { .account(try account.reference) } }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try await accounts.erase(account.reference)
    }
}
