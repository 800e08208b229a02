import Core
import Kernel
import Outbound
import WalletAuthWire

/// The configuration of push messages. The keys are in files, which are read at start.
struct PushConfiguration: Sendable {
    struct APNs: Sendable {
        var key: APNsKey
        var keyFile: String
        var topic: String?
        var url: String?
    }

    struct FCM: Sendable {
        var credentials: FCMCredentials
        var file: String
        var url: String?
    }

    var apns: APNs?
    var fcm: FCM?

    /// The services that are not configured.
    var undeliverable: Set<PushService> {
        var services = Set(PushService.allCases)
        if apns != nil { services.remove(.apns) }
        if fcm != nil { services.remove(.fcm) }
        return services
    }
}

extension PushConfiguration {
    static func configured(
        in text: ConfiguredText, environment: ServerSettings.Environment, faults: inout [Fault]
    ) -> PushConfiguration {
        let substitutes = [Settings.apnsURL, Settings.fcmURL]
        for setting in substitutes where environment == .production && text.isGiven(setting) {
            faults.add(
                "\(text.origin(of: setting)) names a substitute for the push service, which is only for the sandbox",
                "Leave out \(setting.name)")
        }
        return PushConfiguration(apns: apns(in: text, faults: &faults), fcm: fcm(in: text, faults: &faults))
    }

    private static func apns(in text: ConfiguredText, faults: inout [Fault]) -> APNs? {
        let team = text.value(of: Settings.apnsTeam, faults: &faults)
        let keyID = text.value(of: Settings.apnsKeyID, faults: &faults)
        let file = text.value(of: Settings.apnsKeyFile, faults: &faults)
        let topic = text.value(of: Settings.apnsTopic, faults: &faults)
        let url = text.value(of: Settings.apnsURL, faults: &faults)
        let given = (Settings.apnsTeam as any DeclaredSetting, text.isGiven(Settings.apnsTeam))
        faults += text.halves(given, (Settings.apnsKeyID, text.isGiven(Settings.apnsKeyID)))
        faults += text.halves(given, (Settings.apnsKeyFile, text.isGiven(Settings.apnsKeyFile)))
        for lonely in [Settings.apnsTopic, Settings.apnsURL] where text.isGiven(lonely) && !given.1 {
            faults.append(.missing(Settings.apnsTeam, besides: lonely, in: text))
        }
        guard let team, let keyID, let file else { return nil }
        let remedy = "Use the AuthKey_….p8 file of a key for Apple's push service (APNs)"
        let parse = { (bytes: [UInt8]) throws(MalformedValue) in try ApplePrivateKey(file: bytes) }
        guard let key = read(file, of: Settings.apnsKeyFile, remedy, &faults, as: parse) else { return nil }
        return APNs(key: APNsKey(team: team, id: keyID, key: key), keyFile: file, topic: topic, url: url.map(base))
    }

    private static func fcm(in text: ConfiguredText, faults: inout [Fault]) -> FCM? {
        let file = text.value(of: Settings.fcmCredentialsFile, faults: &faults)
        let url = text.value(of: Settings.fcmURL, faults: &faults)
        if text.isGiven(Settings.fcmURL), !text.isGiven(Settings.fcmCredentialsFile) {
            faults.append(.missing(Settings.fcmCredentialsFile, besides: Settings.fcmURL, in: text))
        }
        let remedy = "Use the JSON key of a service account, from the Firebase console"
        let parse = { (bytes: [UInt8]) throws(MalformedValue) in try FCMCredentials(file: bytes) }
        guard let file, let credentials = read(file, of: Settings.fcmCredentialsFile, remedy, &faults, as: parse) else {
            return nil
        }
        return FCM(credentials: credentials, file: file, url: url.map(base))
    }

    private static func base(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

    private static func read<Key>(
        _ path: String, of setting: any DeclaredSetting, _ remedy: String, _ faults: inout [Fault],
        as parse: ([UInt8]) throws(MalformedValue) -> Key
    ) -> Key? {
        if let status = FileStatus(path: path) {
            faults += SecretSetting.accessFaults(status, path, named: setting.name)
        }
        do {
            return try parse(try ReadableFile.bytes(path, upTo: 64 * 1024))
        } catch let error as ReadableFile.Unreadable {
            faults.add("the file \(path) \(error.reason)", error.remedy ?? remedy)
        } catch let error as MalformedValue {
            faults.add("the file \(path) \(error.reason)", remedy)
        } catch {
            faults.add("the file \(path) cannot be read", remedy)
        }
        return nil
    }

    /// The services that are configured; nil if there is none.
    func transport(policy: AddressPolicy, timeout: Duration) -> (any MessageTransport)? {
        let http = GuardedHTTP.multiplexing(policy: policy, timeout: timeout)
        var services: [PushService: any MessageTransport] = [:]
        if let apns { services[.apns] = APNsTransport(apns.key, topic: apns.topic, url: apns.url, http: http) }
        if let fcm { services[.fcm] = FCMTransport(fcm.credentials, url: fcm.url, http: http) }
        return services.isEmpty ? nil : PushTransports(services)
    }
}
