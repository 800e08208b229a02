// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// No part of Apple's framework: the keychain behind the stubs, which a test scripts. Items are found by service and account.
import Foundation

public final class KeychainScript: @unchecked Sendable {
    public static let current = KeychainScript()

    private let lock = NSLock()
    private var items: [String: [String: Any]] = [:]
    private var answers: [OSStatus] = []
    private var addedByAnother: Set<String> = []

    /// What the next calls answer, one after the other, without doing anything.
    public func answerNext(_ statuses: OSStatus...) {
        lock.withLock { answers += statuses }
    }

    /// Has another process add the account's item just before this one does.
    public func addByAnother(_ account: String) {
        lock.withLock { _ = addedByAnother.insert(account) }
    }

    /// The attributes of an account's item.
    public func attributes(_ account: String) -> [String: Any]? {
        lock.withLock { items.first { $0.value["acct"] as? String == account }?.value }
    }

    func copyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
        lock.withLock {
            if let answer = nextAnswer() { return answer }
            guard let item = items[key(query)], let value = item["v_Data"] as? Data else { return errSecItemNotFound }
            result?.pointee = NSData(data: value)
            return errSecSuccess
        }
    }

    func add(_ attributes: CFDictionary) -> OSStatus {
        lock.withLock {
            if let answer = nextAnswer() { return answer }
            if addedByAnother.remove(attributes["acct"] as? String ?? "") != nil {
                items[key(attributes)] = members(attributes).merging(["v_Data": Data("another's".utf8)]) { $1 }
            }
            guard items[key(attributes)] == nil else { return errSecDuplicateItem }
            items[key(attributes)] = members(attributes)
            return errSecSuccess
        }
    }

    func update(_ query: CFDictionary, _ attributes: CFDictionary) -> OSStatus {
        lock.withLock {
            if let answer = nextAnswer() { return answer }
            guard items[key(query)] != nil else { return errSecItemNotFound }
            items[key(query)]?.merge(members(attributes)) { $1 }
            return errSecSuccess
        }
    }

    func delete(_ query: CFDictionary) -> OSStatus {
        lock.withLock {
            if let answer = nextAnswer() { return answer }
            return items.removeValue(forKey: key(query)) == nil ? errSecItemNotFound : errSecSuccess
        }
    }

    private func nextAnswer() -> OSStatus? { answers.isEmpty ? nil : answers.removeFirst() }

    private func key(_ query: CFDictionary) -> String { "\(query["svce"] ?? "")/\(query["acct"] ?? "")" }

    private func members(_ dictionary: CFDictionary) -> [String: Any] {
        var members: [String: Any] = [:]
        for (name, value) in dictionary { members["\(name)"] = value }
        return members
    }
}
