internal import Kernel

/// The events of second factors in the audit log.
package enum FactorEvent: String, SecurityEventKind, CaseIterable {
    case secretQuestionAnswered = "factor.secret_question_answered"
    case recoveryCodeUsed = "factor.recovery_code_used"
    case failed = "factor.failed"
    case held = "factor.held"
    case totpAdded = "factor.totp_added"
    case totpRemoved = "factor.totp_removed"
    case recoveryCodesMade = "factor.recovery_codes_made"
    case recoveryCodesVoided = "factor.recovery_codes_voided"
    case secretQuestionsSet = "factor.secret_questions_set"
}
