import Kernel
import Store
import WalletAuthWire

/// The merchant of a sign-in: the one in the request or, if the client needs one and the request has none, one of the person's.
enum MerchantPlace: Sendable {
    case none
    case admitted(MerchantID)
    case refused(MerchantFault)
    case several([Merchant])

    /// The maximum number of merchants that a person chooses from. For others, the app names the merchant.
    static let maximumChoices = 100

    static func find(
        of account: UniqueID, intent: SignInIntent, on connection: any SQLConnection
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

    var merchant: MerchantID? {
        if case .admitted(let merchant) = self { merchant } else { nil }
    }

    /// Whether the person has to choose first.
    var isToBeChosen: Bool {
        if case .several = self { true } else { false }
    }

    /// The verdict about client and person; `nil` before a merchant is chosen.
    var verdict: SignInPolicy.MerchantVerdict? {
        switch self {
        case .none, .several: nil
        case .admitted: .admitted
        case .refused(let fault): .refused(fault)
        }
    }
}
