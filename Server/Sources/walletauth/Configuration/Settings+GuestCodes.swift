import Kernel

/// How many one-time passwords integrators' backends may have sent to guests.
extension Settings {
    static let guestCodesClient = Setting(
        "limits.guestCodes.client", type: "number", default: Int(GuestCodeLimits().client),
        """
        How many one-time passwords by SMS the backend of one client may have sent to guests in an hour. After that each further \
        one waits: 30 seconds, then twice as long each time up to five minutes, and the audit log has loyalty.codes_held. Each \
        number also has a limit of its own.
        """, parse: SettingTypes.integer(1...1_000_000))

    static let guestCodesMerchant = Setting(
        "limits.guestCodes.merchant", type: "number", default: Int(GuestCodeLimits().merchant),
        "The same for the guests of one merchant, through all clients.", parse: SettingTypes.integer(1...1_000_000))

    static let guestCodesNetwork = Setting(
        "limits.guestCodes.network", type: "number", default: Int(GuestCodeLimits().network),
        "The same for backends at one IPv4 address or /64 of IPv6.", parse: SettingTypes.integer(1...1_000_000))

    static let guestCodes: [any DeclaredSetting] = [guestCodesClient, guestCodesMerchant, guestCodesNetwork]
}
