public import Foundation
public import WalletAuthWire

/// A transaction that the app begins itself. It has neither amount nor payee, and is never a payment.
///
/// The app must obtain the person's confirmation before it begins: the flow only asks for the second factor.
public struct ClientTransaction: Hashable, Sendable {
    /// The app's state, at most 1 KiB. Its hash is signed, and the backend receives it with the signed transaction.
    /// Empty means none.
    public var clientState: Data?
    /// The data to sign, at most 4 KiB. Its hash is signed, and the backend receives the data. Empty means none.
    public var clientAdditionalData: Data?
    /// The second factor to require.
    public var requiredSecondFactorType: RequiredSecondFactor

    /// Creates a transaction. Each parameter sets the property of the same name.
    public init(
        clientState: Data? = nil, clientAdditionalData: Data? = nil,
        requiredSecondFactorType: RequiredSecondFactor = .any
    ) {
        self.clientState = clientState
        self.clientAdditionalData = clientAdditionalData
        self.requiredSecondFactorType = requiredSecondFactorType
    }
}

/// A transaction that this device scanned and has not signed yet: see ``Wallet/Transactions/open()``.
public struct OpenTransaction: Hashable, Sendable, Identifiable {
    /// The transaction.
    public var id: TransactionID { details.id }
    /// The content to sign.
    public let details: TransactionDetails
    let transaction: DeviceTransaction
}
