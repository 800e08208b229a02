public import Foundation
import WalletAuth
import WalletAuthWire

/// A transaction that the app begins itself. Ask the person on a screen of your own first: its flow asks only for the
/// second factor.
public struct Transaction: Hashable, Sendable {
    /// The app's state, at most 1 KiB; empty for none. Its hash is signed, and the backend receives it.
    public var clientState: Data
    /// The data to sign, at most 4 KiB; empty for none. Its hash is signed, and the backend receives it.
    public var clientAdditionalData: Data
    /// The second factor to require; nil for any.
    public var requiredSecondFactorType: InteractionSecondFactorInfo.SecondFactorType?

    /// Creates a transaction. Each parameter sets the property of the same name.
    public init(
        clientState: Data = Data(), clientAdditionalData: Data = Data(),
        requiredSecondFactorType: InteractionSecondFactorInfo.SecondFactorType? = nil
    ) {
        self.clientState = clientState
        self.clientAdditionalData = clientAdditionalData
        self.requiredSecondFactorType = requiredSecondFactorType
    }

    var forWallet: ClientTransaction {
        let factor: RequiredSecondFactor =
            switch requiredSecondFactorType {
            case .pin: .pin
            case .biometrics: .biometric
            case nil: .any
            }
        return ClientTransaction(
            clientState: clientState, clientAdditionalData: clientAdditionalData, requiredSecondFactorType: factor)
    }
}

/// The second factors of a question.
public struct InteractionSecondFactorInfo: Hashable, Sendable {
    /// A second factor.
    public enum SecondFactorType: String, Hashable, Sendable {
        /// This device's PIN.
        case pin = "PIN"
        /// Face or fingerprint.
        case biometrics = "BIOMETRICS"
    }

    /// The factors that the transaction allows and this device has, the PIN first.
    public let allowedSecondFactors: [SecondFactorType]
}

extension InteractionSecondFactorInfo.SecondFactorType {
    init(_ factor: TransactionFactor) {
        self =
            switch factor {
            case .pin: .pin
            case .biometric: .biometrics
            }
    }
}
