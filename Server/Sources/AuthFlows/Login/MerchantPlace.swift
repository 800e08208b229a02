internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// For which merchant a person signs in: the one that the request names, or theirs, where the client needs one and the request
/// names none.
enum MerchantPlace: Sendable {
    /// For none.
    case none
    /// For this one.
    case admitted(MerchantID)
    /// For none that would do.
    case refused(MerchantFault)
    /// The person has to choose.
    case several([Merchant])

    /// The most merchants that a person chooses from. For another one the app names it.
    static let maximumChoices = 100

    static func find(
        of account: UniqueID, intent: SignInGate.Intent, on connection: any SQLConnection
    ) throws -> MerchantPlace {
        let client = intent.client.id.rawValue
        if let named = intent.merchant {
            let admission = try Merchants.admission(
                of: account, client: client, merchant: named.rawValue, on: connection)
            return switch admission {
            case .admitted: .admitted(named)
            case .appNotInstalled: .refused(.appNotInstalled)
            case .notAnEmployee: .refused(.notAnEmployee)
            }
        }
        guard intent.client.requiresMerchant else { return .none }
        let choices = try Merchants.choices(of: account, client: client, limit: maximumChoices, on: connection)
            .map { Merchant(id: try MerchantID($0.id), name: $0.name) }
        switch choices.count {
        case 0: return .refused(try Merchants.isEmployed(account, on: connection) ? .appNotInstalled : .notAnEmployee)
        case 1: return .admitted(choices[0].id)
        default: return .several(choices)
        }
    }

    /// The merchant of the sign-in, where there is one.
    var merchant: MerchantID? {
        if case .admitted(let merchant) = self { merchant } else { nil }
    }

    /// Whether one has to be named first.
    var isToBeChosen: Bool {
        if case .several = self { true } else { false }
    }

    /// What it says of client and person; `nil` where there is nothing to say yet.
    var verdict: SignInPolicy.MerchantVerdict? {
        switch self {
        case .none, .several: nil
        case .admitted: .admitted
        case .refused(let fault): .refused(fault)
        }
    }
}
