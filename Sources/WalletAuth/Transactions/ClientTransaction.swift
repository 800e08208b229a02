public import Foundation
public import WalletAuthWire

/// A transaction that the app begins itself. It has neither amount nor payee, and is never a payment.
///
/// The app has the person confirm what they sign before it begins: the flow asks for the second factor alone.
public struct ClientTransaction: Hashable, Sendable {
    /// The app's state, which the backend gets with the signed transaction: at most 1 KiB. Its hash is signed.
    public var clientState: Data?
    /// The data to sign: at most 4 KiB. Its hash is signed, and the backend gets the data.
    public var clientAdditionalData: Data?
    /// The second factor to ask for.
    public var requiredSecondFactorType: RequiredSecondFactor

    /// Makes a transaction. Each parameter is the property of its name.
    public init(
        clientState: Data? = nil, clientAdditionalData: Data? = nil,
        requiredSecondFactorType: RequiredSecondFactor = .any
    ) {
        self.clientState = clientState
        self.clientAdditionalData = clientAdditionalData
        self.requiredSecondFactorType = requiredSecondFactorType
    }
}

/// A transaction of this device that was scanned and not yet signed: ``Wallet/Transactions/open()``.
public struct OpenTransaction: Hashable, Sendable, Identifiable {
    /// The transaction.
    public var id: TransactionID { details.id }
    /// What the person is asked to sign.
    public let details: TransactionDetails
    let transaction: DeviceTransaction
}
