internal import Core
internal import Kernel
package import WalletAuthWire

/// What a document counts its times in.
package enum ExportedTimeUnit: Sendable {
    case seconds, milliseconds

    fileprivate func time(_ number: Int64) -> Timestamp {
        switch self {
        case .seconds: Timestamp(seconds: number)
        case .milliseconds: Timestamp(milliseconds: number)
        }
    }
}

extension JSONObject {
    /// The same for an export, with every time as text in UTC (RFC 3339). Evidence and what a device signs have numbers, in two units.
    ///
    /// A time is a number whose name is `at`, or ends in `At`, `Time` or `Until`.
    package func exported(timesIn unit: ExportedTimeUnit) -> JSONObject {
        var object = JSONObject()
        for member in members {
            let (name, value) = (member.name, member.value)
            if let number = value.integer,
                name == "at" || ["At", "Time", "Until"].contains(where: { name.hasSuffix($0) })
            {
                object.set(name, unit.time(number).text)
            } else {
                object[name] = value.exported(timesIn: unit)
            }
        }
        return object
    }
}

extension JSONValue {
    fileprivate func exported(timesIn unit: ExportedTimeUnit) -> JSONValue {
        switch self {
        case .object(let object): .object(object.exported(timesIn: unit))
        case .array(let elements): .array(elements.map { $0.exported(timesIn: unit) })
        case .null, .bool, .integer, .number, .string: self
        }
    }
}
