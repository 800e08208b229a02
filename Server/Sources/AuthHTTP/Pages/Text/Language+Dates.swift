import AuthCore
import Foundation

extension Language {
    /// A day as people write it, in UTC. The month names are spelled out here, because the system may have no locale
    /// data.
    func day(of time: Timestamp) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = Date(timeIntervalSince1970: TimeInterval(time.seconds))
        let day = calendar.component(.day, from: date)
        let month = months[calendar.component(.month, from: date) - 1]
        let year = calendar.component(.year, from: date)
        return switch self {
        case .english: "\(day) \(month) \(year)"
        case .german: "\(day). \(month) \(year)"
        case .french: "\(day == 1 ? "1er" : "\(day)") \(month) \(year)"
        case .spanish: "\(day) de \(month) de \(year)"
        case .bulgarian: "\(day) \(month) \(year) г."
        }
    }

    private var months: [String] {
        switch self {
        case .english:
            [
                "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                "November", "December",
            ]
        case .german:
            [
                "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
                "November", "Dezember",
            ]
        case .french:
            [
                "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
                "novembre", "décembre",
            ]
        case .spanish:
            [
                "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
                "noviembre", "diciembre",
            ]
        case .bulgarian:
            [
                "януари", "февруари", "март", "април", "май", "юни", "юли", "август", "септември", "октомври",
                "ноември", "декември",
            ]
        }
    }
}
