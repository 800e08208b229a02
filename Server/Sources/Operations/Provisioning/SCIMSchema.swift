internal import Core

/// A type of resource: where it is served, and its attributes.
struct SCIMSchema: Sendable {
    let id: String
    let name: String
    let endpoint: String
    let description: String
    let attributes: [SCIMAttribute]

    /// The attributes with those that every resource has, which no schema lists (RFC 7643 §3.1).
    var all: [SCIMAttribute] { Self.common + attributes }

    private static let common = [
        SCIMAttribute("id", "The id that this server gave it.") {
            ($0.isCaseExact, $0.mutability, $0.returned) = (true, .readOnly, "always")
        },
        SCIMAttribute("externalId", "The id that the client gave it. Other clients do not see it.") {
            $0.isCaseExact = true
        },
        SCIMAttribute("meta", "Facts about the resource.", .complex) {
            $0.mutability = .readOnly
            $0.parts = [
                SCIMAttribute("resourceType", "Its type.") { $0.mutability = .readOnly },
                SCIMAttribute("created", "When it was created.", .dateTime) { $0.mutability = .readOnly },
                SCIMAttribute("location", "Its URL.", .reference) { $0.mutability = .readOnly },
                SCIMAttribute("version", "Its ETag.") { $0.mutability = .readOnly },
            ]
        },
    ]
}

extension SCIMSchema {
    static let user = SCIMSchema(
        id: "urn:ietf:params:scim:schemas:core:2.0:User", name: "User", endpoint: "/Users", description: "An account",
        attributes: [
            SCIMAttribute("userName", "The user name, unique in the brand. Upper case does not matter.") {
                ($0.isRequired, $0.uniqueness) = (true, "server")
            },
            SCIMAttribute("name", "The parts of the person's name.", .complex) {
                $0.parts = [
                    SCIMAttribute("givenName", "The given names."), SCIMAttribute("familyName", "The family names."),
                ]
            },
            SCIMAttribute("displayName", "The name as displayed."),
            SCIMAttribute("preferredLanguage", "The language of messages and pages, such as de-AT.") {
                $0.canonicalValues = Language.allCases.map(\.rawValue)
            },
            SCIMAttribute(
                "active", "Whether the person may sign in. What an operator or the person closed, no client opens.",
                .boolean
            ) { $0.isRequired = true },
            SCIMAttribute("emails", "The e-mail address. There is one.", .complex) {
                $0.isMultiple = true
                $0.parts = [
                    SCIMAttribute("value", "The address."),
                    SCIMAttribute("type", "Always work.") { $0.canonicalValues = [SCIMSchema.emailType] },
                ]
            },
            SCIMAttribute("phoneNumbers", "The phone number. There is one.", .complex) {
                $0.isMultiple = true
                $0.parts = [
                    SCIMAttribute("value", "The number in international form.") {
                        // By which clients see the form.
                        $0.canonicalValues = ["+35921234567"]
                    },
                    SCIMAttribute("type", "Always mobile.") { $0.canonicalValues = [SCIMSchema.phoneType] },
                ]
            },
            SCIMAttribute(
                "groups", "The groups that the account is a member of, at most 100. Change the groups' members.",
                .complex
            ) {
                ($0.isMultiple, $0.mutability) = (true, .readOnly)
                $0.parts = [
                    SCIMAttribute("value", "The id of the group.") {
                        ($0.isCaseExact, $0.mutability) = (true, .readOnly)
                    },
                    SCIMAttribute("$ref", "Its URL.", .reference) {
                        ($0.isCaseExact, $0.mutability, $0.referenceType) = (true, .readOnly, "Group")
                    },
                    SCIMAttribute("display", "Its name.") { $0.mutability = .readOnly },
                    SCIMAttribute("type", "Always direct.") { $0.mutability = .readOnly },
                ]
            },
        ])

    static let group = SCIMSchema(
        id: "urn:ietf:params:scim:schemas:core:2.0:Group", name: "Group", endpoint: "/Groups",
        description: "A merchant. Its members are its employees.",
        attributes: [
            SCIMAttribute("displayName", "The merchant's name. A client renames only what it created.") {
                $0.isRequired = true
            },
            SCIMAttribute(
                "members",
                "The employees who are accounts of the client's brand, without operators. A request adds and removes at most "
                    + "\(ProvisionedGroup.mostChanged).", .complex
            ) {
                ($0.isMultiple, $0.most) = (true, ProvisionedGroup.mostNamed)
                $0.parts = [
                    SCIMAttribute("value", "The id of the user.") {
                        ($0.isCaseExact, $0.mutability) = (true, .immutable)
                    },
                    SCIMAttribute("$ref", "The user's URL.", .reference) {
                        ($0.isCaseExact, $0.mutability) = (true, .immutable)
                    },
                    SCIMAttribute("type", "Always User.") {
                        ($0.canonicalValues, $0.mutability) = ([SCIMSchema.user.name], .immutable)
                    },
                ]
            },
        ])

    /// The types of the one address and the one number of an account.
    static let emailType = "work"
    static let phoneType = "mobile"

    /// Attributes of the standard's schemas that accounts do not have. A change of one is passed over, as in a whole resource: the usual
    /// directories send them unless their administrator has removed each from a list.
    static func isPassedOver(_ name: some StringProtocol) -> Bool { foreign.contains(name.lowercased()) }

    static let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:user"

    private static let foreign: Set<String> = [
        "nickname", "profileurl", "title", "usertype", "locale", "timezone", "password", "ims", "photos", "addresses",
        "entitlements", "roles", "x509certificates", "formatted", "middlename", "honorificprefix",
        "honorificsuffix", "display", "primary", "$ref",
    ]
}
