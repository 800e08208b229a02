/// A merchant that a person works for and that has the app installed.
public struct Merchant: Hashable, Sendable {
    /// Its id, as in `merchant_id`.
    public let id: MerchantID
    /// The display name.
    public let name: String

    /// Creates a value. Each parameter sets the property of the same name.
    public init(id: MerchantID, name: String) {
        self.id = id
        self.name = name
    }

    /// Reads a member of `merchants`.
    /// - Parameter object: its members.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        id = try MerchantID(object.required("id", object.string("id")))
        name = try object.required("name", object.string("name"))
    }

    /// A member of `merchants`.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("id", id.rawValue)
        object.set("name", name)
        return object
    }
}
