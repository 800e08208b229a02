import CloverPage
import NextAuthPage
import PaydiantPage
import PaysafePage

// The pages' code, compiled in Swift 6 mode. Both modes have the same names, so each is named in a file of its own.

typealias Swift6CloverAppValues = CloverAppValues
typealias Swift6FullOAuthApp = FullOAuthApp
typealias Swift6PaydiantPage = PaydiantPage
typealias Swift6PaysafeScreens = PaysafeScreens
typealias Swift6SigningObserver = SigningObserver
typealias Swift6SigningScreen = SigningScreen
