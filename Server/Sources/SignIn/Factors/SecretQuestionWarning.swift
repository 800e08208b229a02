internal import Kernel
package import Logging
package import Store

/// Logs at every start which brands accept secret questions. Answers are guessed, found out and shared; the operator
/// should be reminded.
package enum SecretQuestionWarning {
    package static func log(_ database: any Database, to logger: Logger) async throws {
        let brands = try await database.read { connection in
            var taking: [String] = []
            var after = ""
            while true {
                let page = try Brands.list(after: after, limit: 100, on: connection)
                for brand in page where try BrandProfile(json: brand.settings).secretQuestions ?? false {
                    taking.append(brand.id)
                }
                guard page.count == 100, let last = page.last else { return taking }
                after = last.id
            }
        }
        for brand in brands {
            logger.warning(
                "secret questions are allowed as a second factor, but their answers are easy to find out",
                metadata: [
                    "brand": "\(brand)", "turn off": "walletauth brand update \(brand) --secret-questions off",
                ])
        }
    }
}
