/// A new e-mail address of the account (`POST /v1/account/email`). A code is sent there.
public struct EmailChangeRequest: WireRequest {
    /// The new address.
    public var email: EmailAddress

    /// Creates a request.
    /// - Parameter email: the new address.
    public init(email: EmailAddress) {
        self.email = email
    }
}

/// A new phone number of the account (`POST /v1/account/phone`). A code is sent there.
public struct PhoneChangeRequest: WireRequest {
    /// The new number in international form, such as `+35921234567`.
    public var phone: String

    /// Creates a request.
    /// - Parameter phone: the new number, as typed.
    public init(phone: String) {
        self.phone = phone
    }
}

/// An e-mail address or phone number that waits for its code.
public struct PendingContact: WireMessage {
    /// Where the code went, mostly hidden.
    public var destination: String
    /// How long the code works, in seconds. The change is dropped then.
    public var expiresIn: Int64

    /// Creates a value. Each parameter sets the property of the same name.
    public init(destination: String, expiresIn: Int64) {
        self.destination = destination
        self.expiresIn = expiresIn
    }
}

/// Confirms a new address or number (`POST /v1/account/email/confirm`, `POST /v1/account/phone/confirm`).
public struct ContactConfirmation: WireRequest {
    /// The code that was sent to it.
    public var code: OneTimeCode

    /// Creates a confirmation.
    /// - Parameter code: the code that was sent.
    public init(code: OneTimeCode) {
        self.code = code
    }
}
