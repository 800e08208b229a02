internal import Kernel
internal import SignIn
internal import WalletAuthWire

/// What support sees of an answer: enough of an address for its holder to confirm it, and nothing of where people live or when they
/// were born.
struct SupportView: Sendable {
    /// Of the account that a part of the answer is about. Its sentences repeat them.
    private var names: [AddressName] = []

    static func of(_ answer: JSONObject) -> JSONObject { SupportView().masked(answer) }

    /// Leaves out the messages that anyone causes who types an address. Their recipient and state tell whether an account has it, and no
    /// limit counts who asks that way.
    static func withoutGuesses(_ answer: JSONObject) -> JSONObject {
        guard let messages = answer["messages"]?.array else { return answer }
        var answer = answer
        answer["messages"] = .array(
            messages.filter { message in
                message.object?["kind"]?.string.map { !guessable.contains($0) } ?? true
            })
        return answer
    }

    private static let guessable: Set<String> = Set(
        RecoveryMessage.Kind.allCases.filter(\.isForTypedAddress).map(\.rawValue)
            + RegistrationMessage.Kind.allCases.filter(\.isForTypedAddress).map(\.rawValue))

    private func masked(_ object: JSONObject) -> JSONObject {
        var view = self
        let own = [object["username"]?.string].compactMap(\.self) + (object["usernames"]?.strings ?? [])
        view.names += own.compactMap { AddressName($0) }
        var masked = JSONObject()
        for member in object.members {
            switch (member.name, member.value) {
            case ("email", .string(let text)), ("enteredEmail", .string(let text)):
                masked.set(member.name, AccountVault.masked(text, of: .email))
            case ("phone", .string(let text)), ("enteredPhone", .string(let text)):
                masked.set(member.name, AccountVault.masked(text, of: .sms))
            case ("address", _), ("network", _), ("postalAddress", _), ("birthdate", _): continue
            case (_, let value): masked[member.name] = view.masked(value)
            }
        }
        return masked
    }

    private func masked(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object): .object(masked(object))
        case .array(let values): .array(values.map { masked($0) })
        case .string(let text): .string(names.reduce(text) { $0.replacing($1.name, with: $1.masked) })
        default: value
        }
    }
}

extension RecoveryMessage.Kind {
    /// Whether the message is written for the address that someone typed, before anything is proved.
    fileprivate var isForTypedAddress: Bool {
        switch self {
        case .code, .noPassword, .byPasskey, .sharedAddress: true
        case .recovered, .recoveredOnDevice, .stopped: false
        }
    }
}

extension RegistrationMessage.Kind {
    /// Whether the message is written for the address that someone typed, before anything is proved.
    fileprivate var isForTypedAddress: Bool {
        switch self {
        case .code, .existing, .existingByPhone: true
        case .made: false
        }
    }
}
