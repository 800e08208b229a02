internal import Core
internal import WalletAuthWire

/// What a button of the console did. The address of the page that says so names it, so that loading the page again does nothing. It has no
/// text of its own there: another site could make such an address.
enum ConsoleOutcome: Sendable {
    case keysRolled
    case isDown
    case isUp
    case refusing(AppleStandIn.Refusal)
    case state(isListed: Bool)
    /// With the status of this server's answer.
    case notified(AppleStandIn.Event, status: Int)

    private static let name = "done"
    private static let detail = "with"

    /// - Returns: `nil` without an outcome, and for one that no button has.
    init?(_ query: FormParameters) {
        guard let done = query[Self.name] else { return nil }
        switch (done, query[Self.detail]) {
        case ("roll-keys", nil): self = .keysRolled
        case ("outage", nil): self = .isDown
        case ("recovery", nil): self = .isUp
        case ("state", "listed"): self = .state(isListed: true)
        case ("state", "none"): self = .state(isListed: false)
        case (let action, nil):
            guard let refusal = AppleStandIn.Refusal(rawValue: action) else { return nil }
            self = .refusing(refusal)
        case (let action, let status?):
            guard let event = AppleStandIn.Event(rawValue: action), let status = Int(status),
                (100...599).contains(status)
            else { return nil }
            self = .notified(event, status: status)
        }
    }

    var query: FormParameters {
        let (done, detail): (String, String?) =
            switch self {
            case .keysRolled: ("roll-keys", nil)
            case .isDown: ("outage", nil)
            case .isUp: ("recovery", nil)
            case .refusing(let refusal): (refusal.rawValue, nil)
            case .state(let isListed): ("state", isListed ? "listed" : "none")
            case .notified(let event, let status): (event.rawValue, String(status))
            }
        var query = FormParameters()
        query.append(Self.name, done)
        query.append(Self.detail, detail)
        return query
    }

    func sentence(in language: Language) -> String {
        let text = language.appleStandIn
        return switch self {
        case .keysRolled: text[.keysRolled]
        case .isDown: text[.isDown]
        case .isUp: text[.isUp]
        case .refusing(let refusal): text[.refusing, ["error": refusal.rawValue]]
        case .state(let isListed): text[isListed ? .isListed : .isNotListed]
        case .notified(let event, let status):
            text[.notified, ["event": event.rawValue, "status": String(status)]]
        }
    }
}
