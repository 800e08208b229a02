package import WalletAuthWire

/// The times in a document that are not in RFC 3339 in UTC, each with the names that lead to it.
///
/// They are found by their shape: whatever is called a time, any number that could be one, and any text that begins with a date. A day
/// without a time, such as a birthday, is none.
package func wrongTimes(in value: JSONValue, at path: String = "") -> [String] {
    switch value {
    case .object(let object):
        object.members.flatMap { member -> [String] in
            let place = "\(path).\(member.name)"
            return isWrong(member.value, named: member.name) ? [place] : wrongTimes(in: member.value, at: place)
        }
    case .array(let elements):
        elements.enumerated().flatMap { index, element -> [String] in
            isWrong(element, named: "") ? ["\(path)[\(index)]"] : wrongTimes(in: element, at: "\(path)[\(index)]")
        }
    case .null, .bool, .integer, .number, .string: []
    }
}

private func isWrong(_ value: JSONValue, named name: String) -> Bool {
    let isTime = ["at", "since"].contains(name) || ["At", "Time", "Until"].contains(where: { name.hasSuffix($0) })
    switch value {
    case .integer(let number): return isTime || number > 1_000_000_000
    case .number: return isTime
    case .string(let text):
        let isRight = text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil
        return !isRight && (isTime || text.prefixMatch(of: /\d{4}-\d\d-\d\d[T ]/) != nil)
    case .null, .bool, .array, .object: return false
    }
}
