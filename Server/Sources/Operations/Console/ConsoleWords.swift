internal import Kernel

/// Words for the values of a member. A value with a proper name has the same in each language.
struct ConsoleWords: Sendable {
    var texts: [String: ConsoleText] = [:]
    var names: [String: String] = [:]

    /// Of accounts, operators and webhooks.
    static let state = ConsoleWords(texts: [
        "active": .stateActive, "deactivated": .stateDeactivated, "suspended": .stateSuspended, "erased": .stateErased,
        WebhookEndpoint.State.unreachable.rawValue: .stateUnreachable,
        WebhookEndpoint.State.disabled.rawValue: .stateDisabled, "invited": .stateInvited, "accepted": .stateAccepted,
        Hindrance.Code.noPassword.rawValue: .stateNoPassword,
        Hindrance.Code.noSecondFactor.rawValue: .stateNoSecondFactor,
    ])

    static let password = ConsoleWords(texts: [
        "none": .wordNone, "current": .wordSet, "expired": .wordExpired,
    ])

    static let role = ConsoleWords(texts: [
        "owner": .roleOwner, "support": .roleSupport, "auditor": .roleAuditor, "developer": .roleDeveloper,
    ])

    static let clientKind = ConsoleWords(texts: ["public": .kindPublic, "confidential": .kindConfidential])

    static let providerKind = ConsoleWords(
        texts: ["repository": .kindRepository, "introspection": .kindIntrospection],
        names: ["oidc": "OpenID Connect", "apple": "Apple"])

    static let channel = ConsoleWords(
        texts: ["email": .channelEmail, "push": .channelPush, "none": .wordNone], names: ["sms": "SMS"])

    static let delivery = ConsoleWords(texts: [
        "delivered": .stateDelivered, "failed": .stateFailed, "waiting": .stateQueued, "not due": .stateNotDue,
        "no recipient": .stateNoRecipient, "no address": .stateNoAddress,
    ])

    static let newDevice = ConsoleWords(texts: [
        NewDevicePolicy.secondFactor.rawValue: .newDeviceSecond, NewDevicePolicy.allow.rawValue: .newDeviceAllow,
    ])

    static let key = ConsoleWords(texts: ["active": .keyActive, "retired": .keyRetired, "next": .keyNext])
}
