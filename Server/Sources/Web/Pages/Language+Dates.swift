package import Core
internal import Foundation

extension Language {
    /// A day as people write it, in the page's zone, with spaces at which no line breaks. The month names are from the catalog, because the
    /// system may have no locale data.
    package func day(of time: Timestamp) -> String { day(at: time.seconds + Self.offset(at: time)) }

    /// - Parameter seconds: since 1970, as a clock on the wall has them.
    private func day(at seconds: Int64) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        let day = calendar.component(.day, from: date)
        let month = texts()[MonthName.allCases[calendar.component(.month, from: date) - 1]]
        let year = calendar.component(.year, from: date)
        let text =
            switch self {
            case .english: "\(day) \(month) \(year)"
            case .german: "\(day). \(month) \(year)"
            case .french: "\(day == 1 ? "1er" : "\(day)") \(month) \(year)"
            case .spanish: "\(day) de \(month) de \(year)"
            case .bulgarian: "\(day) \(month) \(year) г."
            }
        return text.replacing(" ", with: "\u{A0}")
    }

    /// A day with the time to the minute, in the page's zone, which it names. A line breaks between the two only.
    package func moment(of time: Timestamp) -> String {
        let offset = Self.offset(at: time)
        let seconds = time.seconds + offset
        let (hour, minute) = (seconds / 3600 % 24, seconds / 60 % 60)
        let clock = "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        return "\(day(at: seconds)), \(clock)\u{A0}\(PageZone.name(of: offset))"
    }

    private static func offset(at time: Timestamp) -> Int64 { PageZone.current?.offset(at: time.seconds) ?? 0 }
}

/// The names of the months.
package enum MonthName: String, TextKey {
    package static let section = "months"

    case january, february, march, april, may, june, july, august, september, october, november, december
}
