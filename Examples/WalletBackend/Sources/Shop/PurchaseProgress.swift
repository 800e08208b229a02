import WalletAuthWire

/// The progress of a purchase, as its page shows it.
enum PurchaseProgress: Hashable, Sendable {
    case waiting
    case scanned
    case confirmed
    case signed
    /// A signature was reported but not proved; once the time is up, it is not checked again.
    case unproved(isOver: Bool)
    case rejected(RejectionReason?)
    case failed
    case expired
    case cancelled

    init(open status: TransactionStatus) {
        self =
            switch status {
            case .claimed: .scanned
            case .confirmed: .confirmed
            default: .waiting
            }
    }

    init(_ state: Purchase.State) {
        self =
            switch state {
            case .begun, .open: .waiting
            case .paid: .signed
            case .unproved: .unproved(isOver: true)
            case .over(_, .rejected, let reason): .rejected(reason)
            case .over(_, .failed, _): .failed
            case .over(_, .expired, _): .expired
            case .over: .cancelled
            }
    }

    /// The name that the page's script compares.
    var name: String {
        switch self {
        case .waiting: "WAITING"
        case .scanned: "SCANNED"
        case .confirmed: "CONFIRMED"
        case .signed: "SIGNED"
        case .unproved: "UNPROVED"
        case .rejected: "REJECTED"
        case .failed: "FAILED"
        case .expired: "EXPIRED"
        case .cancelled: "CANCELLED"
        }
    }

    /// Whether the state is final. An unproved signature is checked again while there is time.
    var isOver: Bool {
        switch self {
        case .unproved(let isOver): isOver
        case .waiting, .scanned, .confirmed: false
        case .signed, .rejected, .failed, .expired, .cancelled: true
        }
    }

    /// The state that a script has seen, which can only be an open one.
    ///
    /// - Parameter name: the state's name in the request.
    init?(seen name: String?) {
        guard let open = [Self.waiting, .scanned, .confirmed].first(where: { $0.name == name }) else { return nil }
        self = open
    }

    /// The state in plain words.
    var heading: String {
        switch self {
        case .waiting: "Waiting for your wallet"
        case .scanned: "Scanned"
        case .confirmed: "Confirmed"
        case .signed: "Signed"
        case .unproved(isOver: false): "Being checked"
        case .unproved(isOver: true): "Not verified"
        case .rejected(let reason):
            switch reason {
            case .wrongData: "Rejected: something was wrong"
            case .unexpected: "Rejected: you didn’t expect it"
            case .other, nil: "Rejected"
            }
        case .failed: "Not signed"
        case .expired: "Expired"
        case .cancelled: "Cancelled"
        }
    }

    /// The visitor's next step.
    var advice: String {
        switch self {
        case .waiting: "Scan the code with your wallet app, or open the app on this device."
        case .scanned: "Check the amount and the payee on your phone, then confirm."
        case .confirmed: "Sign with your PIN or fingerprint on your phone."
        case .signed: "Thank you! Your signature has been verified, and we’re preparing your order."
        case .unproved(isOver: false):
            "Your wallet reported a signature that we can’t verify yet. You’ll get your order once we can."
        case .unproved(isOver: true):
            "Your wallet reported a signature that we couldn’t verify. Please ask at the counter, with your order number."
        case .rejected: "You rejected the payment in your wallet. Nothing was paid."
        case .failed: "Your wallet’s PIN was locked before you signed. Nothing was paid."
        case .expired: "The code wasn’t signed in time. Nothing was paid."
        case .cancelled: "This purchase was cancelled. Nothing was paid."
        }
    }
}
