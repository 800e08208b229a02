package import Core

/// The texts of the sandbox's own pages, and of its hints on others.
package enum SandboxText: String, TextKey {
    package static let section = "sandbox"

    case name, heading, lead, backLabel

    // What the first page creates.
    case accountHeading, accountLead, accountLabel, accountCreated, accountCreatedLead, accountIDLabel, emailLabel,
        clientHeading, clientLead, clientLabel, clientCreated, clientCreatedLead, clientIDLabel, redirectLabel,
        copyLabel, copied

    // The test sign-in.
    case signInHeading, signInLead, signInLabel, signInAsLabel, signedInHeading, signedInLead, refusedHeading,
        refusedLead, cancelled, supersededHeading, supersededLead, idTokenHeading, userInfoHeading, signInAgainLabel

    // Other pages of the sandbox.
    case pagesHeading, outboxNote, accountPageLabel, accountNote, passkeyNote, standIn, standInNote

    // On a page that asks for a code.
    case messageLabel

    // The outbox.
    case outboxHeading, outboxLead, outboxEmpty, notSent, noAddress, scheduled, notDelivered, delivered,
        undeliverable
}

extension Language {
    package var sandbox: Texts<SandboxText> { texts() }
}
