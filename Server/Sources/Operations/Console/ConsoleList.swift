internal import Kernel

/// The lists of the console. Each is a command, and is declared here: its columns, and what is in the fold of a row. A member of the
/// command's answer that no list declares is in the fold as well, with a name of ``ConsoleMemberText``.
enum ConsoleList: String, CaseIterable, Sendable {
    case account, client, brand, provider, merchant, `operator`, outbox, webhook, keys

    var command: String { rawValue + " list" }

    /// The command of the page that each thing of the list has; `nil` if it has none, or the page of an account.
    var detailCommand: String? {
        switch self {
        case .client, .brand, .provider, .webhook: rawValue + " show"
        case .account, .merchant, .operator, .outbox, .keys: nil
        }
    }

    var label: ConsoleText {
        switch self {
        case .account: .accountsLink
        case .client: .clientsLink
        case .brand: .brandsLink
        case .provider: .providersLink
        case .merchant: .merchantsLink
        case .operator: .operatorsLink
        case .outbox: .messagesLink
        case .webhook: .webhooksLink
        case .keys: .keysLink
        }
    }

    var tables: [ConsoleTable] {
        switch self {
        case .account: [.accounts]
        case .client: [.clients]
        case .brand: [.brands]
        case .provider: [.providers]
        case .merchant: [.merchants]
        case .operator: [.operators]
        case .outbox: [.messages]
        case .webhook: [.webhooks]
        case .keys: [.keys, .masterKeys]
        }
    }
}

/// A member of a row, as people read it.
struct ConsoleColumn: Sendable {
    enum Form: Sendable {
        /// As it is. Truth is a word, and a time is written as everywhere.
        case text
        /// A word for each value. Any other value is shown as it is.
        case word(ConsoleWords)
        /// The name of the row's thing. It leads to the page of the thing, which the other member identifies.
        case name(ConsoleList, id: String)
        /// An account, by its user name. The other member has the name, where a command answers it.
        case person(named: String?)
        case client, brand, merchant
        /// A message to people, by its subject.
        case message
        /// What nothing else names.
        case id
    }

    let heading: ConsoleText
    let member: String
    let form: Form

    init(_ heading: ConsoleText, _ member: String, _ form: Form = .text) {
        (self.heading, self.member, self.form) = (heading, member, form)
    }
}

/// Rows of a command's answer, as a list shows them.
struct ConsoleTable: Sendable {
    /// Of the answer, with the rows.
    let member: String
    /// `nil` for the only one of its page, whose heading says it.
    var heading: ConsoleText?
    let columns: [ConsoleColumn]
    var folded: [ConsoleColumn] = []

    /// Of an entry of the audit log: what happened, in words.
    static let sentence = "sentence"
    /// Before the name of a detail that the entry has a member of as well.
    static let details = "details."

    fileprivate static let accounts = ConsoleTable(
        member: "accounts",
        columns: [
            .init(.userHead, "accountId", .person(named: "username")), .init(.stateRow, "state", .word(.state)),
            .init(.passwordRow, "passwordState", .word(.password)), .init(.brandRow, "brand", .brand),
            .init(.createdHead, "createdAt"), .init(.lastSignInRow, "lastLoginAt"),
        ])

    fileprivate static let clients = ConsoleTable(
        member: "clients",
        columns: [
            .init(.nameHead, "name", .name(.client, id: "clientId")), .init(.idHead, "clientId", .id),
            .init(.kindHead, "kind", .word(.clientKind)), .init(.brandRow, "brand", .brand),
            .init(.ownHead, "firstParty"), .init(.createdHead, "createdAt"),
        ],
        folded: [
            .init(.scopeHead, "scope"), .init(.redirectsHead, "redirectUris"),
            .init(.adminRoleHead, "adminRole", .word(.role)), .init(.siteHead, "siteUrl"),
            .init(.formerSecretHead, "formerSecretEndsAt"), .init(.warningsHead, "warnings"),
        ])

    fileprivate static let brands = ConsoleTable(
        member: "brands",
        columns: [
            .init(.nameHead, "name", .name(.brand, id: "id")), .init(.idHead, "id", .id),
            .init(.registrationHead, "registration"), .init(.pinRow, "accountPin"), .init(.createdHead, "createdAt"),
        ],
        folded: [
            .init(.passkeyRegistrationHead, "passkeyRegistration"), .init(.questionsHead, "secretQuestions"),
            .init(.scanHead, "scanSignIn"), .init(.ownNamesHead, "ownNames"), .init(.passwordDaysHead, "passwordDays"),
            .init(.closingDaysHead, "closingDays"), .init(.newDeviceHead, "newDevice", .word(.newDevice)),
            .init(.termsHead, "termsUrl"), .init(.supportHead, "support"),
            .init(.logoHead, "logoUrl"), .init(.colorHead, "color"),
        ])

