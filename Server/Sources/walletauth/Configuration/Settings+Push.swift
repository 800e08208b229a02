/// Push messages to the phones of people whose approval is awaited.
extension Settings {
    static let apnsTeam = Setting(
        "push.apns.team", type: "text", fallback: "none",
        "The id of your team at Apple, ten characters. Together with the key it turns on push messages to iPhones.",
        parse: SettingTypes.identifier)

    static let apnsKeyID = Setting(
        "push.apns.keyId", type: "text", fallback: "none",
        "The id of the key for Apple's push service, ten characters.", parse: SettingTypes.identifier)

    static let apnsKeyFile = Setting(
        "push.apns.keyFile", type: "path", fallback: "none",
        "The key for Apple's push service: the file AuthKey_….p8 that Apple offers for download once.",
        parse: SettingTypes.text)

    static let apnsTopic = Setting(
        "push.apns.topic", type: "text", fallback: "none",
        "The app's bundle id. A client with --push-topic has its own.", parse: SettingTypes.pushTopic)

    static let apnsURL = Setting(
        "push.apns.url", type: "URL", fallback: "Apple's service",
        "A substitute for Apple's service, without a path. Only in the sandbox.", parse: SettingTypes.webURL)

    static let fcmCredentialsFile = Setting(
        "push.fcm.credentialsFile", type: "path", fallback: "none",
        """
        The key of a service account that may send by Firebase Cloud Messaging, as JSON. It turns on push messages to \
        apps that use Firebase.
        """, parse: SettingTypes.text)

    static let fcmURL = Setting(
        "push.fcm.url", type: "URL", fallback: "Google's service",
        "A substitute for Firebase, without a path; it also gives access tokens, at /token. Only in the sandbox.",
        parse: SettingTypes.webURL)

    static let push: [any DeclaredSetting] = [
        apnsTeam, apnsKeyID, apnsKeyFile, apnsTopic, apnsURL, fcmCredentialsFile, fcmURL,
    ]
}
