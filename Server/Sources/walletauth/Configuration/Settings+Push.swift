/// Push messages to the phones of people whose approval is awaited.
extension Settings {
    static let apnsTeam = Setting(
        "push.apns.team", type: "text", fallback: "none",
        "Your team's id at Apple. Together with the key it turns on push messages to iPhones.",
        parse: SettingTypes.identifier)

    static let apnsKeyID = Setting(
        "push.apns.keyId", type: "text", fallback: "none",
        "The id of the key for Apple's push service.", parse: SettingTypes.identifier)

    static let apnsKeyFile = Setting(
        "push.apns.keyFile", type: "path", fallback: "none",
        "The key: Apple's file AuthKey_….p8.",
        parse: SettingTypes.text)

    static let apnsTopic = Setting(
        "push.apns.topic", type: "text", fallback: "none",
        "The app's bundle id. A client with --push-topic has its own.", parse: SettingTypes.pushTopic)

    static let apnsURL = Setting(
        "push.apns.url", type: "URL", fallback: "Apple's service",
        "A substitute for Apple's service, only in the sandbox.", parse: SettingTypes.webURL)

    static let fcmCredentialsFile = Setting(
        "push.fcm.credentialsFile", type: "path", fallback: "none",
        """
        The JSON key of a service account that may send by Firebase Cloud Messaging. It turns on push messages to apps \
        with Firebase.
        """, parse: SettingTypes.text)

    static let fcmURL = Setting(
        "push.fcm.url", type: "URL", fallback: "Google's service",
        "A substitute for Firebase, only in the sandbox; it also gives access tokens, at /token.",
        parse: SettingTypes.webURL)

    static let push: [any DeclaredSetting] = [
        apnsTeam, apnsKeyID, apnsKeyFile, apnsTopic, apnsURL, fcmCredentialsFile, fcmURL,
    ]
}
