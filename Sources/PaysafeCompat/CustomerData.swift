public import Foundation
public import WalletAuth

extension Wallet {
    /// The kind of a customer's address.
    public enum CustomerDataVerificationAttributeType: String, Sendable, Hashable {
        /// An e-mail address.
        case email = "EMAIL"
        /// A phone number with the country's code.
        case mobile = "MOBILE"
    }

    /// An address that the person has to prove.
    public struct CustomerDataVerificationAttribute: Sendable, Hashable {
        /// The kind.
        public var type: CustomerDataVerificationAttributeType
        /// The address as typed.
        public var value: String

        /// Creates an attribute. Each parameter sets the property of the same name.
        public init(type: CustomerDataVerificationAttributeType, value: String) {
            self.type = type
            self.value = value
        }
    }

    /// What an address is proved for.
    public enum CustomerDataVerificationFlow: String, Sendable, Hashable {
        /// A new account: ``WalletSetupService/onboardCustomer(request:completion:)``.
        case walletSetup = "WALLET_SETUP"
        /// Another address of the person who is signed in. It is refused here: `walletAuth?.account` changes addresses.
        case walletUpdate = "WALLET_UPDATE"
        /// A forgotten password: ``WalletSetupService/changeCustomerCredentials(request:completion:)``. Only `.email` has it.
        case passwordReset = "PASSWORD_RESET"
    }

    /// How the code is delivered: `.email` or `.sms`.
    public typealias CustomerDataVerificationNotificationType = SCA.Verification

    /// A request for a code to an address.
    public struct CustomerDataVerificationRequest: Sendable, Hashable {
        /// The address.
        public var attribute: CustomerDataVerificationAttribute
        /// What it is proved for.
        public var flow: CustomerDataVerificationFlow

        /// Creates a request. Each parameter sets the property of the same name.
        public init(attribute: CustomerDataVerificationAttribute, flow: CustomerDataVerificationFlow = .walletSetup) {
            self.attribute = attribute
            self.flow = flow
        }
    }

    /// A verification that waits for its code. How many may be begun is not in it: the server has no such number for the app.
    public struct CustomerDataVerificationResponse: Sendable, Hashable {
        /// The verification, in this process.
        public let verificationID: String
        /// The same as ``verificationID``, as the page's text spells it.
        public var verificationId: String { verificationID }
        /// The address.
        public let attribute: CustomerDataVerificationAttribute
        /// What it is proved for.
        public let flow: CustomerDataVerificationFlow
        /// How the code is delivered.
        public let notificationType: CustomerDataVerificationNotificationType
        /// When the response arrived, by this device's clock.
        public let creationTime: Date
        /// When the code ends, by this device's clock; nil if this call sent none.
        public let expirationTime: Date?
        /// Whether this call sent a message. False if it came too soon after the last one, whose code is still valid.
        public let wasSent: Bool
    }

    /// The code that the person typed.
    public struct CustomerDataVerificationAttemptRequest: Sendable {
        let attribute: CustomerDataVerificationAttribute
        let value: Redacted

        /// Creates a request.
        /// - Parameters:
        ///   - attribute: the address of the verification.
        ///   - notificationType: how the code was delivered; the server knows it and does not need it.
        ///   - value: the code as typed.
        public init(
            attribute: CustomerDataVerificationAttribute,
            notificationType: CustomerDataVerificationNotificationType? = nil, value: String
        ) {
            self.attribute = attribute
            self.value = Redacted(value)
        }
    }

    /// The status of an attempt.
    public enum CustomerDataVerificationAttemptStatus: String, Sendable, Hashable {
        /// The address is proved.
        case verified = "VERIFIED"
        /// The code is wrong.
        case failed = "FAILED"
    }

