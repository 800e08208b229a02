/// The active codes of ISO 4217 with their minor units: list one as published on 2026-01-01.
///
/// Codes without a minor unit are left out: metals, bond market units, the units of account XDR, XSU and XUA, XTS for
/// tests and XXX for no currency. BGN left the list on that day, when Bulgaria adopted the euro.
enum CurrencyList {
    static let minorUnitDigits: [String: Int] = {
        var digits: [String: Int] = [:]
        for (count, codes) in [(0, none), (2, two), (3, three), (4, four)] {
            for code in codes.split(whereSeparator: \.isWhitespace) { digits[String(code)] = count }
        }
        return digits
    }()

    private static let none = """
        BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF
        """
    private static let two = """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF
        CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL
        HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU
        MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR
        SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED
        VES WST XAD XCD XCG YER ZAR ZMW ZWG
        """
    private static let three = """
        BHD IQD JOD KWD LYD OMR TND
        """
    private static let four = """
        CLF UYW
        """
}
