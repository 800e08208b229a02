/// The pages' texts about an account's PIN, in one language. A translation that lacks one does not compile.
struct AccountPINText: Sendable {
    // On the sign-in page, and on the page where people approve operations.
    let label: String
    let usePINLabel: String
    let usePasswordLabel: String
    let wrong: String
    let passwordNeeded: String
    let forgotLabel: String
    /// With the address of the account's page, `{address}`.
    let forgotten: String

    // On the account's page.
    let lead: String
    let setLabel: String
    let changeLabel: String
    let isLocked: String

    // On the page of the PIN.
    let heading: String
    let pageLead: String
    let lockedLead: String
    /// Where a restore of the database locked it.
    let restoredLead: String
    let offLead: String
    let newLabel: String
    let newHint: String
    let repeatLabel: String
    let saveLabel: String
    let removeLabel: String

    // Notices.
    let wasSet: String
    /// With the moment, `{time}`.
    let cooling: String
    let wasRemoved: String
    let malformed: String
    let tooShort: String
    let tooLong: String
    let mistyped: String
    let tooCommon: String
}

extension PageLanguage {
    /// The words for the PIN of an account.
    var accountPINText: AccountPINText {
        switch self {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        case .bulgarian: .bulgarian
        }
    }
}
