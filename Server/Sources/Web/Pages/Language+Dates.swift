package import Core
internal import Foundation

extension Language {
    /// A day as people write it, in UTC, with spaces at which no line breaks. The month names are from the catalog, because the system
    /// may have no locale data.
    package func day(of time: Timestamp) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = Date(timeIntervalSince1970: TimeInterval(time.seconds))
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

    /// A day with the time to the minute, in UTC. A line breaks between the two only.
    package func moment(of time: Timestamp) -> String {
        let minutes = time.seconds / 60
        let (hour, minute) = (minutes / 60 % 24, minutes % 60)
        return "\(day(of: time)), \(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)\u{A0}UTC"
    }
}

/// The names of the months.
package enum MonthName: String, TextKey {
    package static let section = "months"

    case january, february, march, april, may, june, july, august, september, october, november, december
}
