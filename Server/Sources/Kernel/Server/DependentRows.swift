package import Core
package import Store
package import WalletAuthWire

/// What a feature does with its own rows when something ends that they depend on. It runs in the write that ends it.
package protocol DependentRows: Sendable {
    func deviceRemoved(_ device: UniqueID, now: Timestamp, on connection: any SQLConnection) throws

    /// Deletes what identifies the person.
    func accountErased(_ account: UniqueID, on connection: any SQLConnection) throws

    /// - Returns: what an account has here that another one would have after a merge; `nil` for nothing.
    func effectOfMerge(
        of account: UniqueID, into other: UniqueID, on connection: any SQLConnection
    ) throws -> MergeEffect?

    /// Gives another account what this one has here. The identities at providers are still this one's.
    func accountMerged(_ account: UniqueID, into other: UniqueID, on connection: any SQLConnection) throws

    func emailChanged(of account: UniqueID, on connection: any SQLConnection) throws

    /// - Parameters:
    ///   - digest: of the new number; `nil` if it was removed.
    ///   - digests: of the new number, under every key that still finds it.
    /// - Returns: the accounts that had the number before.
    func phoneChanged(
        of account: UniqueID, to digest: [UInt8]?, found digests: [[UInt8]], on connection: any SQLConnection
    ) throws -> [UniqueID]

    /// Whether the number that the profile has as entered was proved, and leads to the account.
    func usesEnteredPhone(of account: UniqueID, on connection: any SQLConnection) throws -> Bool

    /// The account's payments and transactions that may still be carried out, oldest first. It is not closed while it has any.
    /// - Parameter sealing: opens what they are for.
    func openPayments(
        of account: UniqueID, sealing: SealingKeys, limit: Int, now: Timestamp, on connection: any SQLConnection
    ) throws -> [OpenPayment]

    /// Amount and payee of the payment that an entry of the audit log is about, as the page that asked showed them.
    /// - Parameter details: the entry's.
    /// - Returns: `nil` for anything else, and for a payment that is no longer stored.
    func payment(
        _ details: JSONObject, of account: UniqueID, in language: Language, sealing: SealingKeys,
        on connection: any SQLConnection
    ) throws -> String?

    /// Whether something still waits for the holder's approval.
    /// - Parameters:
    ///   - kind: for example `transaction`.
    /// - Returns: `nil` if it is another feature's.
    func waits(_ kind: String, _ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Bool?
}

/// What becomes of a feature's rows when two accounts become one.
package enum MergeEffect: Sendable, Hashable {
    /// The other account gets it. A noun for the operator, such as `the loyalty number`.
    case moves(String)
    /// Why both cannot become one, in a sentence for the operator.
    case obstacle(String)
}

extension DependentRows {
    package func deviceRemoved(_ device: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {}

    package func accountErased(_ account: UniqueID, on connection: any SQLConnection) throws {}

    package func effectOfMerge(
        of account: UniqueID, into other: UniqueID, on connection: any SQLConnection
    ) throws -> MergeEffect? { nil }

    package func accountMerged(
        _ account: UniqueID, into other: UniqueID, on connection: any SQLConnection
    ) throws {}

    package func emailChanged(of account: UniqueID, on connection: any SQLConnection) throws {}

    package func phoneChanged(
        of account: UniqueID, to digest: [UInt8]?, found digests: [[UInt8]], on connection: any SQLConnection
    ) throws -> [UniqueID] { [] }

    package func usesEnteredPhone(of account: UniqueID, on connection: any SQLConnection) throws -> Bool { false }

    package func openPayments(
        of account: UniqueID, sealing: SealingKeys, limit: Int, now: Timestamp, on connection: any SQLConnection
    ) throws -> [OpenPayment] { [] }

    package func payment(
        _ details: JSONObject, of account: UniqueID, in language: Language, sealing: SealingKeys,
        on connection: any SQLConnection
    ) throws -> String? { nil }

    package func waits(
        _ kind: String, _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool? { nil }
}
