package import Core
package import Kernel
package import WalletAuthWire
internal import Web

/// The content of the page on which a person decides on a device. The edge turns it into HTML; every value is text to be escaped.
package struct DevicePage: Sendable {
    package enum Step: Sendable {
        /// The field for the code, with what was typed, or came by the device's QR code.
        case code(String?)
        case confirmation(Confirmation)
        case ending(Ending)
    }

    /// The device, for the person who decides on it.
    package struct Confirmation: Sendable {
        package var client: String
        /// Which the device shows as well.
        package var code: String
        package var username: String
        package var scopes: [String]
        package var askedAt: Timestamp
        /// The device's network; `nil` if it is not known.
        package var network: String?
        /// That of the browser; `nil` if it is not known.
        package var ownNetwork: String?

        /// Whether the device may be somewhere else than the person.
        package var isElsewhere: Bool { network.map { $0 != ownNetwork } ?? false }
    }

    /// A page after which nothing follows.
    package enum Ending: Codable, Sendable, Hashable {
        case connected(client: String)
        case denied(client: String)
        /// The code has expired, or someone has decided on it.
        case over
        /// The person left without a decision.
        case left
        /// The person cannot sign in to the client here.
        case notPossible
    }

    package enum Notice: Codable, Sendable, Hashable {
        /// The same for a code that is unknown, has expired or was used, and for text that is none.
        case unknownCode
        /// Too many wrong codes, or sign-ins in this browser; the page is served with 429. Seconds.
        case tooManyAttempts(retryAfter: Int64)

        /// The notice some seconds later; `nil` once its wait is over.
        func after(_ seconds: Int64) -> Notice? {
            guard case .tooManyAttempts(let wait) = self else { return self }
            return wait > seconds ? .tooManyAttempts(retryAfter: wait - seconds) : nil
        }
    }

    /// A button of the page.
    package enum Action: Sendable {
        case enter(code: String)
        case confirm
        case deny
        case useAnotherAccount
    }

    /// The hidden fields of its forms. The page's address has the first one, if it answers a form.
    package var form: (request: String, csrf: String)?
    package var step: Step
    package var notice: Notice?
    /// The look of the client's brand; `nil` before a code was found.
    package var appearance: BrandAppearance?
    /// The languages of the request (`ui_locales`), best first.
    package var locales: [LocaleTag]
}

/// The part of a page's sealed state that is about a device.
package struct DevicePageState: Codable, Sendable {
    /// What a page of the device shows, for its address and its buttons.
    enum Shown: Codable, Sendable, Hashable {
        case code(DevicePage.Notice?, at: Timestamp)
        case confirmation
        case ending(DevicePage.Ending)
    }

    /// The id of the device's row; `nil` before a code was found.
    var grant: String?
    /// As the person typed it, or as the device shows it.
    var code: String?
    /// Whether the person who is named in the state has confirmed the device, and only has to give the client access.
    var isConfirmed: Bool?
    /// `nil` for a step of the sign-in.
    var shown: Shown?
}

/// The forms of the page; the templates write them.
enum DevicePageForm {
    /// The values of the parameter `action`, one for each button.
    enum Action: String {
        case enter
        case confirm = "connect"
        case deny
        case useAnotherAccount = "other_account"
    }

    /// - Throws: `MalformedValue` for input that the page never sends.
    static func parse(_ form: FormParameters) throws(MalformedValue) -> PageSubmission<DevicePage.Action> {
        let action: DevicePage.Action =
            switch Action(rawValue: try form.required("action")) {
            case .enter: .enter(code: try form.typed("user_code"))
            case .confirm: .confirm
            case .deny: .deny
            case .useAnotherAccount: .useAnotherAccount
            case nil: throw MalformedValue(field: "action", reason: "is unknown")
            }
        return try PageSubmission(form, action: action)
    }
}
