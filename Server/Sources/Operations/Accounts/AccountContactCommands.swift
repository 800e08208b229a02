internal import ArgumentParser

struct AccountSetEmail: AdminCommand {
    static let title = "account set-email"
    static let abstract =
        "Change or remove the e-mail address; the person gets a message at the old and at the new one."
    static let discussion = """
        Apps stay signed in, and browsers sign in again. Codes and recoveries in progress end. Anyone who reads the \
        new mailbox can recover the account as the person could before, so verify who is asking, on a channel that you \
        know is theirs.
        """

    @OptionGroup var account: AccountOptions

    @Option(help: ArgumentHelp("The new e-mail address.", valueName: "address"))
    var email: String?

    @OptionGroup var change: ContactOptions
    @OptionGroup var delivery: DeliveryOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    /// The new address could be the operator's own, and a removed one recovers nothing any more.
    var takesTwo: Bool { true }

    func checkRequest() throws { try change.check(email, option: "--email") }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try accounts.requireDelivery(email: email != nil, unless: delivery)
        return try await accounts.setEmail(
            of: account.reference, to: email, isVerified: change.verified)
    }
}

struct AccountSetPhone: AdminCommand {
    static let title = "account set-phone"
    static let abstract = "Change or remove the phone number; the person gets a message at the old and at the new one."
    static let discussion = """
        Apps stay signed in, and browsers sign in again. Codes and recoveries in progress end. Codes sent to the new \
        number are a second factor at once, so verify who is asking, on a channel that you know is theirs.
        """

    @OptionGroup var account: AccountOptions

    @Option(help: ArgumentHelp("The new phone number.", valueName: "number"))
    var phone: String?

    @OptionGroup var change: ContactOptions
    @OptionGroup var delivery: DeliveryOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    /// The new number could be the operator's own, and is a second factor even unconfirmed. Without the old one there may be none.
    var takesTwo: Bool { true }

    func checkRequest() throws { try change.check(phone, option: "--phone") }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try accounts.requireDelivery(phone: phone != nil, unless: delivery)
        return try await accounts.setPhone(
            of: account.reference, to: phone, isVerified: change.verified)
    }
}

/// What becomes of an address or number.
struct ContactOptions: ParsableArguments {
    @Flag(help: "Mark the new one as confirmed, because you know that it is the person's.")
    var verified = false

    @Flag(help: "Remove the current one.")
    var remove = false

    /// - Parameter value: the new one, if it was given.
    func check(_ value: String?, option: String) throws {
        guard (value == nil) == remove else { throw ValidationError("give either \(option) or --remove") }
        guard !remove || !verified else { throw ValidationError("--verified needs \(option)") }
    }
}
