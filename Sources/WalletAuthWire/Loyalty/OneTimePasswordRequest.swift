/// Has a one-time password sent to a guest's mobile phone (`POST /onetimepassword/generateAndSendSMSOTP.json`): by an integrator's
/// backend. The parameters are in the query.
public struct OneTimePasswordRequest: Hashable, Sendable {
    /// The guest's merchant.
    public var merchantID: Int64
    /// The number, in any spelling.
    public var mobilePhone: String

    /// Creates a value. Each parameter sets the property of the same name.
    public init(merchantID: Int64, mobilePhone: String) {
        self.merchantID = merchantID
        self.mobilePhone = mobilePhone
    }

    /// Reads a request's query.
    /// - Parameter query: the parameters.
    /// - Throws: ``LoyaltyFailure`` to answer with.
    public init(_ query: FormParameters) throws(LoyaltyFailure) {
        guard let merchant = query["merchantId"].flatMap({ Int64($0) }) else {
            throw LoyaltyFailure(MalformedValue(field: "merchantId", reason: "is not a number"))
        }
        merchantID = merchant
        mobilePhone = try MobilePhone.checked(query["mobilePhone"])
    }

    /// The parameters.
    public var query: FormParameters {
        var query = FormParameters()
        query.append("merchantId", String(merchantID))
        query.append("mobilePhone", mobilePhone)
        return query
    }
}

/// `mobilePhone` of a request. Whether it is a number, the server decides.
enum MobilePhone {
    static func checked(_ text: String?) throws(LoyaltyFailure) -> String {
        guard let text, !text.isEmpty else { throw .field("mobilePhone", .required) }
        guard TextRule.printable(text, 1...64) == nil else { throw .field("mobilePhone", .invalid) }
        return text
    }
}
