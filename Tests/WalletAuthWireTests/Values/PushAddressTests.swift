import Testing
import WalletAuthWire

@Suite("Push addresses")
struct PushAddressTests {
    private func read(_ token: String, _ service: String?) throws -> PushAddress {
        var object = JSONObject()
        object.set("token", token)
        object.set("environment", "production")
        object.set("service", service)
        return try PushAddress(object)
    }

    @Test("Without a service, a token is Apple's: 32 to 100 bytes in hexadecimal")
    func apple() throws {
        for count in [64, 66, 200] {
            for service in [nil, "apns"] {
                let address = try read(String(repeating: "aF", count: count / 2), service)
                #expect(address.service == .apns)
                #expect(address.json["service"] == nil)
            }
        }
        let reason = "is not 32 to 100 bytes in hexadecimal"
        for token in [
            String(repeating: "a", count: 62), String(repeating: "a", count: 65), String(repeating: "a", count: 202),
            String(repeating: "g", count: 64), String(repeating: "a", count: 62) + "/.",
        ] {
            #expect(throws: MalformedValue(field: "token", reason: reason)) { try read(token, nil) }
        }
    }

    @Test("Firebase's token is visible text of any length up to 4096")
    func firebase() throws {
        for token in ["f", "abc:APA91b_-", String(repeating: "x", count: 4096)] {
            let address = try read(token, "fcm")
            #expect(address.service == .fcm)
            #expect(address.json["service"] == "fcm")
        }
        for token in ["", "a b", "ä", String(repeating: "x", count: 4097)] {
            let error = #expect(throws: MalformedValue.self) { try read(token, "fcm") }
            #expect(error?.field == "token")
        }
        let error = #expect(throws: MalformedValue.self) { try read("abc", "wns") }
        #expect(error?.field == "service")
    }
}
