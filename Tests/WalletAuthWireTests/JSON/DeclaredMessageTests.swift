import Testing
import WalletAuthWire

@Suite("Messages as on the wire") struct DeclaredMessageTests {
    @Test("A declared message is written byte for byte as it was read", arguments: DeclaredMessage.all)
    func roundTrip(message: DeclaredMessage) throws {
        #expect(try JSONValue.object(message.recode(Sample.json(message.text))).text == message.text)
    }

    @Test("A malformed member is refused by its name on the wire", arguments: DeclaredMessage.all)
    func malformedMembers(message: DeclaredMessage) throws {
        let object = try Sample.json(message.text)
        for name in object.names {
            var malformed = object
            malformed[name] = [.null]
            let error = #expect(throws: MalformedValue.self) { try message.recode(malformed) }
            #expect(error?.field == name)
        }
    }

    @Test("A request refuses an unknown member, and an answer ignores it", arguments: DeclaredMessage.all)
    func unknownMembers(message: DeclaredMessage) throws {
        var object = try Sample.json(message.text)
        object["unknown"] = true
        if message.isRequest {
            #expect(throws: MalformedValue(field: "unknown", reason: "is a member that is not known here")) {
                try message.recode(object)
            }
        } else {
            #expect(try JSONValue.object(message.recode(object)).text == message.text)
        }
    }
}