    /// The outcome of an attempt.
    public struct CustomerDataVerificationAttemptResponse: Sendable, Hashable {
        /// The attempt, in this process.
        public let verificationAttemptID = UUID().uuidString.lowercased()
        /// The verification.
        public let verificationID: String
        /// The same as ``verificationID``, as the page's text spells it.
        public var verificationId: String { verificationID }
        /// The address.
        public let attribute: CustomerDataVerificationAttribute
        /// How the code was delivered.
        public let notificationType: CustomerDataVerificationNotificationType
        /// The status.
        public let status: CustomerDataVerificationAttemptStatus
        /// Why the attempt failed: `INVALID_VALUE`. Nil if it did not.
        public var statusReason: String? {
            status == .failed ? SCAAuthenticationEventAttemptStatusReason.invalidValue.rawValue : nil
        }
        /// How many wrong codes there were.
        public let currentAttempts: Int
        /// How many wrong codes end a verification: five.
        public let allowableAttempts = DataVerifications.allowableAttempts
        /// When the response arrived, by this device's clock.
        public let creationTime = Date()
        /// The brand's terms, which a new customer accepts: show a link to them. Nil if the brand has none.
        public let termsURL: String?
    }

    /// A proved address, and its verification.
    public struct CustomerIdentifier: Sendable, Hashable {
        let value: String
        let verificationID: String

        /// Creates an identifier.
        /// - Parameters:
        ///   - value: the address.
        ///   - verificationId: from ``CustomerDataVerificationResponse``.
        public init(value: String, verificationId: String) {
            self.value = value
            verificationID = verificationId
        }
    }

    /// The proved address of a customer: one of the two.
    public struct CustomerIdentifiers: Sendable, Hashable {
        let email: CustomerIdentifier?
        let mobile: CustomerIdentifier?

        /// Creates identifiers.
        /// - Parameters:
        ///   - email: the e-mail address.
        ///   - mobile: the phone number. An account is made with one proved address, so both are refused.
        public init(email: CustomerIdentifier? = nil, mobile: CustomerIdentifier? = nil) {
            self.email = email
            self.mobile = mobile
        }
    }

    /// The password that a customer chose.
    public struct CustomerCredentials: Sendable {
        let password: Redacted

        /// Creates credentials.
        /// - Parameter password: the password as typed; it is sent once and not stored.
        public init(password: String) { self.password = Redacted(password) }
    }

    /// What an account is made with. The server keeps no other data of a customer, so there is no place for it.
    public struct CustomerOnboardingRequest: Sendable {
        let identifiers: CustomerIdentifiers
        let credentials: CustomerCredentials
        let username: String?
        let locale: String?
        let acceptedTerms: String?

        /// Creates a request.
        /// - Parameters:
        ///   - customerIdentifiers: the proved address.
        ///   - customerCredentials: the password.
        ///   - username: the user name that the person chose; nil for the address.
        ///   - locale: the person's language (BCP 47).
        ///   - acceptedTerms: the version or address of the terms that the person accepted.
        public init(
            customerIdentifiers: CustomerIdentifiers, customerCredentials: CustomerCredentials, username: String? = nil,
            locale: String? = nil, acceptedTerms: String? = nil
        ) {
            identifiers = customerIdentifiers
            credentials = customerCredentials
            self.username = username
            self.locale = locale
            self.acceptedTerms = acceptedTerms
        }
    }

    /// A new customer, who is signed in.
    public struct CustomerInfo: Sendable {
        /// The account (`sub`); nil if the server does not say it.
        public let id: String?
        /// The access token, for ``Wallet/authenticate(_:completion:)``, as after a sign-in.
        public var authToken: String { token.accessToken }
        let token: TokenResponse
    }

    /// A new password for a customer who proved the account's address.
    public struct CustomerCredentialsRequest: Sendable {
        let identifiers: CustomerIdentifiers
        let credentials: CustomerCredentials

        /// Creates a request.
        /// - Parameters:
        ///   - customerIdentifiers: the proved e-mail address.
        ///   - customerCredentials: the new password.
        public init(customerIdentifiers: CustomerIdentifiers, customerCredentials: CustomerCredentials) {
            identifiers = customerIdentifiers
            credentials = customerCredentials
        }
    }
}
