import Foundation

/// A brand's color, and the stylesheet that puts it in place of the accent.
///
/// A brand chooses any color it likes and the pages stay readable: the text on it is black or white, whichever contrasts
/// more (one of the two always reaches 4.5 to 1), as a color of links it is moved toward black or white until it
/// contrasts with the surface behind it, and so is the edge of a button, by 3 to 1, that would else be lost on the card.
struct BrandColor: Sendable, Hashable {
    private let red: Double
    private let green: Double
    private let blue: Double

    /// - Parameter hex: six hexadecimal digits, with or without `#`; `nil` for anything else. Nothing but such digits
    ///   ever reaches the stylesheet.
    init?(_ hex: some StringProtocol) {
        let digits = hex.hasPrefix("#") ? hex.dropFirst() : hex[...]
        guard digits.utf8.count == 6, digits.utf8.allSatisfy(Self.isHexDigit), let value = UInt32(digits, radix: 16)
        else { return nil }
        self.init(Double(value >> 16 & 0xff), Double(value >> 8 & 0xff), Double(value & 0xff))
    }

    /// Whole channels only, so that the color judged here is the color in the stylesheet.
    private init(_ red: Double, _ green: Double, _ blue: Double) {
        self.red = red.rounded()
        self.green = green.rounded()
        self.blue = blue.rounded()
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static let white = BrandColor(255, 255, 255)
    private static let black = BrandColor(0, 0, 0)
    /// The darkest ground of the light scheme and the lightest of the dark one that links stand on.
    private static let lightGround = BrandColor(0xf3, 0xf5, 0xf8)
    private static let darkGround = BrandColor(0x17, 0x1d, 0x25)

    /// Six lowercase digits: the name of its stylesheet.
    var hex: String {
        [red, green, blue].map { channel in
            let digits = String(Int(channel), radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The color of text on this color.
    var ink: BrandColor { contrast(with: .white) >= contrast(with: .black) ? .white : .black }

    /// The color moved toward black or white in small steps until it contrasts with a ground: text by 4.5 to 1, what is
    /// no text by 3 (WCAG 2.2 §1.4.3, §1.4.11).
    func readable(on ground: BrandColor, ratio: Double = 4.5) -> BrandColor {
        let target: BrandColor = ground.luminance > 0.5 ? .black : .white
        for step in 0...20 {
            let share = Double(step) / 20
            let mixed = BrandColor(
                red + (target.red - red) * share, green + (target.green - green) * share,
                blue + (target.blue - blue) * share)
            if mixed.contrast(with: ground) >= ratio { return mixed }
        }
        return target
    }

    /// The contrast ratio of WCAG 2.2, 1 to 21.
    func contrast(with other: BrandColor) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// Relative luminance as WCAG 2.2 defines it.
    private var luminance: Double {
        func linear(_ channel: Double) -> Double {
            let value = channel / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    private func scheme(on ground: BrandColor) -> String {
        "--link: #\(readable(on: ground).hex); --edge: #\(readable(on: ground, ratio: 3).hex);"
    }

    /// A stylesheet that comes after ``Stylesheet`` and replaces its accent.
    var stylesheet: String {
        """
        :root { --accent: #\(hex); --on-accent: #\(ink.hex); \(scheme(on: Self.lightGround)) }
        @media (prefers-color-scheme: dark) { :root { \(scheme(on: Self.darkGround)) } }

        """
    }
}
