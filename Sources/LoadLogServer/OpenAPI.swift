import LoadLogCore
import LoadLogReports

/// The description of the JSON interface, for programs that write clients and tests.
enum OpenAPI {
  /// The description.
  static var description: JSONValue {
    [
      "openapi": "3.1.0",
      "info": [
        "title": "LoadLog", "version": .string(LoadLogVersion.current),
        "description": "The record of a store, read by loadlog serve.",
      ],
      "paths": .object(APIQuestion.all.map(path) + [imports, health]),
      "components": [
        "schemas": [
          "Answer": [
            "type": "object", "required": .array(["generated_at", "store"].map { .string($0) }),
            "properties": [
              "generated_at": ["type": "string", "format": "date-time"], "store": ["type": "string"],
            ],
          ],
          "Error": [
            "type": "object", "required": .array(["error", "field", "hint"].map { .string($0) }),
            "properties": [
              "error": ["type": "string"], "field": ["type": .array(["string", "null"])],
              "hint": ["type": .array(["string", "null"])],
            ],
          ],
        ]
      ],
    ]
  }

  private static func path(_ question: APIQuestion) -> JSONValue.Member {
    let arguments = question.arguments.map { name in
      parameter(
        name, place: "path", isRequired: true,
        schema: name == "id"
          ? ["type": "string", "pattern": "^[0-9A-Fa-f-]{4,36}$"]
          : ["type": "string", "minLength": .integer(1)])
    }
    let options = question.options.map { name in
      parameter(
        name,
        schema: name == "limit"
          ? [
            "oneOf": .array([
              ["type": "integer", "minimum": .integer(1), "maximum": .integer(Int64(Int32.max))],
              ["const": "all"],
            ])
          ]
          : ["type": "string"])
    }
    let flags = question.flags.map { parameter($0, schema: ["enum": .array(["", "1", "true"])]) }
    let feeds =
      question.hasFeeds ? [parameter("feed", schema: ["type": "array", "items": ["type": "string"]])] : []
    return .init(
      key: "/api/v1/\(question.path)",
      value: [
        "get": [
          "operationId": .string(question.verb), "summary": .string(question.summary),
          "parameters": .array(arguments + feeds + options + flags),
          "responses": responses([400, 401, 404, 421, 429, 503]),
        ]
      ])
  }

  private static func parameter(
    _ name: String, place: String = "query", isRequired: Bool = false, schema: JSONValue
  ) -> JSONValue {
    ["name": .string(name), "in": .string(place), "required": .bool(isRequired), "schema": schema]
  }

  private static let imports = JSONValue.Member(
    key: "/api/v1/import",
    value: [
      "post": [
        "operationId": "import", "summary": "Imports loads in LoadLog's own format.",
        "requestBody": [
          "required": true,
          "content": [
            "application/x-ndjson": ["schema": ["type": "string"]],
            "application/ndjson": ["schema": ["type": "string"]],
            // A line alone is JSON.
            "application/json": ["schema": ["type": "object"]],
          ],
        ],
        "responses": responses([400, 401, 403, 408, 413, 415, 421, 422, 429, 503]),
      ]
    ])

  private static let health = JSONValue.Member(
    key: "/healthz",
    value: [
      "get": [
        "operationId": "health", "summary": "Whether the store can be asked.",
        "responses": responses(
          [400, 421, 429, 503],
          success: ["description": "It answers.", "content": ["text/plain": ["schema": ["type": "string"]]]]),
      ]
    ])

  private static func responses(
    _ failures: [Int], success: JSONValue = content("Answer", "The answer.")
  ) -> JSONValue {
    .object(
      [.init(key: "200", value: success)]
        + failures.map {
          .init(
            key: String($0),
            value: $0 == 422 ? content("Answer", "Loads were rejected.") : content("Error", "An error."))
        })
  }

  private static func content(_ schema: String, _ description: String) -> JSONValue {
    [
      "description": .string(description),
      "content": ["application/json": ["schema": ["$ref": .string("#/components/schemas/\(schema)")]]],
    ]
  }
}
