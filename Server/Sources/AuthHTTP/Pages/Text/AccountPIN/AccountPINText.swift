/// The texts about the account PIN in one language. A translation with a missing text does not compile.
struct AccountPINText: Sendable {
    // On the sign-in and consent pages.
    let label: String
    let usePINLabel: String
    let usePasswordLabel: String
    let wrong: String
    let passwordNeeded: String
    let forgotLabel: String
    /// Contains the address of the account page, `{address}`.
    let forgotten: String

    // On the account page.
    let lead: String
    let setLabel: String
    let changeLabel: String
    let isLocked: String

    // On the PIN page.
    let heading: String
    let pageLead: String
    let lockedLead: String
    /// After a restored backup locked the PIN.
    let restoredLead: String
    let offLead: String
    let newLabel: String
    let newHint: String
    let repeatLabel: String
    let saveLabel: String
    let removeLabel: String

    // Notices.
    let wasSet: String
    /// Contains the time, `{time}`.
    let cooling: String
    let wasRemoved: String
    let malformed: String
    let tooShort: String
    let tooLong: String
    let mistyped: String
    let tooCommon: String
}

extension PageLanguage {
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
