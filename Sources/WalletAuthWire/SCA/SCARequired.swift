/// A backend's answer in place of an operation's result: a 403 that says how the person can agree.
public struct SCARequired: Hashable, Sendable {
    /// The HTTP status.
    public static let httpStatus = 403
    /// The problem's code.
    public static let code = "sca_required"

    /// The event.
    public var eventID: SCAEventID
    /// The operation.
    public var operationID: WalletOperationID
    /// The ways to agree; empty if the session has none, as one whose sign-in was approved from another device.
    public var availableVerifications: [AvailableVerification]

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        eventID: SCAEventID, operationID: WalletOperationID, availableVerifications: [AvailableVerification]
    ) {
        self.eventID = eventID
        self.operationID = operationID
        self.availableVerifications = availableVerifications
    }

    /// Reads a problem document (RFC 9457).
    /// - Parameter object: the body of a 403.
    /// - Returns: nil if it is another problem, or offers no known way.
    public init?(problem object: JSONObject) {
        guard object["code"]?.string == Self.code,
            let event: SCAEventID = try? object.value("eventId"),
            let operation: WalletOperationID = try? object.value("walletOperationId"),
            let verifications = try? AvailableVerification.list(in: object), !verifications.isEmpty
        else { return nil }
        self.init(eventID: event, operationID: operation, availableVerifications: verifications)
    }

    /// The problem.
    public var json: JSONObject {
        var object = Problem(
            status: Self.httpStatus, code: Self.code, title: "Strong customer authentication is required",
            detail: availableVerifications.isEmpty
                ? """
                This session offers no way to consent. If another device approved its sign-in, sign in on this device and \
                request it again; otherwise the person has to add a factor first.
                """
                : "Obtain the person's consent with one of availableVerifications, then repeat the request with scaDetails."
        ).json
        object.set("eventId", eventID)
        object.set("walletOperationId", operationID)
        object["availableVerifications"] = .array(availableVerifications.map { .object($0.json) })
        return object
    }
}

/// The member `scaDetails` that an app adds when it repeats its request after the consent.
public struct SCADetails: WireRequest {
    /// The event.
    public var eventID: SCAEventID
    /// The operation.
    public var operationID: WalletOperationID

    /// Creates a value. Each parameter sets the property of the same name.
    public init(eventID: SCAEventID, operationID: WalletOperationID) {
        self.eventID = eventID
        self.operationID = operationID
    }

    enum CodingKeys: String, CodingKey {
        case eventID = "eventId"
        case operationID = "walletOperationId"
    }
}
