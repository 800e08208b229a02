import CloverPageSwift5
import NextAuthPageSwift5
import PaydiantPageSwift5
import PaysafePageSwift5

// The same files, compiled in Swift 5 mode.

typealias Swift5CloverAppValues = CloverAppValues
typealias Swift5FullOAuthApp = FullOAuthApp
typealias Swift5PaydiantPage = PaydiantPage
typealias Swift5PaysafeScreens = PaysafeScreens
typealias Swift5SigningObserver = SigningObserver
typealias Swift5SigningScreen = SigningScreen
