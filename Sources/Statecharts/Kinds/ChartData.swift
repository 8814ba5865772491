package import StateMachines

/// The data of events and outputs of machines from documents: in the journal and on lines, the text of JSON, or nothing.
package enum ChartData {
  /// An object of `key=value` words: a value that is JSON counts as such, any other is a text.
  ///
  /// - Returns: `nil` if a value is nested too deeply.
  package static func object(of members: [(key: String, text: String)]) -> Value? {
    var object = DataObject()
    for (key, text) in members {
      guard (try? object.set(DataValue(datum: text), for: key)) != nil else { return nil }
    }
    return DataValue.object(object).datum
  }

  /// The same as the text of JSON.
  static func text(of members: [(key: String, text: String)]) -> String? {
    guard let value = object(of: members), case .text(let text) = value else { return nil }
    return text
  }

  /// The members of an object as words that ``object(of:)`` reads.
  package static func members(of text: String) -> [(key: String, text: String)] {
    guard case .object(let object)? = JSON.value(of: text) else { return [] }
    return zip(object.keys, object.values).map { key, member in (key, word(of: member)) }
  }

  /// A value as a word that ``object(of:)`` reads: JSON, or a text that is none.
  static func word(of data: DataValue) -> String {
    if case .string(let text) = data, case .string(text) = DataValue(datum: text) { return text }
    return JSON.text(of: data)
  }
}

extension DataValue {
  /// - Parameter text: JSON; anything else is a text.
  init(datum text: String) {
    self = JSON.value(of: text) ?? .string(text)
  }

  var datum: Value {
    switch self {
    case .undefined: .none
    case .null, .boolean, .number, .string, .array, .object, .function: .text(JSON.text(of: self))
    }
  }
}
