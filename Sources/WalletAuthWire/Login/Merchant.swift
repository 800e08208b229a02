/// A merchant that a person works for and that has the app installed.
public struct Merchant: WireMessage {
    /// Its id, as in `merchant_id`.
    public let id: MerchantID
    /// The display name.
    public let name: String

    /// Creates a value. Each parameter sets the property of the same name.
    public init(id: MerchantID, name: String) {
        self.id = id
        self.name = name
    }
}
