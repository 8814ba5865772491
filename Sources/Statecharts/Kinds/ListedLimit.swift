internal import StateMachines

/// A limit as clients read it.
package struct ListedLimit: Hashable, Sendable {
  package let name: String
  package let value: Int
  package let unit: String

  package init(name: String, value: Int, unit: String) {
    self.name = name
    self.value = value
    self.unit = unit
  }
}

extension StatechartLimits {
  /// What an input may take, under the names that ``ExceededLimit`` has.
  package var listed: [ListedLimit] {
    StatechartLimit.allCases.map { ListedLimit(name: $0.name, value: value(of: $0), unit: $0.unit) }
  }

  func value(of limit: StatechartLimit) -> Int {
    switch limit {
    case .steps: budget.steps
    case .bytes: budget.bytes
    case .data: data
    case .depth: DataValue.deepest
    case .sends: sends
    case .events: events
    case .sessions: sessions
    case .effects: effects
    }
  }
}

extension StatechartLimit {
  var name: String { "chart\(rawValue.prefix(1).uppercased())\(rawValue.dropFirst())" }

  fileprivate var unit: String {
    switch self {
    case .steps: "per-input"
    case .bytes: "bytes-per-input"
    case .data: "bytes-per-chart"
    case .depth: "levels"
    case .sends: "per-machine"
    case .events: "per-queue"
    case .sessions: "charts-per-machine"
    case .effects: "per-input"
    }
  }

  /// What an input would take too much of.
  var text: String {
    switch self {
    case .steps: "steps"
    case .bytes: "bytes of new values"
    case .data: "bytes of data"
    case .depth: "levels of nested values or calls"
    case .sends: "sends that wait"
    case .events: "events in the internal queue"
    case .sessions: "charts at the same time"
    case .effects: "effects"
    }
  }
}

extension DocumentLimits {
  /// How much a document may be.
  package var listed: [ListedLimit] {
    [
      ListedLimit(name: "documentBytes", value: bytes, unit: "bytes-per-file"),
      ListedLimit(name: "documentNodes", value: nodes, unit: "elements-and-texts"),
      ListedLimit(name: "documentLine", value: line, unit: "bytes-of-a-diagram"),
      ListedLimit(name: "documentDepth", value: depth, unit: "levels"),
      ListedLimit(name: "documentEntities", value: entityBytes, unit: "bytes-at-least"),
      ListedLimit(name: "documentFindings", value: findings, unit: "lines"),
      ListedLimit(name: "documentStates", value: Kind.mostWords, unit: "per-document"),
      ListedLimit(name: "documentEvents", value: ChartProgram.mostEvents, unit: "events-or-outputs"),
    ]
  }
}
