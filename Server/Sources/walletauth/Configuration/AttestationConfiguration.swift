import Kernel
import SignIn

extension AttestationTrust {
    /// Reads the files. A list that cannot be read must stop the start: without it, revoked keys would count.
    /// - Parameter revocations: the path of the list of revoked Android keys.
    static func configured(
        in text: ConfiguredText, revocations: String?, faults: inout [Fault]
    ) -> AttestationTrust {
        var trust = AttestationTrust()
        trust.appleRoots = roots(Settings.appleRoots, in: text, faults: &faults)
        trust.androidRoots = roots(Settings.androidRoots, in: text, faults: &faults)
        if let path = revocations {
            let remedy = "Download it again from https://android.googleapis.com/attestation/status"
            let serials = read(
                path, of: Settings.androidRevocations, upTo: AndroidRevocations.maximumBytes, remedy, &faults
            ) { try AndroidRevocations.serials($0) }
            trust.revokedAndroidSerials.replace(with: serials ?? [])
        }
        return trust
    }

    private static func roots(
        _ setting: Setting<String?>, in text: ConfiguredText, faults: inout [Fault]
    ) -> String? {
        guard let path = text.value(of: setting, faults: &faults) else { return nil }
        return read(path, of: setting, upTo: 1_048_576, "Use certificates in PEM", &faults) { bytes in
            let pem = String(decoding: bytes, as: UTF8.self)
            _ = try AttestationRoots(pem: pem)
            return pem
        }
    }

    private static func read<Value>(
        _ path: String, of setting: Setting<String?>, upTo limit: Int, _ remedy: String, _ faults: inout [Fault],
        as parse: ([UInt8]) throws -> Value
    ) -> Value? {
        let bytes: [UInt8]
        do { bytes = try ReadableFile.bytes(path, upTo: limit) } catch {
            faults.add("\(setting.name): \(path) \(error.reason)", error.remedy ?? remedy)
            return nil
        }
        do { return try parse(bytes) } catch {
            faults.add("\(setting.name): \(path) does not have the form of its setting: \(error)", remedy)
            return nil
        }
    }
}
