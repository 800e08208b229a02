/// A merchant that a person works for and that has the app installed.
public struct Merchant: Hashable, Sendable {
    /// Its id, as `merchant_id` carries it.
    public let id: MerchantID
    /// Its name for people.
    public let name: String

    /// Each parameter is the property of its name.
    public init(id: MerchantID, name: String) {
        self.id = id
        self.name = name
    }

    /// Reads a member of `merchants`.
    /// - Parameter object: its members.
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
