/// A value that is computed from the parameters beside it when they are set, so that no step computes it.
///
/// It is ignored when parameters are compared, because it follows from them.
struct Derived<Value: Sendable>: Hashable, Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  static func == (left: Self, right: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