    fileprivate static let providers = ConsoleTable(
        member: "providers",
        columns: [
            .init(.nameHead, "id", .name(.provider, id: "id")), .init(.kindHead, "kind", .word(.providerKind)),
            .init(.brandRow, "brand", .brand), .init(.buttonHead, "pageName"), .init(.createdHead, "addedAt"),
        ],
        folded: [
            .init(.addressHead, "issuer"), .init(.addressHead, "endpoint"), .init(.providerClientHead, "clientId"),
            .init(.redirectsHead, "redirectUri"), .init(.trustsEmailHead, "trustsEmail"),
            .init(.emailFactorHead, "emailIsSecondFactor"),
        ])

    fileprivate static let merchants = ConsoleTable(
        member: "merchants",
        columns: [
            .init(.nameHead, "name", .name(.merchant, id: "merchantId")), .init(.idHead, "merchantId", .id),
            .init(.createdHead, "createdAt"),
        ])

    fileprivate static let operators = ConsoleTable(
        member: "operators",
        columns: [
            .init(.userHead, "accountId", .person(named: "usernames")), .init(.roleHead, "role", .word(.role)),
            .init(.brandRow, "brand", .brand), .init(.allBrandsHead, "allBrands"),
            .init(.stateRow, "state", .word(.state)), .init(.sinceHead, "grantedAt"),
        ],
        folded: [
            .init(.invitedByHead, "invitedBy", .person(named: nil)), .init(.expiresHead, "expiresAt"),
        ])

    fileprivate static let messages = ConsoleTable(
        member: "messages",
        columns: [
            .init(.writtenHead, "createdAt"), .init(.messageHead, "kind", .message),
            .init(.userHead, "accountId", .person(named: nil)), .init(.channelHead, "channel", .word(.channel)),
            .init(.stateRow, "state", .word(.delivery)),
        ],
        folded: [
            .init(.failureHead, "failure"), .init(.attemptsHead, "attempts"), .init(.idHead, "id", .id),
        ])

    fileprivate static let webhooks = ConsoleTable(
        member: "webhooks",
        columns: [
            .init(.addressHead, "url", .name(.webhook, id: "id")), .init(.clientHead, "clientId", .client),
            .init(.brandRow, "brand", .brand), .init(.stateRow, "state", .word(.state)),
            .init(.failureHead, "failure"), .init(.createdHead, "createdAt"),
        ],
        folded: [
            .init(.eventsHead, "kinds"), .init(.failingHead, "failingSince"), .init(.disabledHead, "disabledAt"),
            .init(.lostHead, "dropped"), .init(.lastLostHead, "droppedAt"),
            .init(.formerSecretHead, "formerSecretEndsAt"), .init(.waitingHead, "waiting"),
            .init(.waitingSinceHead, "waitingSince"), .init(.idHead, "id", .id),
        ])

    fileprivate static let keys = ConsoleTable(
        member: "keys",
        columns: [
            .init(.purposeHead, "purpose"), .init(.stateRow, "state", .word(.key)), .init(.sinceHead, "since"),
            .init(.idHead, "keyId", .id),
        ])

    fileprivate static let masterKeys = ConsoleTable(
        member: "masterKeys", heading: .masterKeysHead,
        columns: [.init(.idHead, "keyId", .id), .init(.sealedHead, "dataKeys")])

    /// The entries of the audit log, with their details among their members.
    static let audit = ConsoleTable(
        member: "entries",
        columns: [
            .init(.whenHead, "occurredAt"), .init(.whatHead, sentence),
            .init(.userHead, "accountId", .person(named: nil)),
            .init(.operatorHead, "operator", .person(named: "operatorUsername")),
            .init(.clientHead, "clientId", .client),
        ],
        folded: [
            .init(.commandHead, "command"), .init(.aboutHead, "about", .person(named: nil)),
            .init(.brandRow, "brand", .brand), .init(.roleHead, "role", .word(.role)),
            .init(.operatorBrandHead, "operatorBrand", .brand), .init(.clientIDHead, "clientId", .id),
            .init(.merchantHead, "merchantId", .merchant), .init(.kindHead, "kind", .id), .init(.idHead, "id", .id),
        ])
}
